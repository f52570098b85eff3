import CardCapture

extension Terminal {
    /// What the terminal tells from now on, in order. Of what is not taken the last 1,024 events are kept; the results of operations come from their
    /// calls too, and payments are in the journal.
    public nonisolated func eventStream() -> AsyncStream<TerminalEvent> { events.stream() }

    /// Has `listener` called for every event from now on, in order and one at a time, on no thread of a device.
    public func add(_ listener: any TerminalListener) {
        let stream = events.stream()
        listeners[ObjectIdentifier(listener)]?.cancel()
        listeners[ObjectIdentifier(listener)] = Task.detached {
            for await event in stream { await listener.receive(event) }
        }
    }

    public func remove(_ listener: any TerminalListener) {
        listeners.removeValue(forKey: ObjectIdentifier(listener))?.cancel()
    }

    /// Marks `content` with the operation that runs and sends it.
    func announce(_ content: TerminalEvent.Content) {
        events.send(TerminalEvent(operation: running?.operation, requestID: running?.requestID, content: content))
    }

    /// Sends what concerns an earlier operation.
    func announce(_ content: TerminalEvent.Content, of entry: JournalEntry) {
        events.send(TerminalEvent(operation: entry.operation, requestID: entry.orderID.text, content: content))
    }
}
