import CardCapture
private import TLV

/// Messages to the host in the background.
extension Terminal {
    /// Makes the background process open orders when they are due.
    func forward() {
        if let forwarder = pending.forwarder {
            forwarder.wake(by: .now + configuration.limits.retry)
            return
        }
        guard !pending.orders.isEmpty else { return }
        pending.forwarder = Forwarder { [weak self] () async -> ContinuousClock.Instant? in await self?.forwardOnce() }
    }

    /// - Returns: The time of the next call; nil if no orders are open.
    private func forwardOnce() async -> ContinuousClock.Instant? {
        await deliverAll(isAutomatic: true)
        guard let next = pending.orders.nextTry else {
            if pending.orders.isEmpty { pending.forwarder = nil }
            // The task that has claimed an entry wakes the background task.
            return pending.orders.isEmpty ? nil : .now + configuration.limits.retry
        }
        return pending.hostIsAwayUntil.map { max(next, $0) } ?? next
    }

    /// Tries open orders, oldest first, until the host is unreachable. Only one round runs at a
    /// time.
    ///
    /// - Parameter isAutomatic: Only those that are due, and none while the host is unreachable.
    /// - Returns: The entries whose outcome has changed.
    @discardableResult
    func deliverAll(isAutomatic: Bool) async -> [JournalEntry] {
        while pending.isInRound { await withCheckedContinuation { pending.waitForRound($0) } }
        pending.beginRound()
        defer { pending.endRound() }
        if isAutomatic, pending.isHostAway { return [] }
        var changed: [JournalEntry] = []
        for order in isAutomatic ? pending.orders.due(at: .now) : pending.orders.oldestFirst {
            let orderID = order.entry.orderID
            if isAutomatic, pending.orders.isClaimed(orderID) { continue }
            await claim(orderID)
            defer { pending.orders.release(orderID) }
            guard let entry = pending.orders[orderID] else { continue }
            let reported = pending.orders.reported(orderID)
            let (now, hostIsThere) = await step(entry)
            // An unwritten outcome may be different after a restart: it is reported when it is
            // written.
            if let response = now.response, response != reported, pending.orders.isWritten(orderID) {
                pending.orders.report(response, of: orderID)
                changed.append(now)
                announce(.cleared(response), of: now)
            }
            if let content = now.changeEnded(since: entry), pending.orders.isWritten(orderID) {
                announce(content, of: now)
            }
            guard hostIsThere else {
                pending.hostWasUnreachable(first: configuration.limits.retry, longest: longestPause)
                break
            }
            pending.hostWasReached()
        }
        if !isAutomatic { forward() }
        return changed
    }

    private var longestPause: Duration { max(.seconds(60), configuration.limits.retry) }

    /// One step of an open order towards its end. The caller must have claimed it.
    ///
    /// - Parameter limit: For each answer of the host; nil for the terminal's.
    /// - Returns: The entry as it is now, and whether the host could be reached.
    func step(_ entry: JournalEntry, limit: Duration? = nil) async -> (JournalEntry, hostIsThere: Bool) {
        var now = entry
        if !pending.orders.isWritten(entry.orderID) {
            guard await write(now, .lasting), now.stage != .finished else { return (now, true) }
        }
        do throws(HostError) {
            switch now.stage {
            case .begun, .finished: now.stage = .finished
            case .asking where now.secureCard != nil: try await lookIntoChange(&now)
            case .asking, .answered:
                try await lookInto(&now)
                // An outcome is sent to the host only after the journal has it: after a crash in
                // between, the next process must not decide differently.
                if now.stage == .owing { guard await write(now, .lasting) else { return (now, true) } }
            case .owing: break
            }
            while now.stage == .owing, let due = now.due {
                try await deliver(due, &now, limit)
                if now.stage == .owing { guard await write(now, .lasting) else { return (now, true) } }
            }
        } catch {
            if error.leavesOutcomeUnknown { pending.orders.doubt(now.orderID) }
            pending.orders.postpone(now.orderID, longest: longestPause)
            return (now, error.code != .failed(.unreachable))
        }
        // A reported outcome must not change after a power cut.
        await write(now, now.response == entry.response && entry.stage == .owing ? .eventual : .lasting)
        return (now, true)
    }

    /// Writes an open order, and keeps it open until it is finished and written.
    ///
    /// - Returns: Whether the journal has it.
    @discardableResult
    func write(_ entry: JournalEntry, _ durability: JournalDurability) async -> Bool {
        do throws(JournalError) {
            try await journal.update(entry, durability)
        } catch {
            keepOpen(entry, isWritten: false)
            pending.orders.postpone(entry.orderID, longest: longestPause)
            return false
        }
        if entry.stage == .finished { pending.orders.remove(entry.orderID) } else { keepOpen(entry) }
        return true
    }

