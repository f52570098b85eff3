internal import Bytes

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
