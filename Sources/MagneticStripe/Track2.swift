public import Bytes

/// Track 2 of a magnetic stripe, or its equivalent on a chip (tag `57`): PAN, expiry, service code, discretionary data
/// (ISO/IEC 7813, 4.2; EMV 4.4 Book 3, annex A1).
///
/// Its description shows nothing; see ``pan`` and the rest.
public struct Track2: Sendable {
    /// ASCII digits, 1 to 19 of them.
    public let pan: SecretBytes
    /// YYMM as four ASCII digits; nil if the track leaves it out.
    public let expiry: String?
    /// Three ASCII digits; nil if the track leaves it out.
    public let serviceCode: String?
    /// ASCII digits; holds the card verification value, so it is never kept.
    public let discretionaryData: SecretBytes

    /// The track packed two characters a byte as in tag `57`: separator `D`, padded with one `F`. Nil if it is none.
    public init?(equivalentData bytes: Span<UInt8>) {
        var characters: [UInt8] = []
        characters.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            characters.append(bytes[index] >> 4)
            characters.append(bytes[index] & 0x0F)
        }
        if characters.last == 0x0F { characters.removeLast() }
        self.init(characters: &characters, separator: 0x0D)
    }

    /// The track as read: start sentinel `;`, separator `=`, end sentinel `?`; sentinels may be missing. Nil if it is none.
    public init?(text: some StringProtocol) {
        var characters = Array(text.utf8)
        if characters.first == UInt8(ascii: ";") { characters.removeFirst() }
        if let end = characters.firstIndex(of: UInt8(ascii: "?")) { characters.removeSubrange(end...) }
        for index in characters.indices {
            switch characters[index] {
            case UInt8(ascii: "="): characters[index] = 0x0D
            case 0x30...0x39: characters[index] -= 0x30
            default:
                wipe(&characters)
                return nil
            }
        }
        self.init(characters: &characters, separator: 0x0D)
    }

    /// Takes `characters` (values 0 to 9 and one separator) over and wipes them.
    private init?(characters: inout [UInt8], separator: UInt8) {
        defer { wipe(&characters) }
        guard let split = characters.firstIndex(of: separator), (1...19).contains(split),
            characters[..<split].allSatisfy({ $0 < 10 }), characters[(split + 1)...].allSatisfy({ $0 < 10 || $0 == separator })
        else { return nil }
        pan = SecretBytes(characters[..<split].map { $0 + 0x30 })
        var rest = characters[(split + 1)...]
        expiry = Self.take(4, from: &rest, separator)
        serviceCode = Self.take(3, from: &rest, separator)
        guard rest.allSatisfy({ $0 < 10 }) else { return nil }
        discretionaryData = SecretBytes(rest.map { $0 + 0x30 })
    }

    /// The next field: `count` digits, or one separator in their place, which says that the field is left out.
    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>, _ separator: UInt8) -> String? {
        guard let first = rest.first else { return nil }
        if first == separator {
            rest.removeFirst()
            return nil
        }
        let field = rest.prefix(count)
        guard field.count == count, field.allSatisfy({ $0 < 10 }) else { return nil }
        rest.removeFirst(count)
        return String(decoding: field.map { $0 + 0x30 }, as: UTF8.self)
    }
}

extension Track2: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 2, \(pan.count) digit PAN" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
