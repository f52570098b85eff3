private import TLV

/// Reversals, and what the host's record says when it refuses one.
extension Terminal {
    /// Makes the host undo the order.
    ///
    /// The host's order with this id need not be this one, unless the host has answered the
    /// request: then the order is compared first.
    ///
    /// - Throws: An error after which the reversal is sent again later.
    func undo(_ entry: inout JournalEntry, _ reason: ReversalReason, _ limit: Duration?) async throws(HostError) {
        do throws(HostError) {
            try await checkHostKnows(entry)
            let finding: Advice.Finding
            if let reference = entry.response?.uniqueReference ?? entry.answer?.uniqueReference {
                finding = .transaction(uniqueReference: reference)
            } else {
                guard let found = try await lookedUp(&entry, limit) else { return }
                finding = found
            }
            try await tell(entry.orderID, .reversed(reason), finding: finding, limit)
            entry.undone(reason)
            entry.finish()
        } catch {
            guard error.isFinal else { throw error }
            try await conclude(&entry, refusedToUndo: error, reason, limit)
        }
    }

    /// What the reversal is to undo or keep out; nil if the order has its end.
    private func lookedUp(_ entry: inout JournalEntry, _ limit: Duration?) async throws(HostError) -> Advice.Finding? {
        var isKnownToHost = false
        if case .reversalIfOurs = entry.due { isKnownToHost = true }
        switch try await identity(of: entry, limit) {
        case .same(let reference): return .transaction(uniqueReference: reference)
        case .missing where isKnownToHost:
            guard pending.orders.age(of: entry.orderID) >= configuration.limits.transit else {
                throw HostError(.noAnswer, "the host knows the order, and its list does not have it yet")
            }
            entry.response?.endUnknown(PaymentResponse.summary(.unknown, reversal: .none, message: nil, reason: nil))
        case .missing: return .nothing
        case .notListed:
            guard isKnownToHost else { return .notLookedUp }
            entry.response?.endUnknown(PaymentResponse.summary(.unknown, reversal: .none, message: nil, reason: nil))
        case .other:
            entry.response?.reversal = .none
            entry.response?.setOutcome(
                .declined, "the host has another order with this id: nothing is charged, choose another order id")
        case .unclear:
            entry.response?.endUnknown(PaymentResponse.summary(.unknown, reversal: .none, message: nil, reason: nil))
        }
        entry.finish()
        return nil
    }

    /// Ends an order that the host does not reverse. The refusal may answer the repetition of a
    /// reversal that was carried out, so the host's record of the order decides.
    ///
    /// - Throws: ``HostError/Failure/noAnswer`` while the record may still change.
    private func conclude(
        _ entry: inout JournalEntry, refusedToUndo error: HostError, _ reason: ReversalReason, _ limit: Duration?
    ) async throws(HostError) {
        let words = CardNumberScan.masked(error.message)
        let codes = configuration.responseCodes
        // The host had decided the payment before the merchant wanted it back, and cannot undo it.
        var stands =
            error.code == .refused(.notAllowed)
            || reason == .requested && error.code == .refused(.notSupported) && entry.response?.uniqueReference != nil
        // An answer in the journal that holds nothing is no approval that could stand.
        var decision = entry.answer.flatMap { $0.isHeld(by: codes) ? $0 : nil }
        let wasDeclined = entry.answer != nil && decision == nil && !entry.isReferred
        do throws(HostError) {
            switch try await status(of: entry, limit) {
            case .reversed:
                entry.undone(reason)
                return entry.finish()
            case .decided(let answer) where answer.isHeld(by: codes):
                decision = answer
                stands = true
            case .decided
            where entry.isReferred && pending.orders.age(of: entry.orderID) < configuration.limits.transit:
                throw HostError(.noAnswer, "the approval code may still be on its way")
            case .decided: return entry.endDeclined()
            case .pending: throw HostError(.noAnswer, "the host has not decided on the order yet")
            case .notSeen: break
            }
        } catch {
            guard error.isFinal else { throw error }
        }
        if wasDeclined, decision == nil { return entry.endDeclined() }
        if pending.orders.isInDoubt(entry.orderID),
            pending.orders.age(of: entry.orderID) < configuration.limits.transit, stands
        {
            throw HostError(.noAnswer, "an earlier reversal may have been carried out: the host's record may be late")
        }
        if stands, decision != nil || entry.response?.uniqueReference != nil {
            entry.response?.reversal = .none
            let requested = entry.amount
            entry.response?.stand(
                decision, of: requested, "the host refuses the reversal (\(words)): refund the payment")
        } else {
            entry.response?.endUnknown(
                "the host can neither report the outcome nor reverse the payment (\(words)): ask the acquirer")
        }
        entry.finish()
    }
}

extension JournalEntry {
    fileprivate mutating func endDeclined() {
        response?.reversal = .none
        response?.setOutcome(.declined, "the host has declined the payment: nothing is charged")
        finish()
    }
}

extension PaymentResponse {
    /// The host can neither say how the order ended nor undo it.
    mutating func endUnknown(_ description: String) {
        reversal = .none
        setOutcome(.unknown, description)
    }
}