    /// Determines the outcome of a request of an earlier process.
    private func lookInto(_ entry: inout JournalEntry) async throws(HostError) {
        let status: OrderStatus
        if entry.stage == .answered, let answer = entry.answer {
            status = .decided(answer)
        } else {
            do throws(HostError) {
                status = try await self.status(of: entry)
            } catch {
                // A host without inquiries receives a reversal.
                guard error.isFinal else { throw error }
                return conclude(
                    &entry, error.code == .refused(.orderAlreadyProcessed) ? .taken : .unknown(.terminalTerminated))
            }
        }
        let rules = PaymentRules(entry, configuration)
        switch status {
        case .decided(let answer):
            let verdict: PaymentVerdict
            if entry.isReferred, !rules.isHeld(answer) {
                // The approval code may still be in transmission: the order must not be approved
                // after this.
                verdict = .unknown(.terminalTerminated)
            } else if !answer.isWithin(entry.amount) || (entry.needsCard || entry.isReferred) && rules.isHeld(answer) {
                // Another amount than requested; or the card's decision after the answer is
                // unknown.
                verdict = .reversed(.terminalTerminated)
            } else {
                verdict = PaymentVerdict(answer, rules)
            }
            conclude(&entry, verdict, answer)
        case .reversed: concludeReversed(&entry)
        case .notSeen, .pending: conclude(&entry, .unknown(.terminalTerminated))
        }
    }

    private func conclude(
        _ entry: inout JournalEntry, _ verdict: PaymentVerdict, _ answer: AuthorizationResponse? = nil
    ) {
        entry.conclude(verdict, PaymentResponse(entry, verdict, answer: answer, at: configuration), answer)
    }

    /// The host has reversed the order, which needs no more messages.
    private func concludeReversed(_ entry: inout JournalEntry) {
        conclude(&entry, PaymentVerdict(outcome: .reversed(.terminalTerminated), due: nil))
        entry.response?.reversal = .performed
    }

    /// Sends the pending message. The entry then has its end, or the next message.
    ///
    /// - Throws: An error after which the message is sent again later.
    private func deliver(_ due: JournalEntry.Due, _ entry: inout JournalEntry, _ limit: Duration?)
        async throws(HostError)
    {
        switch due {
        case .confirmation(let chipData):
            try await inform(&entry, .finished(chipData: chipData, signature: entry.response?.receipt.signature), limit)
        case .reversal(let reason), .reversalIfOurs(let reason): try await undo(&entry, reason, limit)
        case .advice(let payment): try await authorize(payment, .approvedOffline, &entry, within: limit)
        case .declineAdvice(let payment):
            guard let request = payment.request(entry.orderID, .online, signature: nil) else { return entry.finish() }
            try await inform(&entry, .declinedOffline(request), limit)
        case .authorization(let payment): try await authorize(payment, .deferred, &entry, within: limit)
        case .inquiry: try await inquire(&entry, limit)
        }
    }

    /// Tells the host what changes no money.
    private func inform(_ entry: inout JournalEntry, _ result: Advice.Result, _ limit: Duration?)
        async throws(HostError)
    {
        do throws(HostError) {
            try await tell(entry.orderID, result, finding: .notLookedUp, limit)
        } catch {
            guard error.isFinal else { throw error }
            if case .declinedOffline = result {
                if error.code == .refused(.notSupported) {
                    let notSent = entry.response?.fieldsNotSent.union([.declineAdvice]) ?? []
                    entry.response?.unsentFields = notSent.sorted { $0.rawValue < $1.rawValue }
                } else if let due = try await reversalOfDeclined(entry, limit) {
                    entry.due = due
                    entry.response = entry.response?.awaitingReversal(.cardDeclined)
                    return
                }
            }
        }
        entry.finish()
    }

