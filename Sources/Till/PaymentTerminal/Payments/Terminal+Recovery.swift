import CardCapture
private import EMVKernel

/// Recovery of open orders of earlier processes.
extension Terminal {
    /// Completes open orders of earlier operations, of this or an earlier process: inquires about
    /// requests without an answer, sends reversals, advices and stored payments. The terminal does
    /// this by itself while orders are open; call it after a start and when a connection is
    /// restored.
    ///
    /// - Returns: The payments whose outcome has changed.
    @discardableResult
    public func recoverPending() async throws(TerminalError) -> [PaymentResponse] {
        try await refuseTestHost()
        try await recoverJournal()
        return await deliverAll(isAutomatic: false).compactMap(\.response)
    }

    /// The payments with a pending message to the host or an unknown outcome, oldest first.
    public var pendingPayments: [PaymentResponse] { pending.orders.oldestFirst.compactMap(\.told.response) }

    /// Reads the open orders of earlier processes once, after the start. The background sends their
    /// messages.
    func recoverJournal() async throws(TerminalError) {
        guard !pending.hasRecovered else { return }
        try JournalClaims.claim(journal, for: self)
        let found = try await written { journal throws(JournalError) in try await journal.openEntries() }
        try await closeGap()
        try await readHistory()
        guard !pending.hasRecovered else { return }
        pending.hasRecovered = true
        pending.orders.prepend(found, pause: configuration.limits.retry)
        forward()
        tidyUp()
    }

    /// Adds the orders of the host's list that are missing in the journal, because it was restored
    /// from a backup or rows were deleted, so that no one of them is repeated.
    ///
    /// - Throws: ``HostError/Failure/unreachable`` and the like if the host does not give its list.
    ///   A host whose interface has none is passed over: it refuses order ids that it has seen.
    func closeGap() async throws(TerminalError) {
        guard try await journalCondition().gap != nil else { return }
        announce(.progress(.readingHostList))
        var query = TransactionQuery(period: try await timeAtHost().map(Self.period), pageSize: 100)
        var records: [TransactionRecord] = []
        var unreadable: [OrderID?] = []
        for _ in 0..<Self.maximumPages {
            let page: TransactionQuery.Page
            do throws(HostError) {
                page = try await asking("transactions") { [query] host throws(HostError) in
                    try await host.transactions(query)
                }
            } catch {
                guard error.code == .refused(.notSupported) else { throw TerminalError(error) }
                break
            }
            records += page.records
            unreadable += page.unreadable
            guard let next = page.next, next != query.continuation else { break }
            query.continuation = next
        }
        // In the order of the payments, as the journal has them otherwise.
        let time = { (record: TransactionRecord) in record.timestamp?.secondsSince1970 ?? .max }
        for record in records.sorted(by: { time($0) < time($1) }) { try await takeIn(record) }
        for order in unreadable { try await reserve(order) }
        try await written { journal throws(JournalError) in try await journal.closeGap() }
    }

    /// In pages of a hundred transactions.
    private static let maximumPages = 1000

    /// The earliest date that the host gives the latest orders of the journal, in seconds since
    /// 1970. Nil if it does not know them.
    ///
    /// The journal's own dates may be of another clock than those of the list. Several orders,
    /// because the clock may have been wrong at one. Entries from the list itself do not count: if
    /// its reading was broken off, they say nothing of the others.
    private func timeAtHost() async throws(TerminalError) -> Int64? {
        let latest = try await written { journal throws(JournalError) in try await journal.latest(Self.lookedAt) }
        let approved = latest.filter {
            !$0.wasFoundAtHost && $0.stage == .finished && $0.response?.outcome == .approved
        }
        var earliest: Int64?
        for entry in approved.prefix(Self.askedFor) {
            let query = TransactionQuery(orderID: entry.orderID, pageSize: 10)
            do throws(HostError) {
                let page = try await asking("order \(entry.orderID)", configuration.limits.inquiry) {
                    host throws(HostError) in
                    try await host.transactions(query)
                }
                let times = page.records.filter { entry.likeness(to: $0) == .same }.compactMap {
                    $0.timestamp?.secondsSince1970
                }
                earliest = (times + [earliest].compactMap(\.self)).min()
            } catch {
                switch error.code {
                case .refused(.notSupported): return nil
                case .failed(.unreachable): throw TerminalError(error)
                // About another it may answer.
                case .refused, .failed: continue
                }
            }
        }
        return earliest
    }

