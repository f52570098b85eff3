public import Bytes

/// Derived unique key per transaction with AES, as the host derives it (ANSI X9.24-3:2017, 6.2 and 6.3).
public enum AESDUKPT {
    /// What a working key is for; one is good for nothing else (table 2).
    public enum Usage: UInt16, Sendable, CaseIterable {
        case keyEncryption = 0x0002
        case pinEncryption = 0x1000
        case macGeneration = 0x2000
        case macVerification = 0x2001
        case macBothWays = 0x2002
        case dataEncryption = 0x3000
        case dataDecryption = 0x3001
        case dataBothWays = 0x3002
        case keyDerivation = 0x8000
    }

    /// The algorithm that a derived key is for (table 3).
    public enum KeyType: Sendable, CaseIterable {
        case twoKeyTDEA, threeKeyTDEA
        case aes128, aes192, aes256
        /// HMAC with keys of 128, 192 and 256 bits: one algorithm, which the length tells apart.
        case hmac128, hmac192, hmac256

        /// The length of the key in bytes.
        public var keyCount: Int {
            switch self {
            case .twoKeyTDEA, .aes128, .hmac128: 16
            case .threeKeyTDEA, .aes192, .hmac192: 24
            case .aes256, .hmac256: 32
            }
        }

        /// In the derivation data (table 3).
        fileprivate var algorithm: UInt16 {
            switch self {
            case .twoKeyTDEA: 0
            case .threeKeyTDEA: 1
            case .aes128: 2
            case .aes192: 3
            case .aes256: 4
            case .hmac128, .hmac192, .hmac256: 5
            }
        }

        fileprivate init(_ key: AESKey) {
            self = key.bytes.count == 16 ? .aes128 : key.bytes.count == 24 ? .aes192 : .aes256
        }
    }

    /// "Derivation Key: Initial Key" (table 2), the only usage whose derivation takes the whole initial key ID and no counter.
    private static let initialKeyUsage: UInt16 = 0x8001

    /// The initial key of the device of `serialNumber`, of the base derivation key's length.
    public static func initialKey(baseDerivationKey: AESKey, serialNumber: AESKeySerialNumber) throws(CipherError) -> AESKey {
        try AESKey(
            derive(from: baseDerivationKey, usage: initialKeyUsage, type: KeyType(baseDerivationKey), context: serialNumber.initialKeyID))
    }

    /// The intermediate derivation key of `serialNumber`: one derivation for each set bit of the counter, the highest first.
    public static func derivationKey(initialKey: AESKey, serialNumber: AESKeySerialNumber) throws(CipherError) -> AESKey {
        guard serialNumber.counter != 0 else { return initialKey }
        let type = KeyType(initialKey)
        var data = derivationData(Usage.keyDerivation.rawValue, type, context(serialNumber, counter: 0))
        // Two keys of at most 32 bytes: the one that enciphers and the one that is made.
        var keys = [UInt8](repeating: 0, count: 64)
        defer { wipe(&keys) }
        let count = type.keyCount
        initialKey.bytes.withBytes { bytes in for index in bytes.indices { keys[index] = bytes[index] } }
        unsafe initialKey.ecb.chained { encrypt in
            unsafe keys.withUnsafeMutableBufferPointer { keys in
                guard let key = keys.baseAddress else { return }
                var reached: UInt32 = 0
                for bit in (0..<32).reversed() where serialNumber.counter & 1 << bit != 0 {
                    reached |= 1 << bit
                    for index in 0..<4 { data[12 + index] = UInt8(truncatingIfNeeded: reached >> (24 - 8 * index)) }
                    // fits: a key has one or two blocks
                    for block in 0..<UInt8((count + 15) / 16) {
                        data[1] = block + 1
                        unsafe encrypt(key, data, key + 32 + 16 * Int(block))
                    }
                    unsafe key.update(from: key + 32, count: count)
                }
            }
        }
        return try AESKey(SecretBytes(keys.prefix(count)))
    }

    /// The intermediate derivation key of `counter` out of that of the counter without its lowest set bit.
    static func nextDerivationKey(_ key: AESKey, _ serialNumber: AESKeySerialNumber, counter: UInt32) throws(CipherError) -> AESKey {
        try AESKey(
            derive(
                from: key, usage: Usage.keyDerivation.rawValue, type: KeyType(key), context: context(serialNumber, counter: counter)))
    }

    /// The working key of `serialNumber` for `usage`, as bytes of a key of `type`.
    ///
    /// - Parameter type: No stronger than the base derivation key (6.3.1).
    public static func workingKey(
        _ usage: Usage, type: KeyType, initialKey: AESKey, serialNumber: AESKeySerialNumber
    ) throws(CipherError) -> SecretBytes {
        try workingKey(
            usage, type: type, derivationKey: derivationKey(initialKey: initialKey, serialNumber: serialNumber), serialNumber: serialNumber)
    }

    static func workingKey(
        _ usage: Usage, type: KeyType, derivationKey: AESKey, serialNumber: AESKeySerialNumber
    ) throws(CipherError) -> SecretBytes {
        try derive(
            from: derivationKey, usage: usage.rawValue, type: type, context: context(serialNumber, counter: serialNumber.counter))
    }

    /// Derivation ID and counter: what makes a derivation that of one device and transaction.
    private static func context(_ serialNumber: AESKeySerialNumber, counter: UInt32) -> [UInt8] {
        serialNumber.derivationID + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
    }

    /// Table 1: version 01, block counter, usage (2), algorithm (2), length in bits (2), context (8).
    private static func derivationData(_ usage: UInt16, _ type: KeyType, _ context: [UInt8]) -> [UInt8] {
        // fits: a key type has 16 to 32 bytes
        let bits = UInt16(type.keyCount * 8)
        return [0x01, 0x01] + [usage, type.algorithm, bits].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8($0 & 0xFF)] } + context
    }

    /// "Derive Key" (6.3.3): the derivation data enciphered in as many blocks as the key needs, cut to its length.
    private static func derive(
        from key: AESKey, usage: UInt16, type: KeyType, context: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        var data = derivationData(usage, type, context)
        var derived: [UInt8] = []
        // fits: a key type has 16 to 32 bytes
        for block in 1...UInt8((type.keyCount + 15) / 16) {
            data[1] = block
            derived += key.encryptBlocks(data)
        }
        defer { wipe(&derived) }
        return SecretBytes(derived.prefix(type.keyCount))
    }
}
