public import Bytes

/// The 8-byte PIN blocks of ISO 9564-1: control nibble, PIN length, digits, fill, in format 0 and 3
/// combined with the PAN.
public enum PINBlock: Sendable, Equatable {
    /// Format 0: fill F, combined with the PAN (ISO 9564-1:2017, 9.3.2).
    case format0(AccountNumber)
    /// Format 1: random fill, no PAN (9.3.3).
    case format1
    /// Format 2: fill F, no PAN, only for PINs that are sent to a card (9.3.4; EMV 4.4 Book 3,
    /// table 25).
    case format2
    /// Format 3: random fill A to F, combined with the PAN (9.3.5).
    case format3(AccountNumber)

    /// The clear block for `pin`, 8 bytes.
    public func encode(_ pin: PIN) throws(PINBlockError) -> SecretBytes {
        // fits: a PIN has 4 to 12 digits
        var block = UInt64(control) << 60 | UInt64(pin.count) << 56
        pin.withDigits { digits in
            for index in digits.indices { block |= UInt64(digits[index]) << (52 - 4 * index) }
        }
        block |= fill(from: 2 + pin.count)
        block ^= try accountNumber()
        defer { block = 0 }
        return SecretBytes(bigEndian: block)
    }

    /// The PIN in a clear `block` of this format.
    public func decode(_ block: SecretBytes) throws(PINBlockError) -> PIN {
        guard block.count == 8 else { throw .length(count: block.count, expected: 8) }
        var clear = block.withBytes { block in block.indices.reduce(UInt64(0)) { $0 << 8 | UInt64(block[$1]) } }
        defer { clear = 0 }
        clear ^= try accountNumber()
        func nibble(_ index: Int) -> UInt8 { UInt8(clear >> (60 - 4 * index) & 0x0F) }
        let count = Int(nibble(1))
        guard nibble(0) == control, (4...12).contains(count), (2 + count..<16).allSatisfy({ isFill(nibble($0)) }) else {
            throw .malformed
        }
        var digits = (0..<count).map { nibble(2 + $0) }
        guard let pin = PIN(wiping: &digits) else { throw .malformed }
        return pin
    }

    private var control: UInt8 {
        switch self {
        case .format0: 0
        case .format1: 1
        case .format2: 2
        case .format3: 3
        }
    }

    /// The fill of the half bytes from index `first` on.
    private func fill(from first: Int) -> UInt64 {
        let all = UInt64.max >> (4 * first)
        switch self {
        case .format0, .format2: return all
        case .format1: return SecureRandom.number() & all
        case .format3: return SecureRandom.values(16 - first, in: 10...15).reduce(0) { $0 << 4 | UInt64($1) }
        }
    }

    private func isFill(_ nibble: UInt8) -> Bool {
        switch self {
        case .format0, .format2: nibble == 0x0F
        case .format1: true
        case .format3: nibble >= 10
        }
    }

    /// The account number block, for exclusive or: 0000, then the 12 rightmost PAN digits before
    /// the check digit; zero in formats without PAN.
    private func accountNumber() throws(PINBlockError) -> UInt64 {
        let pan: AccountNumber
        switch self {
        case .format0(let number), .format3(let number): pan = number
        case .format1, .format2: return 0
        }
        guard pan.count >= 13 else { throw .accountNumberTooShort(count: pan.count) }
        return pan.withDigits { digits in
            (digits.count - 13..<digits.count - 1).reduce(0) { $0 << 4 | UInt64(digits[$1]) }
        }
    }
}

/// A personal identification number: 4 to 12 digits (ISO 9564-1, 8.1), never printed.
public struct PIN: Sendable, Equatable {
    /// The values 0 to 9, first digit first.
    private let digits: SecretBytes

    /// Nil unless `ascii` is 4 to 12 ASCII digits.
    public init?(ascii: some Collection<UInt8>) {
        var values = ascii.map { $0 &- 0x30 }
        self.init(wiping: &values)
    }

    /// A PIN of 4 to 12 values, each 0 to 9; nil otherwise. The values are always wiped.
    init?(wiping values: inout [UInt8]) {
        defer { wipe(&values) }
        guard (4...12).contains(values.count), values.allSatisfy({ $0 < 10 }) else { return nil }
        digits = SecretBytes(values)
    }

    public var count: Int { digits.count }

    /// Calls `body` with the digits' values 0 to 9, first digit first.
    func withDigits<Result>(_ body: (Span<UInt8>) -> Result) -> Result { digits.withBytes(body) }
}

/// The digits of a PAN for key derivations and PIN blocks. 1 to 19 digits, never printed.
public struct AccountNumber: Sendable, Equatable {
    /// The values 0 to 9, first digit first.
    private let digits: SecretBytes

    /// Nil unless `ascii` is 1 to 19 ASCII digits.
    public init?(ascii: some Collection<UInt8>) {
        guard (1...19).contains(ascii.count), ascii.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var values = ascii.map { $0 - 0x30 }
        digits = SecretBytes(wiping: &values)
    }

    /// Nil unless `cn` is 1 to 19 digits in format cn, as in tag 5A.
    public init?(cn: [UInt8]) {
        guard var ascii = BCD.digits(cn) else { return nil }
        defer { wipe(&ascii) }
        self.init(ascii: ascii)
    }

    var count: Int { digits.count }

    /// Calls `body` with the digits' values 0 to 9, first digit first.
    func withDigits<Result>(_ body: (Span<UInt8>) -> Result) -> Result { digits.withBytes(body) }
}

/// Half bytes combined in pairs, the high one first. Their number must be even.
func packNibbles(_ nibbles: [UInt8]) -> [UInt8] {
    stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
}

/// The half bytes of `bytes`, the high one of each first.
func unpackNibbles(_ bytes: Span<UInt8>) -> [UInt8] {
    bytes.indices.flatMap { [bytes[$0] >> 4, bytes[$0] & 0x0F] }
}

/// Why a PIN block cannot be encoded or decoded. No case reveals digits.
public enum PINBlockError: Error, Equatable, Sendable {
    /// The block has `count` bytes instead of `expected`.
    case length(count: Int, expected: Int)
    /// The block is not a PIN block of the format with this PAN, or under this key.
    case malformed
    /// Formats 0 and 3 need 12 PAN digits and the check digit, but the PAN has only `count` digits.
    case accountNumberTooShort(count: Int)
    /// The scheme has no such form of a new PIN.
    case form
    /// The PIN encipherment key is too short for the block, or the RSA operation refuses its
    /// operand.
    case key
    /// The unpredictable number in the block is not the card's.
    case unpredictableNumber
}

extension PINBlockError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .length(let count, let expected): "the PIN block has \(count) bytes and not \(expected)"
        case .malformed: "it is no PIN block of this format, card number and key"
        case .accountNumberTooShort(let count): "the card number has \(count) digits: the PIN block needs 13"
        case .form: "the scheme has no such form of a new PIN"
        case .key: "the key is not for a PIN block of this length"
        case .unpredictableNumber: "the unpredictable number in the PIN block is not the card's"
        }
    }
}
