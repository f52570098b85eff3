import CardCapture

extension Terminal {
    /// Asks the cardholder to sign, unless on paper. Without a signature the payment is undone; a
    /// payment that the host has not received yet is not stored.
    ///
    /// - Returns: The verdict, and its signature; nil on paper, and if none is required.
    func signed(_ verdict: PaymentVerdict, _ card: CapturedCardView, _ amount: Money) async -> (PaymentVerdict, Signature?) {
        guard case .captured(let isVerified) = configuration.signature else { return (verdict, nil) }
        let limit = configuration.limits.person
        announce(.progress(.waitingForSignature))
        let request = SignatureRequest(card: card.card, amount: amount)
        announce(.signatureRequired(request))
        switch await answer(request.race, within: limit, else: .timedOut) {
        case .declined: return (verdict.undone(.signatureDeclined), nil)
        case .timedOut: return (verdict.undone(.signatureVerificationTimeout), nil)
        case .signed(let signature):
            guard isVerified else { return (verdict, signature) }
            announce(.progress(.verifyingSignature))
            let verification = SignatureVerification(signature: signature, card: card.card)
            announce(.signatureToVerify(verification))
            switch await answer(verification.race, within: limit, else: nil) {
            case true?: return (verdict, signature)
            case false?: return (verdict.undone(.signatureDeclined), nil)
            case nil: return (verdict.undone(.signatureVerificationTimeout), nil)
            }
        }
    }

    /// Whether the host's interface supports a field that is sent after the decision. If the host
    /// does not say, it is sent.
    func hostCarries(_ field: PaymentField) async -> Bool {
        let missing = try? await asking("fields of the interface", configuration.limits.inquiry) { host throws(HostError) in
            try await host.fieldsNotCarried()
        }
        return missing?.contains(field) != true
    }
}

extension PaymentVerdict {
    /// Whether the host has already decided. A payment that is sent later contains its signature.
    var isSignedAfterDecision: Bool {
        switch due {
        case .confirmation, nil: true
        case .advice, .declineAdvice, .authorization, .reversal, .reversalIfOurs: false
        }
    }

    /// Whether the merchant hands over the goods.
    var isTaken: Bool { outcome.isTaken }

    /// The verdict without a signature: for a payment that should be stored, the host has nothing
    /// to undo.
    fileprivate func undone(_ reason: ReversalReason) -> PaymentVerdict { outcome == .storedOffline ? .declined : .reversed(reason) }
}
