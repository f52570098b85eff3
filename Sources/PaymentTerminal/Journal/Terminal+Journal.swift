extension Terminal {
    /// What the same request was answered before; nil if it is new, or nothing came of it.
    func answerGiven(to entry: JournalEntry) async throws(TerminalError) -> PaymentResponse? {
        guard let known = try await knownEntry(entry) else { return nil }
        guard entry.key != nil, known.key == entry.key else {
            throw TerminalError(.orderAlreadyProcessed, "the order was processed before: choose another order id")
        }
        guard known.digest == entry.digest, known.orderID == entry.orderID else {
            throw TerminalError(.idempotencyConflict, "the idempotency key was used for another request: choose another key")
        }
        if known.response == nil, known.stage != .finished {
            throw TerminalError(.noHostAnswer, "what became of this request is not known yet: ask again later")
        }
        return known.response
    }

    /// Writes that `entry` is about to happen, in place of one that came to nothing.
    func begin(_ entry: JournalEntry) async throws(TerminalError) {
        if try await knownEntry(entry) == nil {
            try await written { journal throws(JournalError) in try await journal.insert(entry) }
        } else {
            try await write(entry)
        }
    }

    private func knownEntry(_ entry: JournalEntry) async throws(TerminalError) -> JournalEntry? {
        if let key = entry.key {
            let known = try await written { journal throws(JournalError) in try await journal.entry(for: key) }
            if let known { return known }
        }
        return try await written { journal throws(JournalError) in try await journal.entry(for: entry.orderID) }
    }

    func write(_ entry: JournalEntry) async throws(TerminalError) {
        try await written { journal throws(JournalError) in try await journal.update(entry) }
    }

    func written<Success: Sendable>(
        _ body: (any TransactionJournal) async throws(JournalError) -> Success
    ) async throws(TerminalError) -> Success {
        do throws(JournalError) {
            return try await body(journal)
        } catch {
            throw TerminalError(.journalFailed, error.message)
        }
    }

    /// What the terminal did last, newest first, with what it told the caller.
    public func journaled(_ limit: Int = 10) async throws(TerminalError) -> [PaymentResponse] {
        try await written { journal throws(JournalError) in try await journal.latest(limit) }.compactMap(\.response)
    }

    /// Forgets what was finished before `timestamp`.
    ///
    /// - Returns: How many entries those were.
    public func purgeJournal(before timestamp: Timestamp) async throws(TerminalError) -> Int {
        try await written { journal throws(JournalError) in try await journal.purge(before: timestamp.secondsSince1970) }
    }
}
