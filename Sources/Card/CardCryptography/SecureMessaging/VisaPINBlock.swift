public import Bytes

/// The clear form of a new PIN in Visa's PIN CHANGE/UNBLOCK, 8 bytes: length, digits and fill F,
/// combined with bytes 5 to 8 of the card's master key for application cryptograms, and with the
/// replaced PIN if the card requires that (P2 01). Source: pyemv, with values from a host security
/// module.
public enum VisaPINBlock {
    /// - Parameters:
    ///   - current: The PIN that is replaced; nil for a command with P2 02.
    ///   - cardKey: The card's master key for application cryptograms, triple DES.
    public static func encode(_ pin: PIN, replacing current: PIN? = nil, cardKey: TDESKey) -> SecretBytes {
        // fits: a PIN has 4 to 12 digits
        var nibbles = [0, UInt8(pin.count)]
        pin.withDigits { digits in
            for index in digits.indices { nibbles.append(digits[index]) }
        }
        nibbles += [UInt8](repeating: 0x0F, count: 16 - nibbles.count)
        var block = packNibbles(nibbles)
        wipe(&nibbles)
        combine(&block, current, cardKey)
        return SecretBytes(wiping: &block)
    }

    public static func decode(_ block: SecretBytes, replacing current: PIN? = nil, cardKey: TDESKey)
        throws(PINBlockError) -> PIN
    {
        guard block.count == 8 else { throw .length(count: block.count, expected: 8) }
        var bytes = block.revealed()
        defer { wipe(&bytes) }
        combine(&bytes, current, cardKey)
        var nibbles = unpackNibbles(bytes.span)
        defer { wipe(&nibbles) }
        let count = Int(nibbles[1])
        guard nibbles[0] == 0, (4...12).contains(count), nibbles[(2 + count)...].allSatisfy({ $0 == 0x0F }) else {
            throw .malformed
        }
        var digits = Array(nibbles[2..<2 + count])
        guard let pin = PIN(wiping: &digits) else { throw .malformed }
        return pin
    }

    /// Exclusive or with 00000000 ‖ key bytes 5 to 8, and with the current PIN's digits padded with
    /// zeros.
    private static func combine(_ block: inout [UInt8], _ current: PIN?, _ cardKey: TDESKey) {
        cardKey.bytes.withBytes { key in
            for index in 4..<8 { block[index] ^= key[index] }
        }
        current?.withDigits { digits in
            for index in digits.indices {
                block[index / 2] ^= index.isMultiple(of: 2) ? digits[index] << 4 : digits[index]
            }
        }
    }
}