    /// What is due if the host may have charged what the card declined: it may decide on the advice
    /// of a decline as on a payment, and then refuse what follows. The order that it has may also
    /// be another's.
    private func reversalOfDeclined(_ entry: JournalEntry, _ limit: Duration?) async throws(HostError) -> JournalEntry
        .Due?
    {
        let mayStillCome = pending.orders.age(of: entry.orderID) < configuration.limits.transit
        do throws(HostError) {
            switch try await status(of: entry, limit) {
            case .decided(let answer):
                return answer.isHeld(by: configuration.responseCodes) ? .reversalIfOurs(.cardDeclined) : nil
            case .pending: throw HostError(.noAnswer, "the host has not decided on the declined payment yet")
            // An earlier try may have charged it, and the host's list may be late.
            case .notSeen where mayStillCome && pending.orders.isInDoubt(entry.orderID):
                throw HostError(.noAnswer, "the host does not have the declined payment yet")
            case .reversed, .notSeen: return nil
            }
        } catch {
            guard error.isFinal else { throw error }
            if error.code == .refused(.orderAlreadyProcessed) { return .reversalIfOurs(.cardDeclined) }
            // A refused inquiry says nothing of the advice.
            guard error.code == .refused(.notSupported) || !mayStillCome else {
                throw HostError(.noAnswer, "the host does not say what it made of the declined payment")
            }
            return nil
        }
    }

    func tell(_ orderID: OrderID, _ result: Advice.Result, finding: Advice.Finding, _ limit: Duration?)
        async throws(HostError)
    {
        let advice = Advice(orderID: orderID, result: result, finding: finding)
        try await asking("advice on \(orderID)", limit) { host throws(HostError) in try await host.advise(advice) }
    }

    /// Deletes entries older than the configured retention, in slices, and verifies the journal,
    /// concurrently with payments and once a day. It does not start at once, so that short-lived
    /// processes skip it. A retention below zero keeps everything, as none does.
    func tidyUp() {
        guard let days = configuration.journalRetention, tidying == nil else { return }
        tidying = Task { [weak self, journal, clock, pause = configuration.limits.retry * 60] in
            try? await Task.sleep(for: pause)
            while !Task.isCancelled {
                try? await journal.count(date: clock().date1970)
                while let count = try? await journal.purge(keepingDays: days, limit: Self.purgedAtOnce),
                    count == Self.purgedAtOnce
                {
                    await Task.yield()
                }
                try? await journal.verify()
                try? await self?.closeGap()
                try? await Task.sleep(for: .seconds(86_400))
                guard self != nil else { return }
            }
        }
    }
}

extension JournalEntry {
    /// The host needs no more messages.
    mutating func finish() {
        due = nil
        answer = nil
        stage = .finished
    }

    /// The host has reversed the order.
    mutating func undone(_ reason: ReversalReason) {
        response?.reversal = .performed
        response?.setOutcome(
            .reversed(reason),
            PaymentResponse.summary(.reversed(reason), reversal: .performed, message: nil, reason: nil))
    }
}

extension PaymentResponse {
    /// Keeps the results of card and cardholder from when the payment was stored, after the host
    /// has accepted it.
    mutating func keep(cardOf stored: PaymentResponse) {
        emvTags = emvTags ?? stored.emvTags
        unsentFields = unsentFields ?? stored.unsentFields
        receipt.chip = receipt.chip ?? stored.receipt.chip
        guard isApproved else { return }
        receipt.requiresSignature = stored.receipt.requiresSignature
        receipt.signature = stored.receipt.signature
    }

    /// The payment remains valid as authorised by the host, possibly for less than requested.
    mutating func stand(_ answer: AuthorizationResponse?, of requested: Money, _ description: String) {
        let authorized = answer?.authorizedAmount ?? authorizedAmount
        let isPartial = authorized.map { $0.minorUnits < requested.minorUnits } ?? false
        setOutcome(isPartial ? .partiallyApproved : .approved, description)
        authorizedAmount = authorized ?? requested
        approvalCode = answer?.issuer.approvalCode ?? approvalCode
    }

    func awaitingReversal(_ reason: ReversalReason) -> PaymentResponse {
        var response = self
        // The authorized outcome is kept until the reversal succeeds, because the host may refuse
        // it.
        response.outcome = .reversed(reason)
        response.receipt.outcome = response.outcome
        response.reversal = .pending
        response.description = Self.summary(response.outcome, reversal: .pending, message: nil, reason: nil)
        return response
    }

    func unsureOfReversal(because error: TerminalError) -> PaymentResponse {
        var response = self
        response.reversal = .pending
        response.setOutcome(.unknown, "\(error.message); the reversal is in doubt: ask again later")
        return response
    }

    mutating func setOutcome(_ outcome: Outcome, _ description: String) {
        self.outcome = outcome
        self.description = description
        receipt.outcome = outcome
        if !isApproved, outcome != .storedOffline {
            approvalCode = nil
            authorizedAmount = nil
            secureCardReference = nil
        }
    }
}

extension HostError {
    /// Whether a repetition would have the same result.
    var isFinal: Bool {
        switch code {
        case .failed, .refused(.notAuthorized): false
        case .refused: true
        }
    }
}
