import CardCapture

extension Terminal {
    /// The events from now on, in order; the stream ends with the terminal.
    ///
    /// A slow consumer of the stream delays no operation. Results, errors and questions are never
    /// dropped. Progress may be dropped: of consecutive progress events of the same sort only the
    /// latest is kept, and at most the last 1,024 progress events.
    ///
    /// - Parameter kinds: The kinds of events to receive; all by default.
    public nonisolated func eventStream(of kinds: Set<TerminalEvent.Kind> = Set(TerminalEvent.Kind.allCases))
        -> AsyncStream<TerminalEvent>
    {
        let mailbox = events.mailbox(kinds)
        return AsyncStream {
            await mailbox.next()
        } onCancel: {
            mailbox.finish()
        }
    }

    /// Calls `listener` for the events from now on, in order and one at a time, never on the thread
    /// of a device; otherwise like ``eventStream(of:)``. If the listener was added before, the new
    /// kinds replace the earlier ones.
    public func add(
        _ listener: any TerminalListener, for kinds: Set<TerminalEvent.Kind> = Set(TerminalEvent.Kind.allCases)
    ) {
        let mailbox = events.mailbox(kinds)
        listeners[ObjectIdentifier(listener)]?.cancel()
        listeners[ObjectIdentifier(listener)] = Task.detached {
            while let event = await mailbox.next(), !Task.isCancelled { await listener.receive(event) }
        }
    }

    /// Stops sending events to `listener`. A call in progress is completed. An unknown listener is
    /// ignored.
    public func remove(_ listener: any TerminalListener) {
        listeners.removeValue(forKey: ObjectIdentifier(listener))?.cancel()
    }

    /// Sends `content` after what came from the reader, marked with the running operation.
    func announce(_ content: TerminalEvent.Content) {
        takeFromReader()
        tell(content)
    }

    /// Sends `content` at once, marked with the running operation.
    func tell(_ content: TerminalEvent.Content) {
        if let (mark, text) = content.logged { note(mark, text) }
        events.send(TerminalEvent(operation: running?.operation, requestID: running?.requestID, content: content))
    }

    /// Sends an event about an earlier operation.
    func announce(_ content: TerminalEvent.Content, of entry: JournalEntry) {
        events.send(TerminalEvent(operation: entry.operation, requestID: entry.requestID, content: content))
    }
}
