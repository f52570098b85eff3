internal import Bytes

/// How one version of key block enciphers and authenticates, with the two keys it makes from the protection key (TR-31:2018, 5.3.2 and 5.4).
enum KeyBlockBinding {
    /// Versions A and C: keys by exclusive or with a constant, CBC from the header's first 8 bytes, 4 bytes of CBC-MAC over header and ciphertext.
    case variant(encryption: TDESKey, authentication: TDESKey)
    /// Version B: keys by CMAC, 8 bytes of CMAC over header and plaintext, which is the initial vector too.
    case derivationTDES(encryption: TDESKey, authentication: TDESKey)
    /// Version D: the same with AES; 16 bytes.
    case derivationAES(encryption: AESKey, authentication: AESKey)

    init(_ version: KeyBlockHeader.Version, _ key: KeyBlock.ProtectionKey) throws(KeyBlockError) {
        do {
            switch (version, key) {
            case (.variantDeprecated, .tdes(let key)) where key.bytes.count >= 16, (.variant, .tdes(let key)) where key.bytes.count >= 16:
                self = .variant(encryption: try Self.variant(key, 0x45), authentication: try Self.variant(key, 0x4D))
            case (.derivationTDES, .tdes(let key)) where key.bytes.count >= 16:
                let count = key.bytes.count
                func derived(_ usage: UInt16) throws(CipherError) -> TDESKey {
                    try TDESKey(Self.derive(usage, algorithm: count == 16 ? 0 : 1, count: count, blockSize: 8) { key.cmac($0) })
                }
                self = .derivationTDES(encryption: try derived(0), authentication: try derived(1))
            case (.derivationAES, .aes(let key)):
                let count = key.bytes.count
                func derived(_ usage: UInt16) throws(CipherError) -> AESKey {
                    // fits: an AES key has at most 32 bytes
                    try AESKey(Self.derive(usage, algorithm: UInt16(count / 8), count: count, blockSize: 16) { key.cmac($0) })
                }
                self = .derivationAES(encryption: try derived(0), authentication: try derived(1))
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

    func seal(_ payload: [UInt8], header: [UInt8]) -> (ciphertext: [UInt8], authenticator: [UInt8]) {
        switch self {
        case .variant(let encryption, let authentication):
            let ciphertext = encryption.encryptBlocks(payload, iv: Array(header.prefix(8)))
            return (ciphertext, Self.cbcMAC(header + ciphertext, authentication))
        case .derivationTDES(let encryption, let authentication):
            let authenticator = authentication.cmac(header + payload)
            return (encryption.encryptBlocks(payload, iv: authenticator), authenticator)
        case .derivationAES(let encryption, let authentication):
            let authenticator = authentication.cmac(header + payload)
            return (encryption.encryptBlocks(payload, iv: authenticator), authenticator)
        }
    }

    func open(_ ciphertext: [UInt8], authenticator: [UInt8], header: [UInt8]) throws(KeyBlockError) -> [UInt8] {
        var payload: [UInt8]
        let expected: [UInt8]
        switch self {
        case .variant(let encryption, let authentication):
            expected = Self.cbcMAC(header + ciphertext, authentication)
            payload = encryption.decryptBlocks(ciphertext, iv: Array(header.prefix(8)))
        case .derivationTDES(let encryption, let authentication):
            payload = encryption.decryptBlocks(ciphertext, iv: authenticator)
            expected = authentication.cmac(header + payload)
        case .derivationAES(let encryption, let authentication):
            payload = encryption.decryptBlocks(ciphertext, iv: authenticator)
            expected = authentication.cmac(header + payload)
        }
        guard SecretBytes(expected) == SecretBytes(authenticator) else {
            wipe(&payload)
            throw .authentication
        }
        return payload
    }

    /// The first 4 bytes of the last block of TDES in CBC mode; the header of a version A or C block is filled up to whole blocks by its optional blocks.
    private static func cbcMAC(_ data: [UInt8], _ key: TDESKey) -> [UInt8] {
        let padded = data + [UInt8](repeating: 0, count: (8 - data.count % 8) % 8)
        return Array(key.encryptBlocks(padded, iv: [UInt8](repeating: 0, count: 8)).suffix(8).prefix(4))
    }

    private static func variant(_ key: TDESKey, _ constant: UInt8) throws(CipherError) -> TDESKey {
        var bytes = key.bytes.revealed().map { $0 ^ constant }
        return try TDESKey(SecretBytes(wiping: &bytes))
    }

    /// The CMAC of counter (1), usage (2), separator 00, algorithm (2) and length in bits (2), for as many blocks as the key needs (tables 1 to 3).
    private static func derive(
        _ usage: UInt16, algorithm: UInt16, count: Int, blockSize: Int, _ cmac: ([UInt8]) -> [UInt8]
    ) -> SecretBytes {
        // fits: a derived key has at most 32 bytes
        let bits = UInt16(count * 8)
        var derived: [UInt8] = []
        // fits: a derived key has at most 32 bytes
        for counter in 1...UInt8((count + blockSize - 1) / blockSize) {
            derived += cmac([
                counter, UInt8(truncatingIfNeeded: usage >> 8), UInt8(usage & 0xFF), 0, UInt8(truncatingIfNeeded: algorithm >> 8),
                UInt8(algorithm & 0xFF), UInt8(truncatingIfNeeded: bits >> 8),
                UInt8(bits & 0xFF),
            ])
        }
        defer { wipe(&derived) }
        return SecretBytes(derived.prefix(count))
    }
}
