public import Bytes

/// Derived unique key per transaction with AES, derived as in the host (ANSI X9.24-3:2017, 6.2 and
/// 6.3).
public enum AESDUKPT {
    /// The purpose of a working key, which must not be used for anything else (table 2).
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
        /// HMAC with keys of 128, 192 and 256 bits: one algorithm; the length distinguishes them.
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

    /// "Derivation Key: Initial Key" (table 2), the only usage whose derivation uses the whole
    /// initial key ID and no counter.
    private static let initialKeyUsage: UInt16 = 0x8001

    /// The initial key of the device of `serialNumber`, with the length of the base derivation key.
    public static func initialKey(baseDerivationKey: AESKey, serialNumber: AESKeySerialNumber) throws(CipherError)
        -> AESKey
    {
        derive(
            baseDerivationKey.keyed(.encrypt), usage: initialKeyUsage, type: KeyType(baseDerivationKey),
            context: serialNumber.initialKeyID.span.block(from: 0)
        ).key
    }

    /// The intermediate derivation key of `serialNumber`: one derivation for each set bit of the
    /// counter, the highest first.
    public static func derivationKey(initialKey: AESKey, serialNumber: AESKeySerialNumber) throws(CipherError) -> AESKey
    {
        let cipher = initialKey.keyed(.encrypt)
        guard let key = advance(cipher, KeyType(initialKey), serialNumber) else { return initialKey }
        return key.key
    }

    /// Replaces the initial key by the intermediate derivation key of `serialNumber`; nil if it is
    /// the initial key.
    private static func advance(_ cipher: borrowing KeyedCipher, _ type: KeyType, _ serialNumber: AESKeySerialNumber)
        -> DerivedKey?
    {
        var key: DerivedKey?
        var reached: UInt32 = 0
        for bit in (0..<32).reversed() where serialNumber.counter & 1 << bit != 0 {
            reached |= 1 << bit
            let next = derive(
                cipher, usage: Usage.keyDerivation.rawValue, type: type,
                context: context(serialNumber, counter: reached))
            cipher.rekey(next.left, next.right)
            key = next
        }
        return key
    }

    /// The intermediate derivation key of `counter`, derived from that of the counter without its
    /// lowest set bit.
    static func nextDerivationKey(_ key: AESKey, _ serialNumber: AESKeySerialNumber, counter: UInt32)
        throws(CipherError) -> AESKey
    {
        derive(
            key.keyed(.encrypt), usage: Usage.keyDerivation.rawValue, type: KeyType(key),
            context: context(serialNumber, counter: counter)
        ).key
    }

    /// The working key of `serialNumber` for `usage`, as bytes of a key of `type`.
    ///
    /// - Parameter type: No stronger than the base derivation key (6.3.1).
    public static func workingKey(
        _ usage: Usage, type: KeyType, initialKey: AESKey, serialNumber: AESKeySerialNumber
    ) throws(CipherError) -> SecretBytes {
        let cipher = initialKey.keyed(.encrypt)
        _ = advance(cipher, KeyType(initialKey), serialNumber)
        return derive(
            cipher, usage: usage.rawValue, type: type, context: context(serialNumber, counter: serialNumber.counter)
        ).bytes
    }

    static func workingKey(
        _ usage: Usage, type: KeyType, derivationKey: AESKey, serialNumber: AESKeySerialNumber
    ) throws(CipherError) -> SecretBytes {
        derive(
            derivationKey.keyed(.encrypt), usage: usage.rawValue, type: type,
            context: context(serialNumber, counter: serialNumber.counter)
        ).bytes
    }

    /// Derivation ID and counter, which identify device and transaction.
    private static func context(_ serialNumber: AESKeySerialNumber, counter: UInt32) -> UInt64 {
        serialNumber.initialKeyID.span.block(from: 0) << 32 | UInt64(counter)
    }

    /// "Derive Key" (6.3.3): the derivation data, encrypted in as many blocks as the key needs,
    /// truncated to its length.
    ///
    /// The data (table 1): version 01, block counter, usage (2), algorithm (2), length in bits (2),
    /// context (8).
    private static func derive(_ cipher: borrowing KeyedCipher, usage: UInt16, type: KeyType, context: UInt64)
        -> DerivedKey
    {
        let head =
            0x0101 << 48 | UInt64(usage) << 32 | UInt64(type.algorithm) << 16 | UInt64(clamping: type.keyCount) * 8
        let first = UInt128(head) << 64 | UInt128(context)
        guard type.keyCount > 16 else { return DerivedKey(left: cipher(first), right: 0, count: type.keyCount) }
        return DerivedKey(left: cipher(first), right: cipher(first + 1 << 112), count: type.keyCount)
    }

    /// A key during the derivation, as two blocks, which avoids allocations.
    private struct DerivedKey {
        let left: UInt128
        let right: UInt128
        /// In bytes.
        let count: Int

        var bytes: SecretBytes { SecretBytes(left, right, count: count) }
        /// The key, for the AES types.
        var key: AESKey { AESKey(left, right, count: count) }
    }
}

/// The device's side of AES DUKPT: it was loaded once with its initial key and keeps only
/// intermediate derivation keys (ANSI X9.24-3:2017, 6.3.2).
///
/// It has keys for 2,448,023,842 transactions.
public struct AESDUKPTDevice: Sendable {
    /// The serial number of the last transaction.
    public private(set) var serialNumber: AESKeySerialNumber
    private var registers: FutureKeyRegisters<AESKey>

    /// - Parameter serialNumber: the last one that the device used; with counter zero for a new
    ///   device.
    public init(initialKey: AESKey, serialNumber: AESKeySerialNumber) throws(CipherError) {
        self.serialNumber = serialNumber
        registers = try FutureKeyRegisters(
            initialKey: initialKey, counter: serialNumber.counter, bits: 32,
            maximumSetBits: AESKeySerialNumber.maximumSetBits
        ) { key, counter throws(CipherError) in
            try AESDUKPT.nextDerivationKey(key, serialNumber, counter: counter)
        }
    }

    /// Increments the counter and returns the keys of the next transaction; nil if there are none
    /// left.
    public mutating func nextTransaction() throws(CipherError) -> Transaction? {
        guard let next = serialNumber.next else { return nil }
        let key = try registers.take(next.counter) { key, counter throws(CipherError) in
            try AESDUKPT.nextDerivationKey(key, next, counter: counter)
        }
        guard let key else { return nil }
        serialNumber = next
        return Transaction(serialNumber: next, derivationKey: key)
    }

    /// Derives the working keys of one transaction.
    public struct Transaction: Sendable {
        public let serialNumber: AESKeySerialNumber
        fileprivate let derivationKey: AESKey

        /// - Parameter type: No stronger than the initial key (6.3.1).
        public func workingKey(_ usage: AESDUKPT.Usage, type: AESDUKPT.KeyType) throws(CipherError) -> SecretBytes {
            try AESDUKPT.workingKey(usage, type: type, derivationKey: derivationKey, serialNumber: serialNumber)
        }
    }
}
