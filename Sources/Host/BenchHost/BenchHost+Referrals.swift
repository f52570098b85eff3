import CardCapture
public import PaymentTerminal

extension BenchHost {
    public func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError)
        -> AuthorizationResponse
    {
        try await approveReferral(of: orderID, approvalCode: approvalCode, by: nil).answer
    }

    /// As ``approveReferral(of:approvalCode:)``, for a sender that may speak for some terminals
    /// only.
    ///
    /// - Parameter terminals: nil for all of them. An order of another is unknown.
    /// - Throws: ``PaymentTerminal/HostError/Refusal/notAllowed`` for an order that was not
    ///   referred or has another code, and for the code 000000, which the test issuer does not
    ///   give.
    public func approveReferral(
        of orderID: OrderID, approvalCode: String, by terminals: [String]?
    ) async throws(HostError) -> BenchTransaction {
        guard approvalCode.utf8.count == 6, approvalCode.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else {
            throw HostError(.invalidRequest, "an approval code has six letters or digits")
        }
        return try await transaction { vault in
            guard var order = try vault.order(orderID, of: terminals) else { throw HostError.unknownTransaction }
            if order.isApprovedReferral, order.record.approvalCode == approvalCode { return BenchTransaction(order) }
            guard order.record.state == .declined, order.isReferred else {
                throw HostError(.notAllowed, "the order does not wait for a call to the issuer")
            }
            guard approvalCode != "000000" else {
                throw HostError(.notAllowed, "the issuer did not give this approval code")
            }
            order.approveReferral(approvalCode)
            try vault.save(order)
            return BenchTransaction(order)
        }
    }
}

extension StoredOrder {
    /// Whether the issuer wants a call.
    fileprivate var isReferred: Bool { record.responseCode.map { ResponseCode(rawValue: $0).isReferral } ?? false }

    /// Whether it was referred, and approved on the telephone.
    fileprivate var isApprovedReferral: Bool { answer?.wasReferred == true && record.state == .approved }

    /// Takes the decision that the issuer gave on the telephone.
    fileprivate mutating func approveReferral(_ approvalCode: String) {
        guard let referral = answer, let amount = record.amount else { return }
        let code = ResponseCode.approved
        record.state = .approved
        record.responseCode = code.rawValue
        record.authorizedAmount = amount
        record.approvalCode = approvalCode
        answer = Answer(
            response: AuthorizationResponse(
                uniqueReference: record.uniqueReference,
                issuer: IssuerAnswer.Answer(responseCode: code.rawValue, approvalCode: approvalCode),
                authorizedAmount: amount, card: referral.response.card, checks: referral.response.checks,
                message: code.summary,
                isAuthorized: true),
            operatorName: referral.operatorName, reason: referral.reason,
            allowsTipAdjustment: referral.allowsTipAdjustment,
            wasReferred: true)
    }
}
