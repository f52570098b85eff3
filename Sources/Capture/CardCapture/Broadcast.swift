private import Bytes
private import Synchronization

/// Delivers each event to every listener, in order. A slow listener does not delay the sender: only
/// the newest of its undelivered events are kept.
public final class Broadcast<Event: Sendable>: Sendable {
    private struct Listener {
        let number: Int
        /// - Returns: False if the listener is gone.
        let receive: @Sendable (Event) -> Bool
        let finish: @Sendable () -> Void
    }

    private struct Listeners {
        var next = 0
        /// In the order of subscription, so that every event reaches them in the same order.
        var all: [Listener] = []
    }

    private let kept: Int
    private let listeners = Mutex(Listeners())

    /// - Parameter kept: the maximum number of undelivered events for each listener.
    public init(keeping kept: Int = 64) { self.kept = kept }

    deinit { finish() }

    /// The events from now on. The stream ends with the sender.
    public func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(kept))
        let number = listen {
            continuation.yield($0)
            return true
        } finish: {
            continuation.finish()
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// The events from now on, for a receiver that puts them in order with what it does itself: an
    /// event is in the inbox when ``send(_:)`` returns.
    package func inbox() -> EventInbox<Event> {
        let inbox = EventInbox<Event>(keeping: kept)
        listen { [weak inbox] in
            inbox?.put($0) != nil
        } finish: { [weak inbox] in
            inbox?.finish()
        }
        return inbox
    }

    /// Sends the events from now on by `target` too, before ``send(_:)`` returns, until `target` is
    /// released.
    ///
    /// - Parameter change: What `target` sends in the place of an event; nil for nothing.
    func forward(to target: Broadcast, _ change: @escaping @Sendable (Event) -> Event?) {
        listen { [weak target] event in
            guard let target else { return false }
            if let event = change(event) { target.send(event) }
            return true
        } finish: {
        }
    }

    /// Passes the event to every listener at once and does not wait for them. Texts of devices and
    /// cards in it are passed on one line each.
    public func send(_ event: Event) {
        let event = (event as? any EventWithTexts)?.withTextsOnOneLine as? Event ?? event
        for listener in listeners.withLock(\.all) where !listener.receive(event) { remove(listener.number) }
    }

    /// Ends every stream.
    public func finish() {
        let ended = listeners.withLock { listeners in
            defer { listeners.all = [] }
            return listeners.all
        }
        for listener in ended { listener.finish() }
    }

    @discardableResult private func listen(
        _ receive: @escaping @Sendable (Event) -> Bool, finish: @escaping @Sendable () -> Void
    ) -> Int {
        listeners.withLock { listeners in
            listeners.next += 1
            listeners.all.append(Listener(number: listeners.next, receive: receive, finish: finish))
            return listeners.next
        }
    }

    private func remove(_ number: Int) { listeners.withLock { $0.all.removeAll { $0.number == number } } }
}

/// The events that a receiver has not taken yet, the newest of them if there are too many.
package final class EventInbox<Event: Sendable>: Sendable {
    /// An element when events have come. It ends with the sender.
    package let arrivals: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let kept: Int
    private let events = Mutex<[Event]>([])

    fileprivate init(keeping kept: Int) {
        self.kept = kept
        (arrivals, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes the oldest event out; nil if there is none.
    package func next() -> Event? { events.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    fileprivate func put(_ event: Event) {
        events.withLock { events in
            if events.count == kept { events.removeFirst() }
            events.append(event)
        }
        arrived.yield()
    }

    fileprivate func finish() { arrived.finish() }
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
