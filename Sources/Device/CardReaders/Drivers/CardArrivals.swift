import CardCapture
import DeviceIO
private import Synchronization

/// A reader that watches its chip slot and its stripe reader in one operation.
protocol WatchingReader: Sendable {
    /// Waits for one of `cards`, without a time limit.
    func watch(for cards: Set<CardArrivals.Card>, _ cancellation: Cancellation) async throws(CaptureError)
        -> CardArrivals.Card
}

/// Waits for cards at a reader that does one thing at a time.
///
/// Two callers may wait at the same time, one for the chip and one for the stripe. The operation
/// starts again when one of them begins or ends its wait. The caller whose card came has the reader
/// until it releases it; the other's wait continues then.
final class CardArrivals: Sendable {
    enum Card: Hashable {
        case chip, stripe
        /// No card: the caller looks at the chip slot, and has the reader as soon as it is free.
        case look
    }

    private struct Wait {
        /// Of the call, so that its cancellation ends no other.
        let number: Int
        let continuation: CheckedContinuation<CaptureError?, Never>
    }

    private struct State {
        var calls = 0
        var waiting: [Card: Wait] = [:]
        /// Cancelled during an operation: they end with it, so that their callers find the reader
        /// free.
        var leaving: [Wait] = []
        /// The card whose caller has the reader.
        var owner: Card?
        /// Of the operation in progress, or the next one.
        var operation: Cancellation?
        var isInterrupted = false
    }

    private let state = Mutex(State())

    /// Waits until `card` has come. The caller then has the reader until ``release(_:at:)``.
    ///
    /// - Throws: ``CaptureError/cancelled`` if the task is cancelled, also while the reader is in
    ///   use.
    func wait(for card: Card, at reader: any WatchingReader) async throws(CaptureError) {
        let number = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard begin(card, Wait(number: number, continuation: continuation), reader) else {
                    return continuation.resume(returning: DeviceClaim.captureRefusal)
                }
                if Task.isCancelled { end(card, number) }
            }
        } onCancel: {
            end(card, number)
        }
        if let error { throw error }
    }

    /// Called by the caller that has the reader.
    func release(_ card: Card, at reader: any WatchingReader) {
        let watches = state.withLock { state in
            guard state.owner == card else { return false }
            state.owner = nil
            return startsWatching(&state)
        }
        if watches { watch(at: reader) }
    }

    /// Ends all waits with ``CaptureError/cancelled``.
    func endAll() {
        end(.chip)
        end(.stripe)
        end(.look)
    }

    /// - Returns: False if another caller waits for the same card.
    private func begin(_ card: Card, _ wait: Wait, _ reader: any WatchingReader) -> Bool {
        let (isAlone, watches) = state.withLock { state in
            guard state.waiting[card] == nil else { return (false, false) }
            state.waiting[card] = wait
            // An activation ends the one before.
            if state.owner == card { state.owner = nil }
            if let operation = state.operation {
                state.isInterrupted = true
                operation.cancel()
            }
            return (true, startsWatching(&state))
        }
        if watches { watch(at: reader) }
        return isAlone
    }

    /// - Parameter number: Of one call; nil for any.
    private func end(_ card: Card, _ number: Int? = nil) {
        let wait: Wait? = state.withLock { state in
            guard let wait = state.waiting[card], number == nil || wait.number == number else { return nil }
            state.waiting[card] = nil
            guard let operation = state.operation else { return wait }
            state.leaving.append(wait)
            state.isInterrupted = true
            operation.cancel()
            return nil
        }
        wait?.continuation.resume(returning: .cancelled)
    }

    private func startsWatching(_ state: inout State) -> Bool {
        guard state.operation == nil, state.owner == nil, !state.waiting.isEmpty else { return false }
        state.operation = Cancellation()
        return true
    }

    private func watch(at reader: any WatchingReader) {
        Task {
            while let (cards, operation) = next() {
                guard !cards.contains(.look) else {
                    came(.look)
                    continue
                }
                do throws(CaptureError) {
                    came(try await reader.watch(for: cards, operation))
                } catch {
                    failed(error)
                }
            }
        }
    }

    /// The cards to watch for; nil if there are none, or a caller has the reader.
    private func next() -> (Set<Card>, Cancellation)? {
        let (next, left) = state.withLock { state in
            let left = state.leaving
            state.leaving = []
            state.isInterrupted = false
            state.operation = nil
            let cards = Set(state.waiting.keys)
            return (startsWatching(&state) ? state.operation.map { (cards, $0) } : nil, left)
        }
        for wait in left { wait.continuation.resume(returning: .cancelled) }
        return next
    }

    private func came(_ card: Card) {
        let wait = state.withLock { state in
            let wait = state.waiting.removeValue(forKey: card)
            if wait != nil { state.owner = card }
            return wait
        }
        wait?.continuation.resume(returning: nil)
    }

    /// An interrupted operation starts again for the callers that still wait.
    private func failed(_ error: CaptureError) {
        let waits: [Wait] = state.withLock { state in
            guard !state.isInterrupted || error != .cancelled else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for wait in waits { wait.continuation.resume(returning: error) }
    }
}
