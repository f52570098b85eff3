internal import Bytes

/// Derived unique key per transaction with triple DES, derived as in the host (ANSI X9.24-1:2009,
/// annex A).
public enum TDESDUKPT {
    /// The purpose of a variant of the transaction key, so that no key has two purposes (table
    ///
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
    public static func initialKey(baseDerivationKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError)
        -> TDESKey
    {
        try checkDoubleLength(baseDerivationKey)
        let device = serialNumber.initial.bytes.span.block(from: 0) as UInt64
        let left = DESCipher.with(baseDerivationKey.bytes) { $0.encrypt(device) }
        let right = DESCipher.with(baseDerivationKey.masked(with: Self.mask).bytes) { $0.encrypt(device) }
        return TDESKey(left, right)
    }

    /// The transaction key of `serialNumber`, derived from the initial key by one non-reversible
    /// step for each set bit of the counter, the highest first (A.3).
    public static func transactionKey(initialKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError) -> TDESKey
    {
        try checkDoubleLength(initialKey)
        var halves = Halves(initialKey)
        let register = Self.register(serialNumber) & ~Self.counterMask
        var reached: UInt64 = 0
        for bit in (0..<KeySerialNumber.counterBits).reversed() where serialNumber.counter & 1 << bit != 0 {
            reached |= 1 << bit
            halves.step(register | reached)
        }
        return TDESKey(halves.left, halves.right)
    }

    /// The transaction key of `serialNumber` from the base derivation key.
    public static func transactionKey(baseDerivationKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError)
        -> TDESKey
    {
        try transactionKey(
            initialKey: initialKey(baseDerivationKey: baseDerivationKey, serialNumber: serialNumber),
            serialNumber: serialNumber)
    }

    /// The key for one `usage` (table A-1); data keys are also enciphered under themselves (A.4.1).
    public static func key(for usage: Usage, transactionKey: TDESKey) throws(CipherError) -> TDESKey {
        try checkDoubleLength(transactionKey)
        let variant = transactionKey.masked(with: 0xFF << (56 - 8 * usage.maskedByte))
        guard usage == .dataRequest || usage == .dataResponse else { return variant }
        let halves = Halves(variant)
        return DESCipher.with(variant.bytes) { TDESKey($0.encrypt(halves.left), $0.encrypt(halves.right)) }
    }

    private static func checkDoubleLength(_ key: TDESKey) throws(CipherError) {
        guard key.bytes.count == 16 else { throw .keyLength(key.bytes.count) }
    }

    /// The mask for each half of a key (A.3, A.6).
    private static let mask: UInt64 = 0xC0C0_C0C0_0000_0000

    /// "Non-reversible Key Generation Process" (A.3): the key of `serialNumber`, derived from that
    /// of the counter without its lowest set bit.
    static func nextKey(_ key: TDESKey, _ serialNumber: KeySerialNumber) -> TDESKey {
        var halves = Halves(key)
        halves.step(register(serialNumber))
        return TDESKey(halves.left, halves.right)
    }

    /// The last 8 bytes of the serial number.
    private static func register(_ serialNumber: KeySerialNumber) -> UInt64 {
        serialNumber.bytes.span.block(from: 2)
    }

    /// The counter's bits in the register.
    private static let counterMask: UInt64 = 1 << KeySerialNumber.counterBits - 1

    /// A double-length key during the derivation, as two numbers, which avoids allocations.
    fileprivate struct Halves {
        private(set) var left: UInt64
        private(set) var right: UInt64

        init(_ key: TDESKey) {
            (left, right) = key.bytes.withBytes { ($0.block(from: 0), $0.block(from: 8)) }
        }

        /// The new right half is the register, combined with the right half by exclusive or,
        /// enciphered by single DES under the left half, and combined again; for the new left half,
        /// both halves are masked first.
        mutating func step(_ register: UInt64) {
            let masked = (left: left ^ mask, right: right ^ mask)
            let newRight = DESCipher.encryptSingle(register ^ right, key: left) ^ right
            left = DESCipher.encryptSingle(register ^ masked.right, key: masked.left) ^ masked.right
            right = newRight
        }
    }
}

extension TDESDUKPT.Usage {
    /// The byte of each half that is inverted (table A-1), from 0.
    fileprivate var maskedByte: Int {
        switch self {
        case .pinEncryption: 7
        case .macRequest: 6
        case .macResponse: 4
        case .dataRequest: 5
        case .dataResponse: 3
        }
    }
}

extension TDESKey {
    /// This double-length key, each half and `mask` by exclusive or.
    fileprivate func masked(with mask: UInt64) -> TDESKey {
        let halves = TDESDUKPT.Halves(self)
        return TDESKey(halves.left ^ mask, halves.right ^ mask)
    }
}

/// The device's side of TDES DUKPT: a PIN pad that was loaded once with its initial key and keeps
/// only future keys (ANSI X9.24-1:2009, A.2 and A.3).
///
/// It has 1,048,575 transaction keys.
public struct TDESDUKPTDevice: Sendable {
    /// The serial number of the last transaction.
    public private(set) var serialNumber: KeySerialNumber
    private var registers: FutureKeyRegisters<TDESKey>

    /// - Parameters:
    ///   - initialKey: double length.
    ///   - serialNumber: the last one that the device used; with counter zero for a new device.
    public init(initialKey: TDESKey, serialNumber: KeySerialNumber) throws(CipherError) {
        guard initialKey.bytes.count == 16 else { throw .keyLength(initialKey.bytes.count) }
        self.serialNumber = serialNumber
        registers = FutureKeyRegisters(
            initialKey: initialKey, counter: serialNumber.counter, bits: KeySerialNumber.counterBits,
            maximumSetBits: KeySerialNumber.maximumSetBits
        ) { TDESDUKPT.nextKey($0, serialNumber.with(counter: $1)) }
    }

    /// Increments the counter and returns the key of the next transaction; nil if there are none
    /// left.
    public mutating func nextTransactionKey() -> TDESKey? {
        guard let next = serialNumber.next,
            let key = registers.take(next.counter, derive: { TDESDUKPT.nextKey($0, next.with(counter: $1)) })
        else { return nil }
        serialNumber = next
        return key
    }
}
