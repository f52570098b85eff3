internal import Bytes

/// Encipherment of a PIN for a card (EMV 4.4 Book 2, 7.2, table 25): 7F ‖ PIN block (format 2, 8
/// bytes) ‖ ICC unpredictable number (8) ‖ random padding, under the card's PIN encipherment or ICC
/// public key.
public enum OfflinePINEncipherment {
    private static let header: UInt8 = 0x7F
    private static let fixedCount = 17

    /// The enciphered PIN data for VERIFY, as long as the key's modulus.
    ///
    /// - Parameter unpredictableNumber: the card's answer to GET CHALLENGE, 8 bytes.
    public static func encipher(_ pin: PIN, unpredictableNumber: [UInt8], key: RSAPublicKey) throws(PINBlockError)
        -> [UInt8]
    {
        guard unpredictableNumber.count == 8 else { throw .length(count: unpredictableNumber.count, expected: 8) }
        guard key.modulus.count >= fixedCount, key.modulus[0] > header else { throw .key }
        let pinBlock = try PINBlock.format2.encode(pin)
        var block = [header]
        pinBlock.withBytes { bytes in
            for index in bytes.indices { block.append(bytes[index]) }
        }
        block += unpredictableNumber + SecureRandom.bytes(key.modulus.count - fixedCount)
        defer { wipe(&block) }
        do { return try key.encipher(block) } catch { throw .key }
    }

    /// The PIN in `data`, on the card's side.
    ///
    /// - Parameter unpredictableNumber: the card's answer to the last GET CHALLENGE, 8 bytes.
    public static func decipher(_ data: [UInt8], unpredictableNumber: [UInt8], key: RSAPrivateKey) throws(PINBlockError)
        -> PIN
    {
        var block: [UInt8]
        do { block = try key.decipher(data) } catch { throw .key }
        defer { wipe(&block) }
        guard block.count >= fixedCount, block[0] == header else { throw .malformed }
        guard constantTimeEqual(block.span.extracting(9..<17), unpredictableNumber.span) else {
            throw .unpredictableNumber
        }
        return try PINBlock.format2.decode(SecretBytes(block[1..<9]))
    }
}
