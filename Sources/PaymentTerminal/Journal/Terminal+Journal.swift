public import CardCapture

extension Terminal {
    /// The order as the journal is to have it, or the response that the same request has had before.
    enum Earlier {
        case new(JournaledOrder)
        case answered(PaymentResponse)
    }

    /// What the journal has of a request. An order of an earlier process that is still in doubt is looked into first.
    func earlier(_ entry: JournalEntry) async throws(TerminalError) -> Earlier {
        guard var known = try await knownEntry(entry) else { return .new(JournaledOrder(entry: entry, keeping: .new)) }
        guard entry.key != nil, known.key == entry.key || known.wasFoundAtHost else {
            throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
        }
        if known.wasFoundAtHost {
            guard known.orderID == entry.orderID, known.amount == entry.amount, known.operation == entry.operation else {
                throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
            }
        } else if known.digest != entry.digest || known.orderID != entry.orderID {
            throw TerminalError(.idempotencyConflict, "the idempotency key was used for another request: choose another key")
        }
        if known.response == nil, known.stage != .finished { known = await resolve(known) }
        if let response = known.response { return .answered(response) }
        guard known.stage == .finished else {
            throw TerminalError(.noHostAnswer, "the outcome of this request is not known yet: ask again later")
        }
        return .new(JournaledOrder(entry: entry, keeping: .journaled))
    }

    private func knownEntry(_ entry: JournalEntry) async throws(TerminalError) -> JournalEntry? {
        // What could not be written stands here only.
        if let open = open[entry.orderID] { return open }
        return try await written { journal throws(JournalError) in try await journal.entry(for: entry.orderID, or: entry.key) }
    }

    /// Writes the order, lasting, in place of the entry that it has, once no other task works on it.
    func save(_ order: inout JournaledOrder) async throws(TerminalError) {
        // The background may still be writing how an earlier try ended, which must not come after this.
        await claim(order.entry.orderID)
        defer { open.release(order.entry.orderID) }
        try await saveClaimed(&order)
    }

    /// As ``save(_:)``, for a caller that has claimed the order.
    func saveClaimed(_ order: inout JournaledOrder) async throws(TerminalError) {
        let entry = order.entry
        switch order.keeping {
        case .nowhere: return
        case .new: try await written { journal throws(JournalError) in try await journal.insert(entry) }
        case .journaled: try await written { journal throws(JournalError) in try await journal.update(entry, .lasting) }
        }
        order.keeping = .journaled
        // What an earlier try could not write must not be written over this one.
        if open[entry.orderID]?.stage == .finished { open.remove(entry.orderID) }
    }

    func written<Success: Sendable>(
        _ body: (any TransactionJournal) async throws(JournalError) -> Success
    ) async throws(TerminalError) -> Success {
        do throws(JournalError) {
            return try await body(journal)
        } catch {
            throw TerminalError(error.code == .orderExists ? .orderAlreadyProcessed : .journalFailed, error.message)
        }
    }

    /// What the terminal did last, newest first, with what it told the caller.
    public func journaled(_ limit: Int = 10) async throws(TerminalError) -> [PaymentResponse] {
        try await written { journal throws(JournalError) in try await journal.latest(limit) }.compactMap(\.response)
    }

    /// What is wrong with the journal as it was found: orders whose entry cannot be read, entries that are missing.
    ///
    /// Look such orders up at the host: the terminal cannot say how they ended.
    public func journalCondition() async throws(TerminalError) -> JournalCondition {
        try await written { journal throws(JournalError) in try await journal.condition() }
    }

    /// Deletes what was finished before `timestamp`, slice by slice.
    ///
    /// - Returns: How many entries those were.
    public func purgeJournal(before timestamp: Timestamp) async throws(TerminalError) -> Int {
        var count = 0
        while true {
            let slice = try await written { journal throws(JournalError) in
                try await journal.purge(before: timestamp.secondsSince1970, limit: Self.purgedAtOnce)
            }
            count += slice
            if slice < Self.purgedAtOnce { return count }
        }
    }

    /// In entries: some milliseconds of the journal's time.
    static let purgedAtOnce = 200
}
