private import Bytes
import CardCapture

extension Terminal {
    /// Has the host make a token for a card: the one in the connected reader, or the one that the token method holds.
    ///
    /// A card in the reader goes to the host as it was captured: track or data objects, enciphered where the reader enciphers. It is verified
    /// before that with an authorisation of 0.00, which never settles, as ``Terminal/Configuration/secureCardVerification`` has it.
    public func registerSecureCard(_ secureCard: SecureCard) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively(.registerSecureCard, secureCard.merchantReference.text, announcing: { .secureCard($0) }) {
            (terminal) async throws(TerminalError) in
            if case .unchanged = secureCard.tokenMethod {
                throw TerminalError(.invalidRequest, "a new secure card needs a card: read it, or key its data")
            }
            let registration = try await terminal.registration(of: secureCard)
            return .saved(
                try await terminal.changing(secureCard.merchantReference) { host throws(HostError) in
                    try await host.registerSecureCard(registration)
                } wasDone: {
                    $0.isLike(registration)
                })
        }
    }

    /// The secure card as the host keeps it: to look at, or to change and give to ``editSecureCard(_:)``.
    public func retrieveSecureCard(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        try await exclusively(.retrieveSecureCard, reference.text, announcing: { .secureCard(.retrieved($0)) }) {
            (terminal) async throws(TerminalError) in
            try await terminal.retrieve(reference)
        }
    }

    /// Replaces card data and details of a secure card, or with ``TokenMethod/unchanged`` its details alone. Card data come as in
    /// ``registerSecureCard(_:)``; the token stays.
    public func editSecureCard(_ secureCard: SecureCard) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively(.editSecureCard, secureCard.merchantReference.text, announcing: { .secureCard($0) }) {
            (terminal) async throws(TerminalError) in
            let registration = try await terminal.registration(of: secureCard)
            return .updated(
                try await terminal.changing(secureCard.merchantReference) { host throws(HostError) in
                    try await host.updateSecureCard(registration)
                } wasDone: {
                    $0.isLike(registration)
                })
        }
    }

    /// Deletes a secure card and its token. The integrator is advised to mark it as deleted on its own side, and to keep the record.
    ///
    /// - Parameter token: nil has the terminal ask the host for it.
    public func deleteSecureCard(
        _ reference: MerchantReference, token: SecureCardReference? = nil
    ) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively(.deleteSecureCard, reference.text, announcing: { .secureCard($0) }) {
            (terminal) async throws(TerminalError) in
            let resolved = if let token { token } else { try await terminal.retrieve(reference).cardReference }
            guard let resolved else { throw TerminalError(.hostFailed, "the host returned no token for the secure card") }
            try terminal.passPointOfNoReturn(of: terminal.operations)
            do throws(HostError) {
                try await terminal.asking { host throws(HostError) in try await host.deleteSecureCard(reference, token: resolved) }
            } catch {
                guard error.leavesOutcomeUnknown, await terminal.isGone(reference) else { throw TerminalError(error) }
            }
            return .deleted
        }
    }

    private func retrieve(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        do throws(HostError) {
            return try await asking { host throws(HostError) in try await host.retrieveSecureCard(reference) }
        } catch {
            throw TerminalError(error)
        }
    }

    /// A change at the host. If its answer is lost the host is asked whether it was made.
    private func changing(
        _ reference: MerchantReference, _ change: @escaping @Sendable (any PaymentHost) async throws(HostError) -> SecureCard,
        wasDone: (SecureCard) -> Bool
    ) async throws(TerminalError) -> SecureCard {
        try passPointOfNoReturn(of: operations)
        do throws(HostError) {
            return try await asking(nil, change)
        } catch {
            guard error.leavesOutcomeUnknown, let kept = try? await retrieve(reference), wasDone(kept) else { throw TerminalError(error) }
            return kept
        }
    }

    private func isGone(_ reference: MerchantReference) async -> Bool {
        do throws(TerminalError) {
            _ = try await retrieve(reference)
            return false
        } catch {
            return error.code == .secureCardUnknown || error.code == .secureCardDeleted
        }
    }

    /// The connected reader takes precedence over the token method.
    private func registration(of secureCard: SecureCard) async throws(TerminalError) -> SecureCardRegistration {
        try checkCustomFields(secureCard.details.customFields)
        let card: PaymentCard?
        var readerName: String?
        switch secureCard.tokenMethod {
        case .unchanged: card = nil
        case .keyed(let keyed, let cvv) where reader == nil: card = .keyed(keyed, cvv: cvv)
        case .ocr(let scanned) where reader == nil: card = .keyed(scanned, cvv: nil)
        case .keyed, .ocr, .reader, nil:
            let reader = try readerForCard()
            card = .captured(try await readVerified(reader))
            readerName = reader.name
        }
        return SecureCardRegistration(
            merchantReference: secureCard.merchantReference, details: secureCard.details, card: card, readerName: readerName)
    }

    /// Whether the issuer is asked whether the account of a card in the reader is good.
    private func verifiesSecureCards() async throws(TerminalError) -> Bool {
        guard configuration.secureCardVerification != .never else { return false }
        let canVerify: Bool
        do throws(HostError) {
            canVerify = try await asking { host throws(HostError) in try await host.verifiesAccounts() }
        } catch {
            throw TerminalError(error)
        }
        guard !canVerify, configuration.secureCardVerification == .always else { return canVerify }
        throw TerminalError(
            .notSupported, "the host cannot verify a card without a payment: use another, or set secureCardVerification to .whereSupported")
    }

    /// Reads a card and, where that is configured, has the issuer say that its account is good.
    private func readVerified(_ reader: any CardReader) async throws(TerminalError) -> CapturedCard {
        let isVerified = try await verifiesSecureCards()
        let timestamp = clock()
        let amount = Money(minorUnits: 0, currency: configuration.currency)
        let captureRequest = CaptureRequest(
            amount: 0, currencyCode: amount.currency.number, currencyExponent: amount.currency.exponent,
            sequenceCounter: try await sequenceCounter(), forcesOnline: isVerified, responseCodes: configuration.responseCodes)
        let entry = JournalEntry(
            orderID: OrderID.verification(), key: nil, operation: running?.operation ?? .registerSecureCard, digest: [], amount: amount,
            timestamp: timestamp)
        let terminalID = configuration.terminalID
        let exchange = HostExchange(JournaledOrder(entry: entry, keeping: .nowhere), of: self, operation: operations) {
            (card, host) async throws(HostError) in
            guard isVerified, case .captured(let captured) = card else {
                throw HostError(.unreachable, "the host is not asked")
            }
            return try await host.authorize(
                AuthorizationRequest(
                    orderID: entry.orderID, purpose: .accountVerification, amount: amount, timestamp: timestamp, terminalID: terminalID,
                    card: .captured(captured)))
        }
        let captured: Result<CaptureOutcome, TerminalError>
        do throws(TerminalError) {
            captured = .success(try await capture(reader, captureRequest, exchange))
        } catch {
            captured = .failure(error)
        }
        let state = await exchange.close().state
        let capture = try captured.get()
        if case .notPossible(let obstacle) = capture.decision { throw .notPossible(obstacle, fallback: capture.fallback) }
        switch state {
        case _ where !isVerified: break
        case .refused(let error), .taken(let error): throw TerminalError(error)
        case .notAsked where capture.decision == .declinedOffline, .answered where capture.decision != .approvedOnline:
            throw TerminalError(.cardDeclined, "the card was declined and not saved: use another card")
        case .notAsked, .unreachable:
            throw TerminalError(.hostUnreachable, "the host could not be reached to verify the card: try again later")
        case .unanswered:
            throw TerminalError(.noHostAnswer, "the host did not answer the verification of the card: try again later")
        case .answered: break
        }
        guard let card = capture.card else { throw TerminalError(.cardNotRead, "the reader gave no card data: try again") }
        return card
    }
}

extension SecureCard {
    /// Whether this is what `registration` was to make.
    fileprivate func isLike(_ registration: SecureCardRegistration) -> Bool {
        details == registration.details && (registration.summary == nil || card == registration.summary)
    }
}
