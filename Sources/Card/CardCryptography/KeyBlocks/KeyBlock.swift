public import Bytes

/// Keys in transit and storage, encrypted and bound to their usage (ASC X9 TR-31:2018; ANSI
/// X9.143).
///
/// A block is printable ASCII: header, encrypted key in hexadecimal digits, authenticator in
/// hexadecimal digits.
public enum KeyBlock {
    /// The key that protects blocks (KBPK).
    public enum ProtectionKey: Sendable {
        /// 16 or 24 bytes; versions A, B and C.
        case tdes(TDESKey)
        /// Version D.
        case aes(AESKey)
    }

    /// `key` under `protectionKey` as a block with `header`.
    ///
    /// The key is padded with random bytes up to the length of the longest key of its algorithm, so
    /// that the block does not reveal its length.
    ///
    /// - Parameter key: At least 1 byte; at most what the 9,999 characters of a block hold, 4,958
    ///   bytes in version D without optional blocks.
    /// - Throws: ``KeyBlockError/length`` if key and optional blocks together are longer.
    public static func wrap(_ key: SecretBytes, header: KeyBlockHeader, under protectionKey: ProtectionKey) throws(KeyBlockError) -> String
    {
        let binding = try KeyBlockBinding(header.version, protectionKey)
        let longest = header.algorithm == "T" ? 24 : 32
        let content = 2 + max(key.count, longest)
        let total = (content + binding.blockSize - 1) / binding.blockSize * binding.blockSize
        return try wrap(key, header: header, binding: binding, padding: SecureRandom.bytes(total - 2 - key.count))
    }

    static func wrap(
        _ key: SecretBytes, header: KeyBlockHeader, binding: KeyBlockBinding, padding: [UInt8]
    ) throws(KeyBlockError) -> String {
        guard key.count > 0, (2 + key.count + padding.count) % binding.blockSize == 0 else { throw .keyLength }
        let options = try header.optionalText(blockSize: binding.blockSize)
        let headerCount = KeyBlockHeader.fixedCount + options.text.utf8.count
        let count = headerCount + 2 + key.count + padding.count
        var message = try header.text(
            blockLength: headerCount + 2 * (count - headerCount + binding.authenticatorCount), options: options)
        message.reserveCapacity(count)
        defer { wipe(&message) }
        // fits: fewer than 5,000 bytes, since the block's length fits its field
        message += Array(bigEndian: UInt16(key.count * 8))
        key.withBytes { key in for index in key.indices { message.append(key[index]) } }
        message += padding
        let sealed = binding.seal(message, from: headerCount)
        return String(decoding: message[..<headerCount], as: UTF8.self) + (sealed.ciphertext + sealed.authenticator).hex
    }

    /// Verifies the authenticator and returns the key in `block` and its header.
    public static func unwrap(
        _ block: String, under protectionKey: ProtectionKey
    ) throws(KeyBlockError) -> (key: SecretBytes, header: KeyBlockHeader) {
        let text = Array(block.utf8)
        let (header, end) = try KeyBlockHeader.parse(text)
        let binding = try KeyBlockBinding(header.version, protectionKey)
        guard let sealed = [UInt8](hexDigits: text.span.extracting(end...)) else { throw .header }
        let count = sealed.count - binding.authenticatorCount
        guard count >= binding.blockSize, count % binding.blockSize == 0 else { throw .header }
        var payload = try binding.open(Array(sealed[..<count]), authenticator: Array(sealed[count...]), header: text[..<end])
        defer { wipe(&payload) }
        let bits = Int(payload[0]) << 8 | Int(payload[1])
        guard bits > 0, bits % 8 == 0, bits / 8 <= payload.count - 2 else { throw .keyLength }
        return (SecretBytes(payload[2..<2 + bits / 8]), header)
    }
}
