import CardReaders
private import SmartCard

extension Terminal {
    /// Brings to an end what earlier operations, of this process or of one before it, have left open: asks after requests without an answer, sends
    /// reversals, advices and stored payments. Operations do this by themselves, and so does the terminal while something is open; call it after a start
    /// and when a connection comes back.
    ///
    /// - Returns: The payments whose outcome has changed.
    @discardableResult
    public func settle() async throws(TerminalError) -> [PaymentResponse] {
        try refuseTestEquipment("host", host.testOnlyReason)
        let changed = try await takeUpWhatIsOpen()
        return (await settleOpen() + changed).compactMap(\.response)
    }

    /// The payments that the host is still to be told of, or asked about, oldest first.
    public var unsettled: [PaymentResponse] { open.compactMap(\.response) }

    /// Finds once, after the start, what a process before this one has left open, and gives it a try.
    ///
    /// - Returns: The entries whose outcome has changed.
    @discardableResult
    func takeUpWhatIsOpen() async throws(TerminalError) -> [JournalEntry] {
        guard !hasRecovered else { return [] }
        let found = try await written { journal throws(JournalError) in try await journal.openEntries() }
        guard !hasRecovered else { return [] }
        hasRecovered = true
        open = found + open
        return await settleOpen()
    }

    /// Gives every open entry a try, oldest first, until the host cannot be reached.
    ///
    /// - Parameter order: Of the operation that runs: its change is told by its response and not by an event.
    /// - Returns: The entries whose outcome has changed.
    @discardableResult
    func settleOpen(quietly order: OrderID? = nil) async -> [JournalEntry] {
        await beginSettling()
        defer { endSettling() }
        var changed: [JournalEntry] = []
        for entry in open {
            let (now, hostIsThere) = await step(entry)
            if now.stage == .finished {
                open.removeAll { $0.orderID == entry.orderID }
            } else if let place = open.firstIndex(where: { $0.orderID == entry.orderID }) {
                open[place] = now
            }
            if let response = now.response, response != entry.response {
                changed.append(now)
                if entry.orderID != order { announce(.cleared(response), of: now) }
            }
            guard hostIsThere else { break }
        }
        forward()
        return changed
    }

    /// One at a time: what is sent of an open entry must not be written over what another has made of it meanwhile.
    private func beginSettling() async {
        while isSettling { await withCheckedContinuation { waitingToSettle.append($0) } }
        isSettling = true
    }

    private func endSettling() {
        isSettling = false
        for next in waitingToSettle { next.resume() }
        waitingToSettle = []
    }

    /// Tries again in the background as long as something is open, each time after a longer while.
    private func forward() {
        guard forwarder == nil, !open.isEmpty else { return }
        forwarder = Task { [weak self, configuration] in
            var pause = configuration.limits.retry
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                guard let self, await self.forwardOnce() else { return }
                pause = min(pause * 2, max(.seconds(60), configuration.limits.retry))
            }
        }
    }

    /// - Returns: Whether something is still open.
    private func forwardOnce() async -> Bool {
        await settleOpen()
        if open.isEmpty { forwarder = nil }
        return !open.isEmpty
    }
}

extension Terminal {
    /// One step of an open entry towards its end.
    ///
    /// - Returns: The entry as it is now, and whether the host could be reached.
    private func step(_ entry: JournalEntry) async -> (JournalEntry, Bool) {
        var entry = entry
        do throws(HostError) {
            switch entry.stage {
            case .begun, .finished: entry.stage = .finished
            case .asking, .answered: try await lookInto(&entry)
            case .owing: break
            }
            if entry.stage == .owing, let due = entry.due { try await deliver(due, &entry) }
        } catch {
            guard error.isFinal else {
                try? await journal.update(entry)
                return (entry, !(error.code == .unreachable || error.leavesOutcomeUnknown))
            }
            entry.refused(error)
        }
        do throws(JournalError) {
            try await journal.update(entry)
        } catch {
            // It is done again after a restart, which does no harm: the host knows the order.
            entry.stage = .finished
        }
        return (entry, true)
    }

