extension Terminal {
    /// Reverses an approved payment of this terminal that has not been settled.
    ///
    /// - Returns: The response as it is now. Its outcome is ``PaymentResponse/Outcome/unknown`` if
    ///   the journal could not be written: the terminal goes on trying, and ``reverse(_:)`` may be
    ///   called again.
    /// - Throws: ``HostError/Refusal/notAllowed`` if the host says that it is too late: then refund
    ///   it. ``HostError/Failure/noAnswer`` while the journal cannot take how the payment ended.
    public func reverse(_ orderID: OrderID) async throws(TerminalError) -> PaymentResponse {
        try await exclusively(.reversal, orderID.text, announcing: { .cleared($0) }) {
            (terminal) async throws(TerminalError) in
            let (response, ordered) = try await terminal.orderReversal(orderID)
            guard let ordered else { return response }
            terminal.announce(.progress(.reversing))
            let outcome = await terminal.recover(ordered).response ?? response
            guard case .reversed = outcome.outcome else {
                throw TerminalError(.notAllowed, "the host no longer accepts a reversal: refund the payment")
            }
            return outcome
        }
    }

    /// Makes a reversal the next message to the host about the order.
    ///
    /// - Returns: The current response, and the entry if there is something to undo that is not
    ///   already being undone.
    private func orderReversal(_ orderID: OrderID) async throws(TerminalError) -> (PaymentResponse, JournalEntry?) {
        await claim(orderID)
        defer { pending.orders.release(orderID) }
        let known: JournalEntry?
        if let entry = pending.orders[orderID] {
            known = entry
        } else {
            known = try await written { journal throws(JournalError) in try await journal.entry(for: orderID) }
        }
        guard let entry = known, let response = entry.response else {
            throw TerminalError(
                .transactionUnknown, "this terminal has no payment with the order id: check it, or ask the host for it")
        }
        // An end that only memory has is written first: it would be lost with the process.
        if !pending.orders.isWritten(orderID), entry.stage == .finished, await !write(entry, .lasting) {
            forward()
            throw TerminalError(.hostFailed(.noAnswer), "the outcome of the order is not known yet: ask again later")
        }
        var order = JournaledOrder(entry: entry, keeping: .journaled)
        switch response.outcome {
        // An unwritten reversal is written first: it would be lost with the process.
        case .reversed where !pending.orders.isWritten(orderID): break
        case .reversed, .unknown: return (pending.orders.told(orderID)?.response ?? response, nil)
        case .declined: throw TerminalError(.notAllowed, "the payment was declined: there is nothing to reverse")
        case .approved, .partiallyApproved, .storedOffline:
            try passPointOfNoReturn(of: operations)
            order.entry.due = .reversal(.requested)
            order.entry.stage = .owing
            order.entry.response = response.awaitingReversal(.requested)
        }
        do throws(TerminalError) {
            try await saveClaimed(&order)
        } catch {
            // A failed write may still exist after a restart, and the host would then receive the
            // reversal.
            let unsure = response.unsureOfReversal(because: error)
            var told = order.entry
            told.response = unsure
            keepOpen(order.entry, isWritten: false, told: told)
            forward()
            return (unsure, nil)
        }
        keepOpen(order.entry)
        return (order.entry.response ?? response, order.entry)
    }
}
