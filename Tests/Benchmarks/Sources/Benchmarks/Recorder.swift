import SmartCard
import Synchronization

/// Keeps the exchanges of one transaction.
final class Recorder: Sendable {
    private let kept = Mutex<[APDUTrace.Exchange]>([])
    var exchanges: [APDUTrace.Exchange] { kept.withLock { $0 } }
    func append(_ exchange: APDUTrace.Exchange) { kept.withLock { $0.append(exchange) } }
}
