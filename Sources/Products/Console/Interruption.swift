private import Synchronization

/// Whether the user has asked a long command to end: it then ends between two of its steps, and
/// leaves no pieces.
package final class Interruption: Sendable {
    private let caught = Mutex<Int32?>(nil)
    /// Signals are reported as long as it is there.
    private let source: TerminalSignals

    /// From here on SIGINT, SIGTERM and SIGHUP only set ``signal``.
    package init() throws(InputError) {
        source = try TerminalSignals()
        Task { [weak self, signals = source.signals] in
            for await case .end(let number) in signals { self?.caught.withLock { $0 = number } }
        }
    }

    /// The number of the signal; nil without one.
    package var signal: Int32? { caught.withLock { $0 } }
}
