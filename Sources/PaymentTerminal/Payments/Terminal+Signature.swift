import CardCapture

extension Terminal {
    /// Has the cardholder sign, where that does not happen on paper. Without a signature the payment is undone (A33, A34).
    ///
    /// - Returns: What the payment comes to, and the signature that stands for it; nil on paper, and where it does not count.
    func signed(_ verdict: PaymentVerdict, _ card: CapturedCardView, _ amount: Money) async -> (PaymentVerdict, Signature?) {
        guard case .captured(let isVerified) = configuration.signature else { return (verdict, nil) }
        let limit = configuration.limits.person
        announce(.progress(.waitingForSignature))
        let request = SignatureRequest(card: card.card, amount: amount)
        announce(.signatureRequired(request))
        switch await answer(request.race, within: limit, else: .timedOut) {
        case .declined: return (.reversed(.signatureDeclined), nil)
        case .timedOut: return (.reversed(.signatureVerificationTimeout), nil)
        case .signed(let signature):
            guard isVerified else { return (verdict, signature) }
            announce(.progress(.verifyingSignature))
            let verification = SignatureVerification(signature: signature, card: card.card)
            announce(.signatureToVerify(verification))
            switch await answer(verification.race, within: limit, else: nil) {
            case true?: return (verdict, signature)
            case false?: return (.reversed(.signatureDeclined), nil)
            case nil: return (.reversed(.signatureVerificationTimeout), nil)
            }
        }
    }
}
