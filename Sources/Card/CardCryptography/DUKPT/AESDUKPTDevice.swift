public import Bytes

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
            initialKey: initialKey, counter: serialNumber.counter, bits: 32, maximumSetBits: AESKeySerialNumber.maximumSetBits
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
