internal import Bytes

/// The 16-byte PIN block of ISO 9564-1 format 4, which is enciphered with AES in two steps around the PAN (ISO 9564-1:2017,
/// 9.4.2). It has no clear form that combines PIN and PAN.
public enum PINBlockFormat4 {
    /// The enciphered block of `pin` for `pan`. 16 bytes.
    public static func encipher(_ pin: PIN, pan: AccountNumber, key: AESKey) -> [UInt8] {
        encipher(pin, pan: pan, key: key, random: SecureRandom.bytes(8))
    }

    /// - Parameter random: the second half of the PIN field, 8 bytes.
    static func encipher(_ pin: PIN, pan: AccountNumber, key: AESKey, random: [UInt8]) -> [UInt8] {
        // fits: a PIN has 4 to 12 digits
        var nibbles = [0x4, UInt8(pin.count)]
        pin.withDigits { digits in
            for index in digits.indices { nibbles.append(digits[index]) }
        }
        nibbles += [UInt8](repeating: 0xA, count: 16 - nibbles.count)
        var field = packNibbles(nibbles) + random
        wipe(&nibbles)
        defer { wipe(&field) }
        let panField = panField(of: pan)
        return key.encryptBlocks(zip(key.encryptBlocks(field), panField).map { $0 ^ $1 })
    }

    /// The PIN in an enciphered `block` for `pan`.
    public static func decipher(_ block: [UInt8], pan: AccountNumber, key: AESKey) throws(PINBlockError) -> PIN {
        guard block.count == 16 else { throw .length(count: block.count, expected: 16) }
        var field = key.decryptBlocks(zip(key.decryptBlocks(block), panField(of: pan)).map { $0 ^ $1 })
        defer { wipe(&field) }
        var nibbles = unpackNibbles(field.span)
        defer { wipe(&nibbles) }
        let count = Int(nibbles[1])
        guard nibbles[0] == 4, (4...12).contains(count), nibbles[2 + count..<16].allSatisfy({ $0 == 0xA }) else { throw .malformed }
        var digits = Array(nibbles[2..<2 + count])
        guard let pin = PIN(wiping: &digits) else { throw .malformed }
        return pin
    }

    /// One nibble of PAN length less 12, the PAN, zeros; a PAN of fewer than 12 digits is filled up to 12 on the left.
    private static func panField(of pan: AccountNumber) -> [UInt8] {
        let digits = pan.withDigits { digits in digits.indices.map { digits[$0] } }
        let leading = [UInt8](repeating: 0, count: max(0, 12 - digits.count))
        // fits: an account number has at most 19 digits
        let nibbles = [UInt8(max(0, digits.count - 12))] + leading + digits
        return packNibbles(nibbles + [UInt8](repeating: 0, count: 32 - nibbles.count))
    }
}
