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
        var halves = Halves(initialKey)
        let register = Self.register(serialNumber) & ~Self.counterMask
        var reached: UInt64 = 0
        for bit in (0..<KeySerialNumber.counterBits).reversed() where serialNumber.counter & 1 << bit != 0 {
            reached |= 1 << bit
            halves.step(register | reached)
        }
        return halves.key()
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
        var halves = Halves(key)
        halves.step(register(serialNumber))
        return halves.key()
    }

    /// The last 8 bytes of the serial number.
    private static func register(_ serialNumber: KeySerialNumber) -> UInt64 {
        serialNumber.bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The counter's bits in the register.
    private static let counterMask: UInt64 = 1 << KeySerialNumber.counterBits - 1

    /// A double-length key on its way through the counter's bits, as two numbers: no memory is asked for on the way.
    private struct Halves {
        private var left: UInt64
        private var right: UInt64

        /// C0C0C0C0 00000000.
        private static let mask: UInt64 = 0xC0C0_C0C0_0000_0000

        init(_ key: TDESKey) {
            (left, right) = key.bytes.withBytes { bytes in
                ((0..<8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }, (8..<16).reduce(0) { $0 << 8 | UInt64(bytes[$1]) })
            }
        }

        /// The register, masked with the right half, enciphered by single DES under the left half, masked again; for the new left half with both halves masked.
        mutating func step(_ register: UInt64) {
            var newRight = register ^ right
            DESCipher.encryptSingle(&newRight, key: left)
            var newLeft = register ^ right ^ Self.mask
            DESCipher.encryptSingle(&newLeft, key: left ^ Self.mask)
            (left, right) = (newLeft ^ right ^ Self.mask, newRight ^ right)
        }

        /// The key, which this is then no more.
        mutating func key() -> TDESKey {
            var bytes = [left, right].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
            (left, right) = (0, 0)
            return TDESKey(doubleLength: &bytes)
        }
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
