import CardCapture
private import EMVKernel
private import TLV

/// Payments that were accepted without the host, and that it decides on or records later.
extension Terminal {
    /// Sends a stored payment, and ends it by what the host has booked.
    ///
    /// One that may have been sent before is asked for first. A refusal of a repetition says
    /// nothing about the first request: the host's record does.
    ///
    /// - Throws: An error after which the payment is sent again later.
    func authorize(
        _ payment: StoredPayment, _ processing: AuthorizationRequest.Processing, _ entry: inout JournalEntry,
        within limit: Duration?
    ) async throws(HostError) {
        guard let request = payment.request(entry.orderID, processing, signature: entry.response?.receipt.signature)
        else {
            entry.response?.setOutcome(.declined, "the stored payment cannot be read: nothing is charged")
            return entry.finish()
        }
        let mayHaveArrived = pending.orders.isInDoubt(entry.orderID)
        if mayHaveArrived {
            var isMissing = true
            if try await concludeStored(&entry, processing, within: limit, orElse: { isMissing = $1 }) { return }
            if !isMissing, try await concludeListed(&entry, within: limit) { return }
        }
        do throws(HostError) {
            let answer = try await asking("authorization of \(request.orderID)", limit) { host throws(HostError) in
                try await host.authorize(request)
            }
            conclude(&entry, processing, answer)
        } catch {
            guard error.isFinal else { throw error }
            let isKnownToHost = error.code == .refused(.orderAlreadyProcessed)
            guard isKnownToHost || mayHaveArrived else {
                entry.response?.setOutcome(
                    .declined, "the host refuses the payment: \(CardNumberScan.masked(error.message))")
                return entry.finish()
            }
            let refusal = error
            _ = try await concludeStored(&entry, processing, within: limit) { entry, isMissing throws(HostError) in
                try self.endRefused(&entry, refusal, isMissing: isMissing)
            }
        }
    }

    /// Ends a stored payment that the host has in its list, and of which it does not say how it ended.
    /// It is not sent again: of one that a restored journal has as stored, the host may have
    /// forgotten the order id.
    ///
    /// - Returns: Whether the payment has an end.
    /// - Throws: ``HostError/Failure/noAnswer`` while the host may still say more; the host's error
    ///   while its list cannot be read.
    private func concludeListed(_ entry: inout JournalEntry, within limit: Duration?) async throws(HostError) -> Bool {
        let mayStillTell = pending.orders.age(of: entry.orderID) < configuration.limits.transit
        // A host that refuses its list for a reason of its own has said nothing about the payment.
        switch try await identity(of: entry, limit) {
        case .same, .unclear: break
        case .other, .missing, .notListed: return false
        }
        guard !mayStillTell else {
            throw HostError(.noAnswer, "the host has the stored payment, and does not say how it ended")
        }
        entry.response?.endUnknown("the host does not say how the stored payment ended: ask the acquirer")
        entry.finish()
        return true
    }

    /// Ends a stored payment that the host refused, and whose record it does not return.
    private func endRefused(_ entry: inout JournalEntry, _ error: HostError, isMissing: Bool) throws(HostError) {
        let words = CardNumberScan.masked(error.message)
        let isKnownToHost = error.code == .refused(.orderAlreadyProcessed)
        if isMissing, pending.orders.age(of: entry.orderID) < configuration.limits.transit {
            throw HostError(.noAnswer, "the host may have the order, and does not return it yet")
        }
        if isMissing, !isKnownToHost {
            entry.response?.setOutcome(.declined, "the host refuses the payment: \(words)")
        } else {
            entry.response?.endUnknown(
                "the host does not say how the stored payment ended (\(words)): ask the acquirer")
        }
        entry.finish()
    }

