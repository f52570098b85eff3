import CardCapture
private import Synchronization

extension Terminal {
    /// Runs `update`, and sends its start, progress and end as events. The update starts with its
    /// first report of progress.
    ///
    /// - Parameter update: Reports percent from 0 to 100; reports after its end are ignored.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if `update` fails;
    ///   ``TerminalError/Code/cancelled`` if it is cancelled.
    package nonisolated func updating(
        _ reader: ReaderInfo, _ update: @Sendable (_ progress: @escaping @Sendable (Int) -> Void) async throws -> Void
    ) async throws(TerminalError) {
        let progress = UpdateProgress { [events] content in
            events.send(TerminalEvent(operation: nil, requestID: nil, content: content))
        }
        do {
            try await update { progress.report($0, of: reader) }
        } catch {
            let failure =
                error is CancellationError
                ? TerminalError(.cancelled, "the update of \(reader.name) was cancelled")
                : TerminalError(.readerNotConnected, "\(reader.name) was not updated: \(error)")
            progress.end(of: reader, failure)
            throw failure
        }
        progress.end(of: reader, nil)
    }
}

/// The events of one update, in their order.
private final class UpdateProgress: Sendable {
    private enum State { case due, running, ended }

    private let state = Mutex(State.due)
    private let send: @Sendable (TerminalEvent.Content) -> Void

    init(_ send: @escaping @Sendable (TerminalEvent.Content) -> Void) { self.send = send }

    func report(_ percent: Int, of reader: ReaderInfo) {
        state.withLock { state in
            guard state != .ended else { return }
            if state == .due { send(.updateStarted(reader)) }
            state = .running
            send(.reader(.progress(.configuration, Double(min(max(percent, 0), 100)) / 100)))
        }
    }

    func end(of reader: ReaderInfo, _ failure: TerminalError?) {
        state.withLock { state in
            if state == .running { send(.updateFinished(reader, failure: failure)) }
            state = .ended
        }
    }
}
