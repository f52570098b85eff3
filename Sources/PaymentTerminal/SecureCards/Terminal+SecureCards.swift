private import Bytes
import CardReaders

extension Terminal {
    /// Has the host make a token for a card: the one in the connected reader, or the one that the token method holds.
    ///
    /// A card in the reader is verified with an authorisation of 0.00, which never settles.
    public func registerSecureCard(_ secureCard: SecureCard) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively { () async throws(TerminalError) in
            let registration = try await registration(of: secureCard)
            do throws(HostError) {
                return .saved(try await host.registerSecureCard(registration))
            } catch {
                throw TerminalError(error)
            }
        }
    }

    /// The secure card as the host keeps it: to look at, or to change and give to ``editSecureCard(_:)``.
    public func retrieveSecureCard(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        try await exclusively { () async throws(TerminalError) in try await retrieve(reference) }
    }

    /// Replaces card data and details of a secure card. Card data come as in ``registerSecureCard(_:)``; the token stays.
    public func editSecureCard(_ secureCard: SecureCard) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively { () async throws(TerminalError) in
            let registration = try await registration(of: secureCard)
            do throws(HostError) {
                return .updated(try await host.updateSecureCard(registration))
            } catch {
                throw TerminalError(error)
            }
        }
    }

    /// Deletes a secure card and its token. The integrator is advised to mark it as deleted on its own side, and to keep the record.
    ///
    /// - Parameter token: nil has the terminal ask the host for it.
    public func deleteSecureCard(
        _ reference: MerchantReference, token: SecureCardReference? = nil
    ) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively { () async throws(TerminalError) in
            let resolved = if let token { token } else { try await retrieve(reference).cardReference }
            guard let resolved else { throw TerminalError(.hostFailed, "the host names no token for the secure card") }
            do throws(HostError) {
                try await host.deleteSecureCard(reference, token: resolved)
            } catch {
                throw TerminalError(error)
            }
            return .deleted
        }
    }

    private func retrieve(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        do throws(HostError) {
            return try await host.retrieveSecureCard(reference)
        } catch {
            throw TerminalError(error)
        }
    }

    /// The connected reader goes before whatever the token method holds.
    private func registration(of secureCard: SecureCard) async throws(TerminalError) -> SecureCardRegistration {
        if let reader {
            let (card, entryMode) = try await readVerified(reader)
            return SecureCardRegistration(
                merchantReference: secureCard.merchantReference, details: secureCard.details, card: card, entryMode: entryMode,
                readerName: reader.name)
        }
        let (card, cvv): (CardDetails, SecretBytes?) =
            switch secureCard.tokenMethod {
            case .keyed(let card, let cvv): (card, cvv)
            case .ocr(let card): (card, nil)
            case .reader, nil: throw .connectReaderFirst
            }
        return SecureCardRegistration(
            merchantReference: secureCard.merchantReference, details: secureCard.details, card: card, entryMode: .keyed, cvv: cvv)
    }

    /// Reads a card and has the issuer say that its account is good.
    private func readVerified(_ reader: any CardReader) async throws(TerminalError) -> (CardDetails, CapturedCard.EntryMode) {
        let timestamp = clock()
        let amount = Money(minorUnits: 0, currency: configuration.currency)
        let captureRequest = captureRequest(for: amount, forceOnline: true)
        let orderID = OrderID.verification()
        let exchange = HostExchange(host: host) { [configuration] card in
            AuthorizationRequest(
                orderID: orderID, purpose: .accountVerification, amount: amount, timestamp: timestamp,
                terminalID: configuration.terminalID, card: .captured(card))
        }
        let capture: CaptureOutcome
        do throws(CaptureError) {
            // A card whose number nobody here can read is not worth an authorisation: it cannot be kept.
            capture = try await reader.capture(captureRequest) { $0.pan == nil ? .unreachable : await exchange.authorize($0) }
        } catch {
            throw TerminalError(error)
        }
        if case .notPossible(let reason) = capture.decision { throw .notPossible(reason, capture) }
        if let card = capture.card, card.pan == nil { throw TerminalError(CardDetailsError.enciphered) }
        switch await exchange.state {
        case .refused(let error): throw TerminalError(error)
        case .notAsked where capture.decision == .declinedOffline, .answered where capture.decision != .approvedOnline:
            throw TerminalError(.cardDeclined, "the card was declined and not saved: use another card")
        case .notAsked:
            throw TerminalError(.hostUnreachable, "the host could not be reached to verify the card: try again later")
        case .unanswered:
            throw TerminalError(.noHostAnswer, "the host did not answer the verification of the card: try again later")
        case .answered: break
        }
        guard let card = capture.card else { throw TerminalError(.cardNotRead, "the reader gave no card data: try again") }
        do throws(CardDetailsError) {
            return (try CardDetails(card), card.entryMode)
        } catch {
            throw TerminalError(error)
        }
    }
}
