internal import Bytes

/// Encryption and authentication of one version of key block, with the two keys derived from the
/// protection key (TR-31:2018, 5.3.2 and 5.4).
enum KeyBlockBinding {
    /// Versions A and C: keys by exclusive or with a constant, CBC from the header's first 8 bytes,
    /// 4 bytes of CBC-MAC over header and ciphertext.
    case variant(encryption: TDESKey, authentication: TDESKey)
    /// Version B: keys by CMAC, 8 bytes of CMAC over header and plaintext, which is also the
    /// initialization vector.
    case derivationTDES(encryption: TDESKey, authentication: TDESKey)
    /// Version D: as version B with AES; 16 bytes.
    case derivationAES(encryption: AESKey, authentication: AESKey)

    init(_ version: KeyBlockHeader.Version, _ key: KeyBlock.ProtectionKey) throws(KeyBlockError) {
        do {
            switch (version, key) {
            case (.variantDeprecated, .tdes(let key)) where key.bytes.count >= 16,
                (.variant, .tdes(let key)) where key.bytes.count >= 16:
                self = .variant(encryption: try Self.variant(key, 0x45), authentication: try Self.variant(key, 0x4D))
            case (.derivationTDES, .tdes(let key)) where key.bytes.count >= 16:
                let keys = Self.derived(from: key)
                self = .derivationTDES(
                    encryption: try TDESKey(keys.encryption), authentication: try TDESKey(keys.authentication))
            case (.derivationAES, .aes(let key)):
                let keys = Self.derived(from: key)
                self = .derivationAES(
                    encryption: try AESKey(keys.encryption), authentication: try AESKey(keys.authentication))
            default: throw KeyBlockError.protectionKey
            }
        } catch {
            throw .protectionKey
        }
    }

    var blockSize: Int { if case .derivationAES = self { 16 } else { 8 } }

    var authenticatorCount: Int {
        switch self {
        case .variant: 4
        case .derivationTDES: 8
        case .derivationAES: 16
        }
    }

    /// - Parameter message: The header, then the payload from `start` on.
    func seal(_ message: [UInt8], from start: Int) -> (ciphertext: [UInt8], authenticator: [UInt8]) {
        switch self {
        case .variant(let encryption, let authentication):
            let ciphertext = DESCipher.with(encryption.bytes) {
                $0.transform(.encrypt, message.span.extracting(start...), iv: Array(message.prefix(8)))
            }
            return (ciphertext, Self.cbcMAC(message[..<start] + ciphertext, authentication))
        case .derivationTDES(let encryption, let authentication):
            let authenticator = authentication.cmac(message)
            return (
                DESCipher.with(encryption.bytes) {
                    $0.transform(.encrypt, message.span.extracting(start...), iv: authenticator)
                },
                authenticator
            )
        case .derivationAES(let encryption, let authentication):
            let authenticator = authentication.cmac(message)
            return (
                encryption.keyed(.encrypt).transform(message.span.extracting(start...), iv: authenticator),
                authenticator
            )
        }
    }

    /// Verifies the authenticator and returns the payload of `ciphertext`.
    func open(_ ciphertext: [UInt8], authenticator: [UInt8], header: ArraySlice<UInt8>) throws(KeyBlockError) -> [UInt8]
    {
        var (payload, expected) = opened(ciphertext, authenticator: authenticator, header: header)
        defer { wipe(&expected) }
        guard constantTimeEqual(expected.span, authenticator.span) else {
            wipe(&payload)
            throw .authentication
        }
        return payload
    }

    /// The payload, and the authenticator that it must have.
    private func opened(
        _ ciphertext: [UInt8], authenticator: [UInt8], header: ArraySlice<UInt8>
    ) -> (payload: [UInt8], authenticator: [UInt8]) {
        switch self {
        case .variant(let encryption, let authentication):
            let payload = encryption.decryptBlocks(ciphertext, iv: Array(header.prefix(8)))
            return (payload, Self.cbcMAC(header + ciphertext, authentication))
        case .derivationTDES(let encryption, let authentication):
            let payload = encryption.decryptBlocks(ciphertext, iv: authenticator)
            return (payload, Self.joined(header, payload) { authentication.cmac($0) })
        case .derivationAES(let encryption, let authentication):
            let payload = encryption.decryptBlocks(ciphertext, iv: authenticator)
            return (payload, Self.joined(header, payload) { authentication.cmac($0) })
        }
    }

    /// The result of `body` for header and payload in one array, which is then wiped.
    private static func joined(_ header: ArraySlice<UInt8>, _ payload: [UInt8], _ body: ([UInt8]) -> [UInt8]) -> [UInt8]
    {
        var message: [UInt8] = []
        message.reserveCapacity(header.count + payload.count)
        message += header
        message += payload
        defer { wipe(&message) }
        return body(message)
    }

    /// The first 4 bytes of the last block of TDES in CBC mode; the optional blocks of a version A
    /// or C header pad it to whole blocks.
    private static func cbcMAC(_ data: ArraySlice<UInt8>, _ key: TDESKey) -> [UInt8] {
        let padded = Array(data) + [UInt8](repeating: 0, count: (8 - data.count % 8) % 8)
        return Array(key.encryptBlocks(padded, iv: [UInt8](repeating: 0, count: 8)).suffix(8).prefix(4))
    }

    private static func variant(_ key: TDESKey, _ constant: UInt8) throws(CipherError) -> TDESKey {
        var bytes = key.bytes.revealed().map { $0 ^ constant }
        return try TDESKey(SecretBytes(wiping: &bytes))
    }

    private static func derived(from key: TDESKey) -> (encryption: SecretBytes, authentication: SecretBytes) {
        DESCipher.with(key.bytes) { derived(key.bytes.count, algorithm: key.bytes.count == 16 ? 0 : 1, $0.encrypt) }
    }

    private static func derived(from key: AESKey) -> (encryption: SecretBytes, authentication: SecretBytes) {
        let cipher = key.keyed(.encrypt)
        // fits: an AES key has at most 32 bytes
        return derived(key.bytes.count, algorithm: UInt64(key.bytes.count / 8)) { (block: UInt128) in cipher(block) }
    }

    /// The CMAC of counter (1), usage (2), separator 00, algorithm (2) and length in bits (2), for
    /// as many blocks as the keys need (tables 1 to 3).
    ///
    /// - Parameter count: The length of each key in bytes.
    private static func derived<Block: CipherBlock>(
        _ count: Int, algorithm: UInt64, _ encrypt: (Block) -> Block
    ) -> (encryption: SecretBytes, authentication: SecretBytes) {
        let subkey = CMAC.subkey(encrypt)
        let blockSize = Block.bitWidth / 8
        func key(_ usage: UInt64) -> SecretBytes {
            var halves: (left: UInt128, right: UInt128) = (0, 0)
            for start in stride(from: 0, to: count, by: blockSize) {
                // fits: a derived key has at most 32 bytes
                let head = UInt64(start / blockSize + 1) << 56 | usage << 40
                // fits: a derived key has at most 32 bytes
                let data = head | algorithm << 16 | UInt64(count * 8)
                let block =
                    UInt128(CMAC.code(over: Array(bigEndian: data).span, subkey: subkey, encrypt))
                    << (128 - Block.bitWidth)
                if start < 16 {
                    halves.left |= block >> (8 * start)
                } else {
                    halves.right |= block >> (8 * (start - 16))
                }
            }
            return SecretBytes(halves.left, halves.right, count: count)
        }
        return (key(0), key(1))
    }
}
