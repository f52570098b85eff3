internal import Bytes

/// Derived unique key per transaction with triple DES, as the host derives it (ANSI X9.24-1:2009, annex A).
public enum TDESDUKPT {
    /// What a transaction key is varied for, so that no key serves two purposes (table A-1).
    public enum Usage: Sendable, CaseIterable {
        case pinEncryption
        /// MAC of the request, or both ways.
        case macRequest
        /// MAC of the response.
        case macResponse
        /// Data of the request, or both ways.
        case dataRequest
        /// Data of the response.
        case dataResponse
    }

    /// The initial key of the device of `serialNumber` (A.6, "Derivation of the initial key").
    ///
    /// - Parameter baseDerivationKey: 16 bytes.
    public static func initialKey(baseDerivationKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError) -> TDESKey {
        try checkDoubleLength(baseDerivationKey)
        let device = Array(serialNumber.initial.bytes.prefix(8))
        var key = baseDerivationKey.encryptBlocks(device) + baseDerivationKey.masked(with: keyMask).encryptBlocks(device)
        return TDESKey(doubleLength: &key)
    }

    /// The transaction key of `serialNumber`, made from the initial key through one non-reversible step for each bit of the
    /// counter, the highest first (A.3).
    public static func transactionKey(initialKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError) -> TDESKey {
        try checkDoubleLength(initialKey)
        var key = initialKey
        var reached: UInt32 = 0
        for bit in (0..<KeySerialNumber.counterBits).reversed() where serialNumber.counter & 1 << bit != 0 {
            reached |= 1 << bit
            key = nextKey(key, serialNumber.with(counter: reached))
        }
        return key
    }

    /// The transaction key of `serialNumber` from the base derivation key.
    public static func transactionKey(baseDerivationKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError) -> TDESKey {
        try transactionKey(
            initialKey: initialKey(baseDerivationKey: baseDerivationKey, serialNumber: serialNumber), serialNumber: serialNumber)
    }

    /// The key for one `usage` (table A-1); data keys go through the cipher once more under themselves (A.4.1).
    public static func key(for usage: Usage, transactionKey: TDESKey) throws(CipherError) -> TDESKey {
        try checkDoubleLength(transactionKey)
        let variant = transactionKey.masked(with: usage.mask)
        guard usage == .dataRequest || usage == .dataResponse else { return variant }
        var key = variant.bytes.withBytes { bytes in variant.encryptBlocks(bytes.indices.map { bytes[$0] }) }
        return TDESKey(doubleLength: &key)
    }

    private static func checkDoubleLength(_ key: TDESKey) throws(CipherError) {
        guard key.bytes.count == 16 else { throw .keyLength(key.bytes.count) }
    }

    /// C0C0C0C0 00000000 twice: gives the right half of a key (A.3, A.6).
    private static let keyMask: [UInt8] = [0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0, 0xC0, 0xC0, 0xC0, 0xC0, 0, 0, 0, 0]

    /// "Non-reversible Key Generation Process" (A.3): the key of `serialNumber` out of that of the counter without its lowest set bit.
    static func nextKey(_ key: TDESKey, _ serialNumber: KeySerialNumber) -> TDESKey {
        let register = Array(serialNumber.bytes.suffix(8))
        var next = half(of: key.masked(with: keyMask), register: register) + half(of: key, register: register)
        return TDESKey(doubleLength: &next)
    }

    /// The register, masked with the right half of `key`, enciphered by single DES under the left half, masked again.
    private static func half(of key: TDESKey, register: [UInt8]) -> [UInt8] {
        let right = key.bytes.withBytes { bytes in (8..<16).map { bytes[$0] } }
        return zip(key.firstPart.encryptBlocks(zip(register, right).map { $0 ^ $1 }), right).map { $0 ^ $1 }
    }
}

extension TDESDUKPT.Usage {
    fileprivate var mask: [UInt8] {
        let position =
            switch self {
            case .pinEncryption: 7
            case .macRequest: 6
            case .macResponse: 4
            case .dataRequest: 5
            case .dataResponse: 3
            }
        return (0..<16).map { $0 % 8 == position ? 0xFF : 0x00 }
    }
}

extension TDESKey {
    /// This double-length key and `mask` (16 bytes) by exclusive or.
    fileprivate func masked(with mask: [UInt8]) -> TDESKey {
        var masked = bytes.withBytes { bytes in mask.indices.map { bytes[$0] ^ mask[$0] } }
        return TDESKey(doubleLength: &masked)
    }
}
