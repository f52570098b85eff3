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
    public static func wrap(_ key: SecretBytes, header: KeyBlockHeader, under protectionKey: ProtectionKey)
        throws(KeyBlockError) -> String
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
        var payload = try binding.open(
            Array(sealed[..<count]), authenticator: Array(sealed[count...]), header: text[..<end])
        defer { wipe(&payload) }
        let bits = Int(payload[0]) << 8 | Int(payload[1])
        guard bits > 0, bits % 8 == 0, bits / 8 <= payload.count - 2 else { throw .keyLength }
        return (SecretBytes(payload[2..<2 + bits / 8]), header)
    }
}

/// Why a key block cannot be wrapped or unwrapped. No case carries key material.
public enum KeyBlockError: Error, Equatable, Sendable {
    /// The text is not a key block, or a field of the header has an invalid value.
    case header
    /// The version of the block is not supported: `E`, AES in counter mode (ISO 20038).
    case version(Character)
    /// The protection key does not match the version: TDES of 16 or 24 bytes for A, B and C, AES
    /// for D.
    case protectionKey
    /// The authenticator is wrong: another protection key, or a changed block.
    case authentication
    /// The authenticator is correct, but the key has an invalid length; or the key to wrap is
    /// empty.
    case keyLength
    /// The key to wrap and its optional blocks need more than the 9,999 characters of a block.
    case length
}

extension KeyBlockError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header: "the text is not a TR-31 key block: its header or a length in it is wrong"
        case .version(let version):
            "key blocks of version \(version) (AES in counter mode, ISO 20038) are not supported: ask for version D"
        case .protectionKey: "the key block protection key does not fit the block's version"
        case .authentication: "the key block does not authenticate: another protection key, or a changed block"
        case .keyLength: "the key in the block has an impossible length"
        case .length:
            "key and optional blocks need more than the 9,999 characters of a key block: shorten the optional blocks"
        }
    }
}
