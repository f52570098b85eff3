import CardCapture

extension Terminal {
    /// The order for the journal, or the earlier response to the same request.
    enum Earlier {
        case new(JournaledOrder)
        case answered(PaymentResponse)
    }

    /// The journal's record of a request. An order of an earlier process that is still in doubt is
    /// resolved first.
    func earlier(_ entry: JournalEntry) async throws(TerminalError) -> Earlier {
        guard let known = try await knownEntry(entry.orderID, entry.key) else {
            return .new(JournaledOrder(entry: entry, keeping: .new))
        }
        guard entry.key != nil, known.key == entry.key || known.wasFoundAtHost else {
            throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
        }
        if known.wasFoundAtHost {
            guard known.orderID == entry.orderID, known.amount == entry.amount, known.operation == entry.operation
            else {
                throw TerminalError(.orderAlreadyProcessed, "the order was already processed: choose another order id")
            }
        } else if known.digest != entry.digest || known.orderID != entry.orderID {
            throw .idempotencyConflict
        }
        if let response = try await ended(known).response { return .answered(response) }
        return .new(JournaledOrder(entry: entry, keeping: .journaled))
    }

    /// The earlier entry of a change of a secure card with the same key; nil for a new one.
    func earlierChange(_ key: IdempotencyKey?, digest: [UInt8]) async throws(TerminalError) -> JournalEntry? {
        guard let key, let known = try await knownEntry(.secureCardChange(), key) else { return nil }
        guard known.digest == digest else { throw .idempotencyConflict }
        return try await ended(known)
    }

    /// An entry with its outcome, or without an effect.
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
        // Entries that could not be written are only here. As in the journal, the key comes first.
        if let open = key.flatMap({ pending.orders.told($0) }) ?? pending.orders.told(orderID) { return open }
        return try await written { journal throws(JournalError) in try await journal.entry(for: orderID, or: key) }
    }

    /// Writes the order durably, replacing its entry, when no other task processes it.
    func save(_ order: inout JournaledOrder) async throws(TerminalError) {
        // The background may still be writing the end of an earlier try, which must not follow this
        // write.
        await claim(order.entry.orderID)
        defer { pending.orders.release(order.entry.orderID) }
        try await saveClaimed(&order)
    }

    /// As ``save(_:)``, if the caller has claimed the order.
    func saveClaimed(_ order: inout JournaledOrder) async throws(TerminalError) {
        let entry = order.entry
        switch order.keeping {
        case .nowhere: return
        case .new: try await written { journal throws(JournalError) in try await journal.insert(entry) }
        case .journaled: try await written { journal throws(JournalError) in try await journal.update(entry, .lasting) }
        }
        order.keeping = .journaled
        // A failed write of an earlier try must not overwrite this one later.
        if pending.orders[entry.orderID]?.stage == .finished { pending.orders.remove(entry.orderID) }
    }

    func written<Success: Sendable>(
        _ body: (any TransactionJournal) async throws(JournalError) -> Success
    ) async throws(TerminalError) -> Success {
        do throws(JournalError) {
            return try await body(journal)
        } catch {
            throw TerminalError(
                error.code == .orderExists ? .refused(.orderAlreadyProcessed) : .journalFailed, error.message)
        }
    }

    /// The terminal's latest orders, newest first, with the responses to the caller.
    public func journaled(_ limit: Int = 10) async throws(TerminalError) -> [PaymentResponse] {
        let written = try await written { journal throws(JournalError) in try await journal.latest(limit) }
        // What could not be written is only here, and is this process's.
        let unwritten = pending.orders.unwritten
        let others = written.filter { entry in !unwritten.contains { $0.entry.orderID == entry.orderID } }
        return (unwritten.map(\.told) + others).prefix(max(0, limit)).compactMap(\.response)
    }

    /// How an order of this terminal ended, or where its clearing stands.
    ///
    /// - Throws: ``HostError/Refusal/transactionUnknown`` if the journal has no such payment;
    ///   ``TerminalError/Code/busy`` while it is in progress; ``HostError/Failure/noAnswer`` while
    ///   an earlier process's payment is not cleared.
    public func outcome(of orderID: OrderID) async throws(TerminalError) -> PaymentResponse {
        let entry = try await knownEntry(orderID, nil)
        if let response = entry?.response { return response }
        if running?.requestID == orderID.text {
            throw TerminalError(.busy, "the order is in progress: ask again when it has ended")
        }
        guard entry == nil || entry?.secureCard != nil else {
            throw TerminalError(.hostFailed(.noAnswer), "the outcome of the order is not known yet: ask again later")
        }
        throw TerminalError(.transactionUnknown, "the journal has no such order: it was never begun here")
    }

    /// The faults of the journal when it was opened: orders whose entry cannot be read, and missing
    /// entries.
    ///
    /// Look such orders up at the host: the terminal does not know how they ended.
    public func journalCondition() async throws(TerminalError) -> JournalCondition {
        try await written { journal throws(JournalError) in try await journal.condition() }
    }

    /// Deletes finished entries that were last written more than `days` days ago, in slices.
    ///
    /// The days are counted by the journal, and not by the clock, which may be wrong: those on
    /// which the terminal was at work.
    ///
    /// - Returns: The number of deleted entries.
    public func purgeJournal(keepingDays days: Int) async throws(TerminalError) -> Int {
        try await written { journal throws(JournalError) in try await journal.count(date: self.clock().date1970) }
        var count = 0
        while true {
            let slice = try await written { journal throws(JournalError) in
                try await journal.purge(keepingDays: days, limit: Self.purgedAtOnce)
            }
            count += slice
            if slice < Self.purgedAtOnce { return count }
        }
    }

    /// In entries; takes the journal some milliseconds.
    static let purgedAtOnce = 200
}

extension Timestamp {
    /// In days since 1970-01-01, UTC.
    var date1970: Int64 {
        let (days, rest) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? days - 1 : days
    }
}

extension JournalEntry {
    fileprivate var hasOutcome: Bool { response != nil || secureCardResponse != nil }
}

extension TerminalError {
    fileprivate static let idempotencyConflict = TerminalError(
        .idempotencyConflict, "the idempotency key was used for another request: choose another key")
}
