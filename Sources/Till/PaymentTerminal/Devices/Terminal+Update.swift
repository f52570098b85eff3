import CardCapture
private import Synchronization

extension Terminal {
    /// Runs `update`, and sends its start, progress and end as events. The update starts with its
    /// first report of progress.
    ///
    /// - Parameter update: Reports percent from 0 to 100; reports after its end are ignored. It
    ///   ends when it reports nothing for ``TimeLimits/update``.
    /// - Throws: ``TerminalError/Code/readerNotConnected`` if `update` fails, or reports nothing;
    ///   ``TerminalError/Code/cancelled`` if it is cancelled.
    package nonisolated func updating(
        _ reader: ReaderInfo,
        _ update: @escaping @Sendable (_ progress: @escaping @Sendable (Int) -> Void) async throws -> Void
    ) async throws(TerminalError) {
        let progress = UpdateProgress { [events] content in
            events.send(TerminalEvent(operation: nil, requestID: nil, content: content))
        }
        let limits = configuration.limits
        let race = Race<TerminalError?>()
        let cancelled = TerminalError(.cancelled, "the update of \(reader.name) was cancelled")
        let work = Task.detached {
            do {
                try await update { progress.report($0, of: reader) }
                race.finish(nil)
            } catch {
                let isCancelled = error is CancellationError
                race.finish(
                    isCancelled
                        ? cancelled : TerminalError(.readerNotConnected, "\(reader.name) was not updated: \(error)"))
            }
        }
        let watch = Task.detached {
            while !Task.isCancelled, case let end = progress.latest + limits.update, end > .now {
                try? await Task.sleep(until: end)
            }
            race.finish(
                TerminalError(
                    .readerNotConnected,
                    "the update of \(reader.name) has stopped: restart the reader, and connect it again"))
        }
        let failure = await withTaskCancellationHandler {
            await race.winner()
        } onCancel: {
            work.cancel()
            Task.detached {
                try? await Task.sleep(for: limits.standDown)
                race.finish(cancelled)
            }
        }
        watch.cancel()
        work.cancel()
        progress.end(of: reader, failure)
        if let failure { throw failure }
    }
}

/// The events of one update, in their order.
private final class UpdateProgress: Sendable {
    private enum State { case due, running, ended }

    private let state = Mutex(State.due)
    private let time = Mutex(ContinuousClock.now)
    private let send: @Sendable (TerminalEvent.Content) -> Void

    init(_ send: @escaping @Sendable (TerminalEvent.Content) -> Void) { self.send = send }

    /// When the update began, or reported last.
    var latest: ContinuousClock.Instant { time.withLock { $0 } }

    func report(_ percent: Int, of reader: ReaderInfo) {
        time.withLock { $0 = .now }
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
