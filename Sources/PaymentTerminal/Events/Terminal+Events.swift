import CardCapture

extension Terminal {
    /// The events from now on, in order; the stream ends with the terminal.
    ///
    /// A slow reader of the stream holds up nobody. Results, errors and questions are never dropped. Progress may be: of progress that
    /// follows directly on progress of the same sort only the latest is kept, and of all progress that waits the last 1,024 events.
    ///
    /// - Parameter kinds: The kinds of events that are wanted; all of them by default.
    public nonisolated func eventStream(of kinds: Set<TerminalEvent.Kind> = Set(TerminalEvent.Kind.allCases)) -> AsyncStream<TerminalEvent>
    {
        let mailbox = events.mailbox(kinds)
        return AsyncStream {
            await mailbox.next()
        } onCancel: {
            mailbox.finish()
        }
    }

    /// Has `listener` called for the events from now on, in order and one at a time, on no thread of a device; as ``eventStream(of:)``
    /// otherwise. A listener that was added before takes the new kinds in place of its earlier ones.
    public func add(_ listener: any TerminalListener, for kinds: Set<TerminalEvent.Kind> = Set(TerminalEvent.Kind.allCases)) {
        let mailbox = events.mailbox(kinds)
        listeners[ObjectIdentifier(listener)]?.cancel()
        listeners[ObjectIdentifier(listener)] = Task.detached {
            while let event = await mailbox.next(), !Task.isCancelled { await listener.receive(event) }
        }
    }

    /// Sends `listener` no more events; a call in progress
    /// ends by itself, and one that was not added is ignored.
    public func remove(_ listener: any TerminalListener) {
        listeners.removeValue(forKey: ObjectIdentifier(listener))?.cancel()
    }

    /// Marks `content` with the operation that runs and sends it.
    func announce(_ content: TerminalEvent.Content) {
        events.send(TerminalEvent(operation: running?.operation, requestID: running?.requestID, content: content))
    }

    /// Sends what concerns an earlier operation.
    func announce(_ content: TerminalEvent.Content, of entry: JournalEntry) {
        events.send(TerminalEvent(operation: entry.operation, requestID: entry.requestID, content: content))
    }
}
