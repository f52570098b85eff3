/// A card number of chance in each form in which a program may have it.
public struct CardNumberForms: Sendable {
    /// 16 digits that begin like those of test cards of personalization labs, with a right check
    /// digit (ISO/IEC 7812-1, annex B).
    public let digits: [UInt8]
    /// What each form is called, and its bytes.
    public var forms: [(name: String, bytes: [UInt8])]

    public init() {
        self.init(digits: Self.number())
    }

    private static func number() -> [UInt8] {
        var digits = Array("476173".utf8) + (0..<9).map { _ in UInt8.random(in: 0x30...0x39) }
        // From the right, the digit before the check digit counts twice.
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element & 0x0F) * (digit.offset.isMultiple(of: 2) ? 2 : 1)
            return sum + value / 10 + value % 10
        }
        digits.append(0x30 + UInt8((10 - sum % 10) % 10))
        return digits
    }

    /// - Parameter digits: 16 of them, as ASCII.
    public init(digits: [UInt8]) {
        self.digits = digits
        var forms: [(String, [UInt8])] = [
            ("text", digits),
            // Of a number that was moved in two halves.
            ("half", Array(digits.suffix(8))),
            ("UTF-16", digits.flatMap { [$0, 0] }),
            ("digits", digits.map { $0 & 0x0F }),
            ("packed", Self.packed(digits)),
            // As libcrypto has numbers, least significant byte first.
            ("packed, backwards", Self.packed(digits).reversed()),
            ("packed from the second digit", Self.packed(Array(digits.dropFirst()))),
        ]
        for (name, bytes) in [("text", digits), ("packed", Self.packed(digits))] {
            for skipped in 0..<3 { forms.append(("Base64 of \(name)", Self.base64(Array(bytes.dropFirst(skipped))))) }
        }
        self.forms = forms
    }

    /// Two digits to a byte; what is left of an odd number is left out.
    private static func packed(_ digits: [UInt8]) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] & 0x0F }
    }

    /// RFC 4648, 4, of whole groups of three bytes: whatever comes after them, they have the same
    /// characters.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return stride(from: 0, to: bytes.count / 3 * 3, by: 3).flatMap { start -> [UInt8] in
            let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            return [18, 12, 6, 0].map { characters[group >> $0 & 0x3F] }
        }
    }
}
