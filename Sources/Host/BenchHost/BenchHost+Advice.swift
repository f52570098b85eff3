public import PaymentTerminal
import SealedStore
import TLV

extension BenchHost {
    public func advise(_ advice: Advice) async throws(HostError) { try await advise(advice, by: nil) }

    /// As ``advise(_:)``, for a sender that may act only for some terminals.
    ///
    /// A reversal that arrives before its order is kept for the orders of these terminals, and does
    /// not block orders of others.
    /// - Parameter terminals: nil for all of them. An order of another is unknown.
    public func advise(_ advice: Advice, by terminals: [String]?) async throws(HostError) {
        let taken: AuthorizationRequest? =
            if case .declinedOffline(let request) = advice.result { request } else { nil }
        if let taken {
            try refuseAmount(taken.amount, isZeroAllowed: true, settings: try await settings(of: taken.terminalID))
        }
        try await transaction { [self] vault in
            let known = try vault.order(advice.orderID, of: taken.map { [$0.terminalID] } ?? terminals)
            switch advice.result {
            case .finished(let chipData, let signature):
                guard var order = known else { throw HostError.unknownTransaction }
                order.finalCryptogram =
                    try DataElements(parsing: chipData)[.applicationCryptogram] ?? order.finalCryptogram
                order.signature = signature ?? order.signature
                try vault.keep(cryptogram: order.finalCryptogram, panLookup: order.panLookup)
                try vault.save(order)
            case .declinedOffline(let request): try recordOfflineDecline(of: request, known, vault)
            case .reversed(let reason):
                guard let known else { return try vault.saveEarlyReversal(of: advice.orderID, by: terminals) }
                try reverse(known, because: reason, vault)
            }
        }
    }

    /// Records an approval by the card, even if the host has approved the same order and its answer
    /// was lost: the goods have been handed over.
    func recordOfflineApproval(
        of request: AuthorizationRequest, _ settings: HostSettings, _ vault: VaultTransaction
    ) throws -> StoredOrder {
        let known = try vault.order(request.orderID, of: [request.terminalID])
        let card = try self.card(of: request, vault)
        let panLookup = vault.keys.lookupValue(of: card.pan)
        var order: StoredOrder
        switch OfflineApproval(known, request, panLookup: panLookup) {
        case .refused(let error): throw error
        case .again:
            guard let known else { throw HostError.unknownTransaction }
            order = known
        case .new:
            guard try !vault.isReversedEarly(request.orderID, of: [request.terminalID]) else { throw Self.isReversed }
            try refuseAmount(request.amount, settings: settings)
            try refuseUndeclared(request.terms.customFields, settings: settings)
            try refuseUnknownRange(card)
            order = StoredOrder(request, card, uniqueReference: try vault.unusedUniqueReference(), panLookup: panLookup)
            order.record.state = .approvedOffline
            order.record.authorizedAmount = request.amount
        }
        order.finalCryptogram =
            try DataElements(parsing: request.chipData ?? [])[.applicationCryptogram] ?? order.finalCryptogram
        order.signature = request.signature ?? order.signature
        try vault.keep(cryptogram: order.finalCryptogram, panLookup: panLookup)
        try vault.save(order)
        return order
    }

    /// Records a decline for which the card asked for an advice. A known order does not change.
    private func recordOfflineDecline(
        of request: AuthorizationRequest, _ known: StoredOrder?, _ vault: VaultTransaction
    ) throws {
        guard known == nil, try !vault.isReversedEarly(request.orderID, of: [request.terminalID]) else { return }
        let card = try self.card(of: request, vault)
        try refuseUnknownRange(card)
        var order = StoredOrder(
            request, card, uniqueReference: try vault.unusedUniqueReference(),
            panLookup: vault.keys.lookupValue(of: card.pan))
        order.record.state = .declined
        order.record.responseCode = "Z1"
        order.finalCryptogram = try DataElements(parsing: request.chipData ?? [])[.applicationCryptogram]
        try vault.keep(cryptogram: order.finalCryptogram, panLookup: order.panLookup)
        try vault.save(order)
    }

    private static let isReversed = HostError(.notAllowed, "the order was reversed and can no longer be approved")

    private func reverse(_ known: StoredOrder, because reason: ReversalReason, _ vault: VaultTransaction) throws {
        guard known.record.state != .reversed else { return }
        var order = known
        guard ![.captured, .settled].contains(order.record.state), order.record.refundedAmount == nil else {
            throw HostError(
                .notAllowed,
                "the transaction was \(order.record.refundedAmount == nil ? "\(order.record.state)" : "refunded"): refund it instead"
            )
        }
        order.record.state = .reversed
        order.record.reversalReason = reason
        try vault.save(order)
        if order.record.kind == .capture, let original = order.record.original { try release(original, vault) }
        if reason != .requested, let token = order.answer?.response.secureCardReference {
            try vault.deleteSecureCard(behind: token)
        }
    }

    /// Allows another capture of a pre-authorisation.
    private func release(_ uniqueReference: String, _ vault: VaultTransaction) throws {
        guard var original = try vault.order(uniqueReference: uniqueReference), original.record.state == .captured
        else { return }
        original.record.state = .approved
        try vault.save(original)
    }
}
