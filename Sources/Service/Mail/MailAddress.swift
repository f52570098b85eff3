public import Outbox
private import TLV

/// An e-mail address for a receipt: `name@example.com`, and nothing else.
///
/// A dot-string and a domain of at least two labels (RFC 5321, 4.1.2), all ASCII: at most 64 and 253
/// bytes, 254 in all. No display name, quoted string, comment, address literal or list. A domain in
/// another script is written in its ASCII form (`xn--…`, RFC 5890): nothing is converted here.
public struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) throws(ContactError) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, Self.isDotString(parts[0]), Self.isDomain(parts[1]) else {
            throw .invalidAddress
        }
        guard !CardNumberScan.containsCardNumber(text) else { throw .invalidAddress }
        self.text = text
    }

    public var description: String { text }

    private static func isDotString(_ text: Substring) -> Bool {
        text.utf8.count <= 64
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.utf8.allSatisfy { $0.isLetterOrDigit || atomCharacters.contains($0) }
            }
    }

    /// RFC 5322, 3.2.3.
    private static let atomCharacters = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.count >= 2 else { return false }
        // A top-level domain of digits would be an IPv4 address.
        guard labels.last?.utf8.contains(where: { !(0x30...0x39).contains($0) }) == true else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
    }
}

/// A telephone number as ITU-T E.164 has it: `+` and 7 to 15 digits, the first of them not zero.
public struct PhoneNumber: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) throws(ContactError) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (7...15).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != UInt8(ascii: "0")
        else { throw .invalidNumber }
        self.text = text
    }

    public var description: String { text }
}

/// Where a receipt goes: to an address if there is one, else to a number.
public enum ReceiptDestination: Sendable, Hashable {
    case mail(MailAddress)
    case shortMessage(PhoneNumber)

    /// Both are checked, also the one that is not used.
    public init(email: String?, phone: String?) throws(ContactError) {
        let address: MailAddress? = if let email { try MailAddress(email) } else { nil }
        let number: PhoneNumber? = if let phone { try PhoneNumber(phone) } else { nil }
        if let address {
            self = .mail(address)
        } else if let number {
            self = .shortMessage(number)
        } else {
            throw .noDestination
        }
    }
}

/// Why nobody can be reached so. No text repeats the address or the number.
public enum ContactError: Error, Sendable, Equatable {
    case notASCII
    case invalidAddress
    case invalidNumber
    case noDestination
}

extension ContactError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notASCII: "the address is not ASCII: write its domain as xn--..., and ask for another name"
        case .invalidAddress: "not an address: write it as name@example.com, alone and without spaces"
        case .invalidNumber: "not a number: write it as +353861234567, without spaces"
        case .noDestination: "no address and no number: give one of them"
        }
    }
}

/// What sends short messages. No gateway is published here: who has one conforms to this.
public protocol ShortMessageGateway: Sendable {
    /// Sends `text` to `number`. The result says what is certain, as ``Outbox/Delivery/Result`` has
    /// it.
    func send(_ text: String, to number: PhoneNumber) async -> Delivery.Result
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