    /// Ends a stored payment by the host's record of it.
    ///
    /// - Parameter missing: Called if the host has no record (`isMissing`), or cannot be asked for
    ///   it.
    /// - Returns: Whether the payment has an end, or its next message.
    /// - Throws: ``HostError/Failure/noAnswer`` while the host has not decided.
    private func concludeStored(
        _ entry: inout JournalEntry, _ processing: AuthorizationRequest.Processing, within limit: Duration?,
        orElse missing: (_ entry: inout JournalEntry, _ isMissing: Bool) throws(HostError) -> Void
    ) async throws(HostError) -> Bool {
        let status: OrderStatus
        do throws(HostError) {
            status = try await self.status(of: entry, limit)
        } catch {
            guard error.isFinal else { throw error }
            guard error.code == .refused(.orderAlreadyProcessed) else {
                try missing(&entry, false)
                return false
            }
            if case .other = try await identity(of: entry, limit) {
                entry.response?.setOutcome(.declined, "the host has another order with this id: nothing is charged")
            } else {
                entry.response?.endUnknown(
                    PaymentResponse.summary(.unknown, reversal: .none, message: nil, reason: nil))
            }
            entry.finish()
            return true
        }
        switch status {
        case .decided(let answer): conclude(&entry, processing, answer)
        case .pending: throw HostError(.noAnswer, "the host has not decided on the stored payment yet")
        case .reversed:
            let verdict = PaymentVerdict(outcome: .reversed(.terminalTerminated), due: nil)
            entry.conclude(verdict, PaymentResponse(entry, verdict, answer: nil, at: configuration), nil)
            entry.response?.reversal = .performed
        case .notSeen:
            try missing(&entry, true)
            return false
        }
        return true
    }

    /// Asks the host for its decision on an order that the journal had lost. Nobody knows what the
    /// caller was told, so that nothing is reversed.
    ///
    /// - Throws: ``HostError/Failure/noAnswer`` while the host has not decided.
    func inquire(_ entry: inout JournalEntry, _ limit: Duration?) async throws(HostError) {
        do throws(HostError) {
            switch try await status(of: entry, limit) {
            case .pending: throw HostError(.noAnswer, "the host has not decided on the order yet")
            case .decided(let answer):
                guard !mayStillBeApproved(entry, answer) else {
                    throw HostError(.noAnswer, "the code that approves the referred order may be on its way")
                }
                var verdict = PaymentVerdict.declined
                if answer.isHeld(by: configuration.responseCodes) {
                    verdict = PaymentVerdict(
                        outcome: answer.authorizedAmount == entry.amount ? .approved : .partiallyApproved, due: nil)
                }
                entry.conclude(
                    verdict, PaymentResponse(entry, verdict, answer: answer, at: configuration), answer)
            case .reversed: entry.undone(.requested)
            case .notSeen: break
            }
        } catch {
            guard error.isFinal else { throw error }
        }
        entry.finish()
    }

    /// Whether the code of a call may still come to a referred order that the journal had lost.
    private func mayStillBeApproved(_ entry: JournalEntry, _ answer: AuthorizationResponse) -> Bool {
        configuration.callsIssuer && configuration.responseCodes.referral.contains(answer.issuer.responseCode)
            && !answer.isHeld(by: configuration.responseCodes)
            && pending.orders.age(of: entry.orderID) < configuration.limits.transit
    }

    /// Applies the host's decision on a stored payment.
    private func conclude(
        _ entry: inout JournalEntry, _ processing: AuthorizationRequest.Processing, _ answer: AuthorizationResponse
    ) {
        var rules = PaymentRules(entry, configuration)
        // The code of an advice's answer is no decision of the issuer.
        rules.acceptsEveryCode = processing == .approvedOffline
        let verdict = answer.isWithin(entry.amount) ? PaymentVerdict(answer, rules) : .reversed(.terminalTerminated)
        var concluded = PaymentResponse(entry, verdict, answer: answer, at: configuration)
        if let stored = entry.response {
            concluded.keep(cardOf: stored)
            if processing == .approvedOffline, verdict.outcome == .approved {
                concluded.responseCode = stored.responseCode
                concluded.setOutcome(.approved, "approved by the card")
            }
        }
        entry.conclude(verdict, concluded, answer)
    }
}
