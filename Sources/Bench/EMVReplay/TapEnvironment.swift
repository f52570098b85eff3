import CardCryptography
import EMVKernel
private import Synchronization
import TLV

/// Chance and memory as the log's taps had them: those of the tap that is replayed.
final class TapEnvironment: EMVEnvironment {
    private let taps: [LoggedEnvironment]
    private let agreements: [KernelKeyAgreement?]
    private let place = Mutex(0)

    init(_ taps: [LoggedEnvironment], _ agreements: [KernelKeyAgreement?]) {
        self.taps = taps
        self.agreements = agreements
    }

    func begin(_ tap: Int) { place.withLock { $0 = tap } }

    private var current: LoggedEnvironment { taps[place.withLock { $0 }] }

    /// The key of the log's terminal for kernel 8; nil if the log has none.
    var agreement: KernelKeyAgreement? { agreements[place.withLock { $0 }] }

    func unpredictableNumber() -> [UInt8] { current.unpredictableNumber() }
    func values(for use: CardListUse) -> DataElements { current.values(for: use) }
    func randomPercentage() -> Int { current.randomPercentage() }
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool {
        current.isOnExceptionFile(pan: pan, sequenceNumber: sequenceNumber)
    }
}