    private static let lookedAt = 100
    private static let askedFor = 3

    /// From a day before `time`, without an end.
    private static func period(from time: Int64) -> Range<Int64> {
        let (start, isBefore) = time.subtractingReportingOverflow(86_400)
        // ordered: nothing is above the greatest number
        return (isBefore ? .min : start)..<Int64.max
    }

    /// Keeps the order id of a transaction whose record cannot be read in use: how it ended is not
    /// known, and it must not be asked for again.
    private func reserve(_ orderID: OrderID?) async throws(TerminalError) {
        guard let orderID else { return note(.error, "the host's list has a record that cannot be read") }
        var entry = JournalEntry(
            orderID: orderID, key: nil, operation: .sale, digest: [],
            amount: Money(minorUnits: 0, currency: configuration.currency),
            timestamp: clock(), stage: .finished)
        entry.response = endUnknown(of: entry, because: "the host's record of the order cannot be read")
        try await written { [entry] journal throws(JournalError) in
            do throws(JournalError) {
                guard try await journal.entry(for: orderID) == nil else { return }
                try await journal.insert(entry)
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
    }

    /// Adds an order of the host's list to the journal, or what the journal does not know of an
    /// order that it has: the reversal of an approved one, the approval of a declined one.
    private func takeIn(_ record: TransactionRecord) async throws(TerminalError) {
        guard let entry = JournalEntry(record, configuration) else {
            // Too little is known of it, unless it was reversed before it came, or moves no money.
            if record.kind != .accountVerification, record.state != .reversed { try await reserve(record.orderID) }
            return
        }
        let unknown = { (entry: JournalEntry) in
            self.endUnknown(of: entry, because: "the host has an order with this id, which may be another")
        }
        let changed = try await written { journal throws(JournalError) -> JournalEntry? in
            let known: JournalEntry?
            do throws(JournalError) {
                known = try await journal.entry(for: record.orderID)
            } catch {
                // An unreadable entry is listed in the journal's condition, and its order id
                // remains in use.
                guard error.code == .damaged else { throw error }
                return nil
            }
            guard let known else {
                try await journal.insert(entry)
                return entry.due == nil ? nil : entry
            }
            // The messages of an open order tell the outcome.
            guard known.stage == .finished, let outcome = entry.response?.outcome else { return nil }
            switch (known.response?.outcome, outcome, known.likeness(to: record)) {
            case (_, _, .other): return nil
            case (.approved?, .reversed(let reason), .same), (.partiallyApproved?, .reversed(let reason), .same):
                var undone = known
                undone.undone(reason)
                try await journal.update(undone, .lasting)
                return undone
            // An order without an effect may have been tried again since then; and the copy may
            // have a decline whose write had failed.
            case (nil, _, .same), (.declined?, .approved, .same):
                try await journal.update(entry, .lasting)
                return known.response == nil && entry.due == nil ? nil : entry
            // Or somebody else has used the order id since then.
            case (nil, .approved, .perhaps), (.declined?, .approved, .perhaps):
                var unclear = known
                unclear.response = unknown(known)
                try await journal.update(unclear, .lasting)
                return unclear
            default: return nil
            }
        }
        guard let changed, let response = changed.response else { return }
        if changed.due != nil { keepOpen(changed) } else { announce(.cleared(response), of: changed) }
    }

    private func endUnknown(of entry: JournalEntry, because reason: String) -> PaymentResponse {
        PaymentResponse(
            entry, PaymentVerdict(outcome: .unknown, due: nil), answer: nil, reason: reason, at: configuration)
    }

    /// Tries an open order now, after other tasks have finished with it.
    ///
    /// - Returns: The entry after the try, as far as the journal has it.
    func recover(_ entry: JournalEntry) async -> JournalEntry {
        await claim(entry.orderID)
        defer { pending.orders.release(entry.orderID) }
        guard let known = pending.orders[entry.orderID] else { return entry }
        let (now, _) = await step(known, limit: configuration.limits.inquiry)
        if pending.orders[entry.orderID] != nil { forward() }
        return pending.orders.told(entry.orderID) ?? now
    }

    /// As ``recover(_:)``, for an entry of the journal, which may no longer be open.
    func resolve(_ entry: JournalEntry) async -> JournalEntry {
        if pending.orders[entry.orderID] == nil { keepOpen(entry) }
        return await recover(entry)
    }

    /// Waits until no other task processes the order, and claims it.
    func claim(_ orderID: OrderID) async {
        while pending.orders.isClaimed(orderID) {
            await withCheckedContinuation { pending.orders.wait(for: orderID, $0) }
        }
        pending.orders.claim(orderID)
    }

    /// Keeps the order open for its message to the host.
    ///
    /// - Parameters:
    ///   - isWritten: Whether the journal has the current entry.
    ///   - told: What the caller is told now; nil for nothing.
    func keepOpen(_ entry: JournalEntry, isWritten: Bool = true, told: JournalEntry? = nil) {
        pending.orders.keep(entry, isWritten: isWritten, told: told, pause: configuration.limits.retry)
    }
}

extension JournalEntry {
    /// Whether a record of the host's list is about this order: the order id may have been used
    /// before, or since then.
    fileprivate enum Likeness {
        case same
        /// It is a later transaction, of a later try or of somebody else.
        case perhaps
        case other
    }

    fileprivate func likeness(to record: TransactionRecord) -> Likeness {
        if let reference = response?.uniqueReference { return reference == record.uniqueReference ? .same : .other }
        switch identity(of: record) {
        case .same: return .same
        case .unclear:
            return record.timestamp.map { $0.secondsSince1970 > timestamp.secondsSince1970 } ?? false
                ? .perhaps : .other
        case .other, .missing, .notListed: return .other
        }
    }

    /// An order that only the host still knows; nil if it moved no money, or the host returns too
    /// little about it.
    init?(_ record: TransactionRecord, _ configuration: Terminal.Configuration) {
        let operation: TerminalOperation
        switch record.kind {
        case .sale: operation = .sale
        case .preAuthorization: operation = .preAuthorization
        case .refund: operation = .refund
        case .capture: operation = .capture
        case .accountVerification: return nil
        }
        guard let amount = record.amount ?? record.authorizedAmount, let timestamp = record.timestamp else {
            return nil
        }
        // The code of a call may still be on its way, or the list may be behind it.
        let isReferred =
            record.state == .declined && configuration.callsIssuer
            && configuration.responseCodes.referral.contains(record.responseCode ?? "")
        let isOpen = record.state == .pending || isReferred
        let outcome: PaymentResponse.Outcome
        switch record.state {
        case .approved, .approvedOffline, .captured, .settled: outcome = .approved
        case .declined where isReferred: outcome = .unknown
        case .declined: outcome = .declined
        case .voided, .reversed: outcome = .reversed(record.reversalReason ?? .requested)
        case .pending: outcome = .unknown
        }
        self.init(
            orderID: record.orderID, key: nil, operation: operation, digest: [], amount: amount, timestamp: timestamp,
            original: record.original, stage: isOpen ? .owing : .finished)
        if isOpen { due = .inquiry }
        card = record.maskedPAN.map { CardSummary(maskedPAN: $0) }
        let isApproved = outcome == .approved
        let authorizedAmount = isApproved ? record.authorizedAmount ?? amount : nil
        response = PaymentResponse(
            orderID: orderID, operation: operation, outcome: outcome,
            reversal: record.state == .reversed ? .performed : .none,
            description: "from the host's list: \(record.state)", responseCode: record.responseCode,
            approvalCode: isApproved ? record.approvalCode : nil, uniqueReference: record.uniqueReference,
            authorizedAmount: authorizedAmount, checks: CardholderChecks(), card: card, entryMode: nil, emvTags: nil,
            secureCardReference: nil, timestamp: timestamp,
            boxedReceipt: Boxed(
                Receipt(
                    merchantName: configuration.merchantName, terminalID: configuration.terminalID,
                    timestamp: timestamp, orderID: orderID,
                    operation: operation, amount: authorizedAmount ?? amount, requested: amount, tip: nil,
                    serviceCharge: nil, taxes: [],
                    outcome: outcome, card: card, entryMode: nil, approvalCode: isApproved ? record.approvalCode : nil,
                    chip: nil,
                    requiresSignature: false, signature: nil)))
    }
}
