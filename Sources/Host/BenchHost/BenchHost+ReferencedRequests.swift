public import PaymentTerminal

extension BenchHost {
    public func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await transact(.refund, request).answer
    }

    public func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await transact(.capture, request).answer
    }

    /// The kind of a ``ReferencedRequest``.
    public enum Reference: Sendable {
        case refund, capture
    }

    /// As ``refund(_:)`` or ``capture(_:)``, with the host's record of the transaction.
    public func transact(_ kind: Reference, _ request: ReferencedRequest) async throws(HostError) -> BenchTransaction {
        try await playing(HostFault(request.amount)) { () async throws(HostError) in try await decide(kind, request) }
    }

    private func decide(_ kind: Reference, _ request: ReferencedRequest) async throws(HostError) -> BenchTransaction {
        let settings = try await settings(of: request.terminalID)
        return try await transaction { [self] vault in
            try vault.refuseKnown(request.orderID, of: request.terminalID)
            try refuseAmount(request.amount, settings: settings)
            guard var original = try vault.order(uniqueReference: request.original),
                original.terminalID == request.terminalID
            else { throw HostError.unknownTransaction }
            switch kind {
            case .refund:
                original = try vault.capture(of: original.record.uniqueReference) ?? original
                try original.record.refuseRefund(of: request.amount)
            case .capture: try original.refuseCapture(of: request.amount, tipAllowance: rules.tipAllowance)
            }
            var order = StoredOrder(kind, request, of: original, uniqueReference: try vault.unusedUniqueReference())
            order.decide(
                issuer.decide(referenced: request.amount),
                card: original.record.maskedPAN.map { CardSummary(maskedPAN: $0) },
                operatorName: request.operatorName, reason: request.reason, requested: request.amount)
            try vault.save(order)
            if kind == .capture, order.record.state == .approved {
                original.record.state = .captured
                try vault.save(original)
            }
            return BenchTransaction(order)
        }
    }
}

extension HostError {
    static let unknownTransaction = HostError(.transactionUnknown, "transaction not found: check the reference")
}

extension TransactionRecord {
    /// The amount of a payment that can still be refunded.
    fileprivate var refundable: Money? {
        guard let authorizedAmount else { return nil }
        return Money(
            minorUnits: authorizedAmount.minorUnits - (refundedAmount?.minorUnits ?? 0),
            currency: authorizedAmount.currency)
    }

    fileprivate func refuseRefund(of amount: Money) throws(HostError) {
        guard [.sale, .capture].contains(kind), [.approved, .approvedOffline, .settled].contains(state), let refundable
        else {
            throw HostError(
                .notAllowed, "only an approved sale or a capture can be refunded: this transaction is \(kind), \(state)"
            )
        }
        guard amount.currency == refundable.currency, amount.minorUnits <= refundable.minorUnits else {
            throw HostError(.notAllowed, "at most \(refundable) of this transaction can still be refunded")
        }
    }

}

extension Int64 {
    /// The amount and so much of it more; at most the greatest number.
    fileprivate func plus(percent: Int64) -> Int64 {
        let (factor, isTooLarge) = percent.addingReportingOverflow(100)
        let (product, isLarger) = multipliedReportingOverflow(by: factor)
        return isTooLarge || isLarger ? .max : product / 100
    }
}

extension StoredOrder {
    fileprivate func refuseCapture(of amount: Money, tipAllowance: Int64) throws(HostError) {
        let isOpen = record.kind == .preAuthorization || record.kind == .sale && answer?.allowsTipAdjustment == true
        guard isOpen, record.state == .approved, let authorizedAmount = record.authorizedAmount else {
            throw HostError(
                .notAllowed,
                "only an approved pre-authorisation, or a sale with tip adjustment, can be captured: this transaction is \(record.kind), \(record.state)"
            )
        }
        let most = authorizedAmount.minorUnits.plus(percent: tipAllowance)
        guard amount.currency == authorizedAmount.currency, amount.minorUnits <= most else {
            throw HostError(
                .notAllowed,
                "\(Money(minorUnits: most, currency: authorizedAmount.currency)) is the maximum that can be captured")
        }
    }
}
