private import Bytes
private import Synchronization

/// Delivers each event to every listener, in order. A slow listener does not delay the sender: only
/// the newest of its undelivered events are kept.
public final class Broadcast<Event: Sendable>: Sendable {
    private struct Listeners {
        var next = 0
        /// In the order of subscription, so that every event reaches them in the same order.
        var continuations: [(number: Int, continuation: AsyncStream<Event>.Continuation)] = []
    }

    private let kept: Int
    private let listeners = Mutex(Listeners())

    /// - Parameter kept: the maximum number of undelivered events for each listener.
    public init(keeping kept: Int = 64) { self.kept = kept }

    deinit { finish() }

    /// The events from now on. The stream ends with the sender.
    public func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(kept))
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.continuations.append((listeners.next, continuation))
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.continuations.removeAll { $0.number == number } }
        }
        return stream
    }

    /// Passes the event to every stream at once and does not wait for listeners. Texts of devices
    /// and cards in it are passed on one line each.
    public func send(_ event: Event) {
        let event = (event as? any EventWithTexts)?.withTextsOnOneLine as? Event ?? event
        let continuations = listeners.withLock { $0.continuations }
        for (_, continuation) in continuations { continuation.yield(event) }
    }

    /// Ends every stream.
    public func finish() {
        let continuations = listeners.withLock { listeners in
            defer { listeners.continuations = [] }
            return listeners.continuations
        }
        for (_, continuation) in continuations { continuation.finish() }
    }
}

/// An event with texts of strangers in it.
protocol EventWithTexts {
    /// The event, with each text as ``Swift/StringProtocol/onOneLine(atMost:)`` has it.
    var withTextsOnOneLine: Self { get }
}

extension ReaderEvent: EventWithTexts {
    var withTextsOnOneLine: ReaderEvent {
        switch self {
        case .prompt(let lines, let step): .prompt(lines.map { $0.onOneLine() }, says: step)
        case .selectionRequired(let names): .selectionRequired(names.map { $0.onOneLine() })
        default: self
        }
    }
}

/// The events of a reader or slot, delivered to all listeners.
public typealias ReaderEvents = Broadcast<ReaderEvent>
