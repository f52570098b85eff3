import CardCapture

extension Terminal {
    /// How a cardholder signed.
    enum SigningResult {
        /// Nil on paper.
        case signed(Signature?)
        /// Without a signature the payment is undone.
        case notSigned(ReversalReason)
    }

    /// Asks the cardholder to sign, unless on paper, and the attendant to verify the signature, if
    /// so configured.
    func signature(_ card: CapturedCardView, _ entry: JournalEntry) async -> SigningResult {
        guard case .captured(let isVerified) = configuration.signature else { return .signed(nil) }
        let limit = configuration.limits.person
        announce(.progress(.waitingForSignature))
        let request = SignatureRequest(card: card.card, amount: entry.amount, tip: entry.tip)
        announce(.signatureRequired(request))
        switch await answer(request.race, within: limit, else: .timedOut) {
        case .declined: return .notSigned(.signatureDeclined)
        case .timedOut: return .notSigned(.signatureVerificationTimeout)
        case .signed(let signature):
            guard isVerified else { return .signed(signature) }
            announce(.progress(.verifyingSignature))
            let verification = SignatureVerification(signature: signature, card: card.card)
            announce(.signatureToVerify(verification))
            switch await answer(verification.race, within: limit, else: nil) {
            case true?: return .signed(signature)
            case false?: return .notSigned(.signatureDeclined)
            case nil: return .notSigned(.signatureVerificationTimeout)
            }
        }
    }

    /// Whether the host's interface supports a field that is sent after the decision. If the host
    /// does not say, it is sent.
    func hostCarries(_ field: PaymentField) async -> Bool {
        let missing = try? await asking("fields of the interface", configuration.limits.inquiry) {
            host throws(HostError) in
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
}