    /// What became of a request that a process before this one did not see the end of.
    private func lookInto(_ entry: inout JournalEntry) async throws(HostError) {
        let orderID = entry.orderID
        let status: OrderStatus
        if let answer = entry.answer {
            status = .decided(answer)
        } else {
            do throws(HostError) {
                status = try await asking(configuration.limits.inquiry) { host throws(HostError) in try await host.status(of: orderID) }
            } catch {
                // A host that cannot be asked is told to undo whatever it did.
                guard error.isFinal else { throw error }
                status = .notSeen
            }
        }
        let rules = PaymentRules(
            amount: entry.amount, allowsPartialApproval: entry.allowsPartialApproval, responseCodes: configuration.responseCodes,
            takesCardApproval: false, deferrable: [])
        let verdict: PaymentVerdict
        var answer: AuthorizationResponse?
        switch status {
        case .decided(let decision):
            try decision.check(against: entry.amount)
            answer = decision
            // What the card made of the answer nobody knows any more.
            verdict = entry.needsCard && rules.authorizes(decision) ? .reversed(.terminalTerminated) : PaymentVerdict(decision, rules)
        case .reversed: verdict = PaymentVerdict(outcome: .reversed(.terminalTerminated), due: nil)
        case .notSeen, .pending: verdict = .unknown(.terminalTerminated)
        }
        entry.response = response(entry, verdict, answer, nil, nil)
        if case .reversed = status { entry.response?.reversal = .performed }
        entry.answer = nil
        entry.due = verdict.due.flatMap { JournalEntry.Due($0) }
        entry.stage = entry.due == nil ? .finished : .owing
    }

    private func deliver(_ due: JournalEntry.Due, _ entry: inout JournalEntry) async throws(HostError) {
        switch due {
        case .confirmation(let chipData): try await tell(entry.orderID, .finished(chipData: chipData))
        case .reversal(let reason):
            try await tell(entry.orderID, .reversed(reason))
            entry.undone(reason)
        case .advice(let payment):
            guard let request = payment.request(entry.orderID, .online) else { throw .damagedPayment }
            try await tell(entry.orderID, .approvedOffline(request))
            entry.response?.setOutcome(.approved, "approved by the card")
        case .authorization(let payment):
            guard let request = payment.request(entry.orderID, .deferred) else { throw .damagedPayment }
            let answer = try await authorizeOnce(request)
            let rules = PaymentRules(
                amount: entry.amount, allowsPartialApproval: false, responseCodes: configuration.responseCodes, takesCardApproval: false,
                deferrable: [])
            let verdict = PaymentVerdict(answer, rules)
            var settled = response(entry, verdict, answer, nil, nil)
            if let stored = entry.response { settled.keep(cardOf: stored) }
            entry.response = settled
            if let due = verdict.due.flatMap({ JournalEntry.Due($0) }) {
                entry.due = due
                try await deliver(due, &entry)
            }
        }
        entry.due = nil
        entry.stage = .finished
    }

    /// Authorises what may have been sent before: the host is asked first, and told once.
    private func authorizeOnce(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        if let answer = try await decision(on: request) { return answer }
        do throws(HostError) {
            let answer = try await asking(nil) { host throws(HostError) in try await host.authorize(request) }
            try answer.check(against: request.amount)
            return answer
        } catch {
            // What was sent before has arrived between question and request.
            guard error.code == .orderAlreadyProcessed, let answer = try await decision(on: request) else { throw error }
            return answer
        }
    }

    private func decision(on request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse? {
        let status = try await asking { host throws(HostError) in try await host.status(of: request.orderID) }
        guard case .decided(let answer) = status else { return nil }
        try answer.check(against: request.amount)
        return answer
    }

    private func tell(_ orderID: OrderID, _ result: Completion.Result) async throws(HostError) {
        let completion = Completion(orderID: orderID, result: result)
        try await asking { host throws(HostError) in try await host.complete(completion) }
    }
}

extension Terminal {
    /// Undoes a payment of this terminal that was approved and has not been settled.
    ///
    /// - Throws: ``TerminalError/Code/notAllowed`` if the host says that it is too late: then refund it.
    public func reverse(_ orderID: OrderID) async throws(TerminalError) -> PaymentResponse {
        try await exclusively(.reversal, orderID.text, announcing: { .cleared($0) }) { (terminal) async throws(TerminalError) in
            let (response, isNew) = try await terminal.orderReversal(orderID)
            guard isNew else { return response }
            terminal.announce(.progress(.reversing))
            let settled = await terminal.settleOpen(quietly: orderID).first { $0.orderID == orderID }
            let outcome = settled?.response ?? response
            guard case .reversed = outcome.outcome else {
                throw TerminalError(.notAllowed, "the host does not undo the payment any more: refund it")
            }
            return outcome
        }
    }

