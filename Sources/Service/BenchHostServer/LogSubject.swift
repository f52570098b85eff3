import Logging
import PaymentTerminal
import Synchronization

/// What a request is about, for the log. Its parts are added as they are found, each once it is
/// known to be well-formed.
final class LogSubject: Sendable {
    private let found = Mutex<Logger.Metadata>([:])

    var metadata: Logger.Metadata { found.withLock { $0 } }

    /// - Parameter terminalID: Of a terminal of the host.
    func add(terminalID: String) { found.withLock { $0["terminal"] = "\(terminalID)" } }

    func add(_ orderID: OrderID) { found.withLock { $0["order"] = "\(orderID.text)" } }
}
