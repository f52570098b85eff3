import CardCapture
private import Synchronization

/// Sends the events of a terminal to all listeners, each with its own mailbox, so that a slow
/// listener does not delay the others.
final class EventFeed: Sendable {
    private struct Subscriber {
        weak var mailbox: EventMailbox?
    }

    private let subscribers = Mutex<[Subscriber]>([])

    deinit { finish() }

    /// The events of these kinds from now on.
    func mailbox(_ kinds: Set<TerminalEvent.Kind>) -> EventMailbox {
        let mailbox = EventMailbox(kinds)
        subscribers.withLock { subscribers in
            subscribers.removeAll { $0.mailbox == nil }
            subscribers.append(Subscriber(mailbox: mailbox))
        }
        return mailbox
    }

    func send(_ event: TerminalEvent) {
        let mailboxes = subscribers.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes { mailbox.put(event) }
    }

    /// Ends every stream after its remaining events were read.
    func finish() {
        let mailboxes = subscribers.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes { mailbox.finish() }
    }
}

/// The events that wait for one listener.
///
/// Results, errors and questions are never dropped. Of consecutive progress events of the same sort
/// only the latest is kept, and at most ``capacity`` progress events in all.
final class EventMailbox: Sendable {
    static let capacity = 1024

    private struct State {
        /// The oldest first; those before `next` are taken.
        var events: [TerminalEvent] = []
        var next = 0
        var progress = 0
        var receiver: CheckedContinuation<TerminalEvent?, Never>?
        var isFinished = false

        mutating func take() -> TerminalEvent? {
            guard next < events.count else { return nil }
            let event = events[next]
            next += 1
            if event.kind.canBeMerged { progress -= 1 }
            if next == events.count || next >= 256 {
                events.removeFirst(next)
                next = 0
            }
            return event
        }

        mutating func add(_ event: TerminalEvent) {
            guard event.kind.canBeMerged else { return events.append(event) }
            if next < events.count, let last = events.last, event.replaces(last) {
                events[events.count - 1] = event
                return
            }
            if progress == EventMailbox.capacity, let oldest = events[next...].firstIndex(where: \.kind.canBeMerged) {
                events.remove(at: oldest)
                progress -= 1
            }
            events.append(event)
            progress += 1
        }
    }

    private let kinds: Set<TerminalEvent.Kind>
    private let state = Mutex(State())

    init(_ kinds: Set<TerminalEvent.Kind>) { self.kinds = kinds }

    func put(_ event: TerminalEvent) {
        guard kinds.contains(event.kind) else { return }
        let receiver: CheckedContinuation<TerminalEvent?, Never>? = state.withLock { state in
            guard !state.isFinished else { return nil }
            guard let receiver = state.receiver else {
                state.add(event)
                return nil
            }
            state.receiver = nil
            return receiver
        }
        receiver?.resume(returning: event)
    }

    /// Waits for the next event; nil after the last, and when the task is cancelled. Only one task
    /// at a time may call it.
    func next() async -> TerminalEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let event: TerminalEvent?? = state.withLock { state in
                    if let event = state.take() { return event }
                    guard !state.isFinished else { return .some(nil) }
                    state.receiver = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } onCancel: {
            finish()
        }
    }

    func finish() {
        let receiver = state.withLock { state in
            defer { state.receiver = nil }
            state.isFinished = true
            return state.receiver
        }
        receiver?.resume(returning: nil)
    }
}

extension TerminalEvent {
    /// The kind of an event, for listeners that want only some events.
    public enum Kind: Sendable, CaseIterable {
        /// Progress: ``Content/progress(_:)``, and events of the reader.
        case progress
        /// A reader is being connected or updated, was connected, lost or disconnected.
        case device
        /// A question to be answered: signature, verification of a signature, choice of a reader or
        /// an application, call to the issuer.
        case question
        /// The result of an operation, or a changed outcome of an earlier one.
        case result
        /// An operation failed, or a reader was refused.
        case error

        var canBeMerged: Bool { self == .progress }
    }

    /// The kind of the event; only progress may be dropped.
    public var kind: Kind {
        switch content {
        case .progress, .reader: .progress
        case .readerConnecting, .readerConnected, .readerDisconnected, .updateStarted, .updateFinished: .device
        case .readerRequired, .applicationRequired, .signatureRequired, .signatureToVerify, .referralRequired: .question
        case .payment, .secureCard, .transactions, .settings, .cleared: .result
        case .failed, .connectionFailed: .error
        }
    }

    /// Whether this event makes `earlier` obsolete.
    fileprivate func replaces(_ earlier: TerminalEvent) -> Bool {
        guard context == earlier.context else { return false }
        switch (content, earlier.content) {
        case (.progress, .progress): return true
        case (.reader(let event), .reader(let before)):
            switch (event, before) {
            case (.battery, .battery), (.pinProgress, .pinProgress): return true
            case (.progress(let now, _), .progress(let before, _)): return now == before
            default: return false
            }
        default: return false
        }
    }
}
