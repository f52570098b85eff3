public import CardCapture

extension Terminal {
    /// The order as the journal is to have it, or the response that the same request has had before.
    enum Earlier {
        case new(JournaledOrder)
        case answered(PaymentResponse)
    }

    /// What the journal has of a request. An order of an earlier process that is still in doubt is looked into first.
    func earlier(_ entry: JournalEntry) async throws(TerminalError) -> Earlier {
        guard let known = try await knownEntry(entry.orderID, entry.key) else {
            return .new(JournaledOrder(entry: entry, keeping: .new))
        }
        guard entry.key != nil, known.key == entry.key || known.wasFoundAtHost else {
            throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
        }
        if known.wasFoundAtHost {
            guard known.orderID == entry.orderID, known.amount == entry.amount, known.operation == entry.operation else {
                throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
            }
        } else if known.digest != entry.digest || known.orderID != entry.orderID {
            throw .idempotencyConflict
        }
        if let response = try await ended(known).response { return .answered(response) }
        return .new(JournaledOrder(entry: entry, keeping: .journaled))
    }

    /// The entry that a change of a secure card has had before, under the same key; nil for a new one.
    func earlierChange(_ key: IdempotencyKey?, digest: [UInt8]) async throws(TerminalError) -> JournalEntry? {
        guard let key, let known = try await knownEntry(.secureCardChange(), key) else { return nil }
        guard known.digest == digest else { throw .idempotencyConflict }
        return try await ended(known)
    }

    /// An entry with its outcome, or one that has come to nothing.
    ///
    /// - Throws: ``HostError/Failure/noAnswer`` while the outcome is not known.
    private func ended(_ known: JournalEntry) async throws(TerminalError) -> JournalEntry {
        var known = known
        if !known.hasOutcome, known.stage != .finished { known = await resolve(known) }
        guard known.hasOutcome || known.stage == .finished else {
            throw TerminalError(.hostFailed(.noAnswer), "the outcome of this request is not known yet: ask again later")
        }
        return known
    }

    private func knownEntry(_ orderID: OrderID, _ key: IdempotencyKey?) async throws(TerminalError) -> JournalEntry? {
        // What could not be written stands here only.
        if let open = pending.orders[orderID] ?? key.flatMap({ pending.orders[$0] }) { return open }
        return try await written { journal throws(JournalError) in try await journal.entry(for: orderID, or: key) }
    }

    /// Writes the order, lasting, in place of the entry that it has, once no other task works on it.
    func save(_ order: inout JournaledOrder) async throws(TerminalError) {
        // The background may still be writing how an earlier try ended, which must not come after this.
        await claim(order.entry.orderID)
        defer { pending.orders.release(order.entry.orderID) }
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
        if pending.orders[entry.orderID]?.stage == .finished { pending.orders.remove(entry.orderID) }
    }

    func written<Success: Sendable>(
        _ body: (any TransactionJournal) async throws(JournalError) -> Success
    ) async throws(TerminalError) -> Success {
        do throws(JournalError) {
            return try await body(journal)
        } catch {
            throw TerminalError(error.code == .orderExists ? .refused(.orderAlreadyProcessed) : .journalFailed, error.message)
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

extension JournalEntry {
    fileprivate var hasOutcome: Bool { response != nil || secureCardResponse != nil }
}

extension TerminalError {
    fileprivate static let idempotencyConflict = TerminalError(
        .idempotencyConflict, "the idempotency key was used for another request: choose another key")
}
