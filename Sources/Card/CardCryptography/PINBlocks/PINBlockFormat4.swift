internal import Bytes

/// The 16-byte PIN block of ISO 9564-1 format 4, which is enciphered with AES in two steps around
/// the PAN (ISO 9564-1:2017, 9.4.2). It has no clear form that combines PIN and PAN.
public enum PINBlockFormat4 {
    /// The enciphered block of `pin` for `pan`. 16 bytes.
    public static func encipher(_ pin: PIN, pan: AccountNumber, key: AESKey) -> [UInt8] {
        encipher(pin, pan: pan, key: key, random: SecureRandom.number())
    }

    /// - Parameter random: The second half of the PIN field.
    static func encipher(_ pin: PIN, pan: AccountNumber, key: AESKey, random: UInt64) -> [UInt8] {
        let head = pin.withDigits { $0.decimal(after: 0x40 | UInt64(clamping: pin.count)) }
        let fillCount = 4 * (14 - pin.count)
        let field = head << fillCount | 0xAAAA_AAAA_AAAA_AAAA & (1 << fillCount - 1)
        let cipher = key.keyed(.encrypt)
        return Array(bigEndian: cipher(cipher(UInt128(field) << 64 | UInt128(random)) ^ panField(of: pan)))
    }

    /// The PIN in an enciphered `block` for `pan`.
    public static func decipher(_ block: [UInt8], pan: AccountNumber, key: AESKey) throws(PINBlockError) -> PIN {
        guard block.count == 16 else { throw .length(count: block.count, expected: 16) }
        let cipher = key.keyed(.decrypt)
        var field = UInt64(truncatingIfNeeded: cipher(cipher(block.span.block(from: 0)) ^ panField(of: pan)) >> 64)
        defer { field = 0 }
        func nibble(_ index: Int) -> UInt8 { UInt8(field >> (60 - 4 * index) & 0x0F) }
        let count = Int(nibble(1))
        guard nibble(0) == 4, (4...12).contains(count), (2 + count..<16).allSatisfy({ nibble($0) == 0xA }) else {
            throw .malformed
        }
        var digits = (0..<count).map { nibble(2 + $0) }
        guard let pin = PIN(wiping: &digits) else { throw .malformed }
        return pin
    }

    /// One half byte with the PAN length minus 12, the PAN, zeros; a PAN of fewer than 12 digits is
    /// padded to 12 on the left.
    private static func panField(of pan: AccountNumber) -> UInt128 {
        let digits: UInt128 = pan.withDigits { $0.decimal(after: 0) }
        let excess = UInt128(clamping: max(0, pan.count - 12))
        return excess << 124 | digits << (124 - 4 * max(12, pan.count))
    }
}

extension Span<UInt8> {
    /// `number` followed by these digits as half bytes.
    func decimal<Number: FixedWidthInteger & UnsignedInteger>(after number: Number) -> Number {
        indices.reduce(number) { $0 << 4 | Number(self[$1]) }
    }
}