    /// Makes a reversal the next thing that the host is told of the order.
    ///
    /// - Returns: The response as it is now, and whether there was anything to undo that is not being undone already.
    private func orderReversal(_ orderID: OrderID) async throws(TerminalError) -> (PaymentResponse, isNew: Bool) {
        await beginSettling()
        defer { endSettling() }
        let known = try await written { journal throws(JournalError) in try await journal.entry(for: orderID) }
        guard var entry = known, var response = entry.response else {
            throw TerminalError(.transactionUnknown, "this terminal has no payment with the order id: check it, or ask the host for it")
        }
        switch response.outcome {
        case .reversed, .unknown: return (response, false)
        case .declined: throw TerminalError(.notAllowed, "the payment was declined: there is nothing to undo")
        case .approved, .partiallyApproved, .storedOffline: break
        }
        try passPointOfNoReturn()
        response.awaitReversal(.requested)
        entry.due = .reversal(.requested)
        entry.stage = .owing
        entry.response = response
        try await write(entry)
        open.removeAll { $0.orderID == orderID }
        open.append(entry)
        return (response, true)
    }
}

extension JournalEntry {
    fileprivate mutating func undone(_ reason: ReversalReason) {
        response?.reversal = .performed
        response?.setOutcome(.reversed(reason), PaymentResponse.words(.reversed(reason), .performed, nil, nil))
    }

    /// The host will not have what it is owed, now or later.
    fileprivate mutating func refused(_ error: HostError) {
        let words = CardNumberScan.masked(error.message)
        switch due {
        case .reversal where error.code == .notAllowed:
            // It was charged and stays so.
            response?.reversal = .none
            response?.setOutcome(.approved, "the host does not undo the payment (\(words)): refund it")
        case .reversal:
            response?.reversal = .none
            response?.setOutcome(.unknown, "the host can neither say what became of the payment nor undo it (\(words)): ask the acquirer")
        case .advice, .authorization: response?.setOutcome(.declined, "the host does not take the payment: \(words)")
        case .confirmation, nil: break
        }
        due = nil
        stage = .finished
    }
}

extension PaymentResponse {
    /// What the card and the cardholder did when the payment was stored is part of it once the host has taken it.
    fileprivate mutating func keep(cardOf stored: PaymentResponse) {
        emvTags = emvTags ?? stored.emvTags
        receipt.chip = receipt.chip ?? stored.receipt.chip
        guard isApproved else { return }
        receipt.signatureWanted = stored.receipt.signatureWanted
        receipt.signature = stored.receipt.signature
    }

    /// What was authorised is told until it is undone: the host may refuse to.
    fileprivate mutating func awaitReversal(_ reason: ReversalReason) {
        outcome = .reversed(reason)
        receipt.outcome = outcome
        reversal = .pending
        description = Self.words(outcome, .pending, nil, nil)
    }

    fileprivate mutating func setOutcome(_ outcome: Outcome, _ description: String) {
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
    fileprivate static let damagedPayment = HostError(.invalidRequest, "the stored payment cannot be read")

    /// Whether asking again would change nothing.
    fileprivate var isFinal: Bool {
        switch code {
        case .unreachable, .noAnswer, .answerNotGenuine, .failed, .notAuthorized: false
        case .orderAlreadyProcessed, .transactionUnknown, .notAllowed, .secureCardExists, .secureCardUnknown, .secureCardDeleted,
            .cardRefused, .validationFailed, .invalidRequest, .notSupported:
            true
        }
    }
}
