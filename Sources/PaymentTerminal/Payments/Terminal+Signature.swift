import CardCapture

extension Terminal {
    /// Has the cardholder sign, where that does not happen on paper. Without a signature the payment is undone; one that the host has
    /// not seen yet is not stored.
    ///
    /// - Returns: What the payment comes to, and the signature that stands for it; nil on paper, and where it does not count.
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

    /// Whether the host's interface has a place for what is told after the decision. If the host does not say, it is sent.
    func hostCarries(_ field: PaymentField) async -> Bool {
        let missing = try? await asking(configuration.limits.inquiry) { host throws(HostError) in try await host.fieldsNotCarried() }
        return missing?.contains(field) != true
    }
}

extension PaymentVerdict {
    /// Whether the host has decided already. A payment that is to be sent later takes its signature along.
    var isSignedAfterDecision: Bool {
        switch due {
        case .confirmation, nil: true
        case .advice, .declineAdvice, .authorization, .reversal, .reversalIfOurs: false
        }
    }

    /// Whether the merchant hands over the goods.
    var isTaken: Bool { outcome.isTaken }

    /// The verdict once nobody has signed: the host does not know what was to be stored, and has nothing to undo.
    fileprivate func undone(_ reason: ReversalReason) -> PaymentVerdict { outcome == .storedOffline ? .declined : .reversed(reason) }
}
