private import Bytes
import CardCapture

extension Terminal {
    /// Registers a card at the host: the card in the connected reader, or that of the token method.
    ///
    /// A card in the reader is sent to the host as captured: track or data objects, encrypted if
    /// the reader encrypts. Before that it is verified by an authorisation of 0.00, which never
    /// settles, according to ``Terminal/Configuration/secureCardVerification``.
    ///
    /// The change is in the journal before it is sent to the host. If the answer is lost, the
    /// terminal asks the host for the secure card, at once and after a restart, and sends the
    /// result as an event.
    ///
    /// If the host has a secure card of the merchant reference with the same card already, that is
    /// the answer: a network may have sent the request twice.
    ///
    /// - Parameter idempotencyKey: The same request with the same key gets the same response, and
    ///   is made once.
    /// - Throws: ``HostError/Refusal/secureCardExists`` if the merchant reference is that of
    ///   another card; ``HostError/Failure/noAnswer`` while it is not known whether the host has
    ///   made the token.
    public func registerSecureCard(
        _ secureCard: SecureCard, idempotencyKey: IdempotencyKey? = nil
    ) async throws(TerminalError) -> SecureCardResponse {
        if case .unchanged = secureCard.tokenMethod {
            return try await exclusively(
                .registerSecureCard, secureCard.merchantReference.text, announcing: { _ in nil }
            ) {
                _ throws(TerminalError) in
                throw TerminalError(.invalidRequest, "a new secure card needs a card: read it, or key its data")
            }
        }
        return try await change(secureCard, .registerSecureCard, idempotencyKey) {
            (registration, host) async throws(HostError) in
            try await host.registerSecureCard(registration)
        }
    }

    /// The secure card as stored at the host: to show it, or to change it and pass it to
    /// ``editSecureCard(_:idempotencyKey:)``.
    public func retrieveSecureCard(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        try await exclusively(.retrieveSecureCard, reference.text, announcing: { .secureCard(.retrieved($0)) }) {
            (terminal) async throws(TerminalError) in
            try await terminal.retrieve(reference)
        }
    }

    /// Replaces card data and details of a secure card, or with ``TokenMethod/unchanged`` only its
    /// details. Card data are read as in ``registerSecureCard(_:idempotencyKey:)``; the token does
    /// not change. Lost answers and keys are handled as there.
    public func editSecureCard(
        _ secureCard: SecureCard, idempotencyKey: IdempotencyKey? = nil
    ) async throws(TerminalError) -> SecureCardResponse {
        try await change(secureCard, .editSecureCard, idempotencyKey) { (registration, host) async throws(HostError) in
            try await host.updateSecureCard(registration)
        }
    }

    /// Deletes a secure card and its token. Integrators should mark it as deleted in their own
    /// system, and keep the record. Lost answers and keys are handled as in
    /// ``registerSecureCard(_:idempotencyKey:)``.
    ///
    /// - Parameter token: with nil, the terminal asks the host for it.
    public func deleteSecureCard(
        _ reference: MerchantReference, token: SecureCardReference? = nil, idempotencyKey: IdempotencyKey? = nil
    ) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively(.deleteSecureCard, reference.text, announcing: { .secureCard($0) }) {
            (terminal) async throws(TerminalError) in
            let digest = terminal.journal.digest(of: SecureCard(merchantReference: reference), .deleteSecureCard)
            let earlier = try await terminal.earlierChange(idempotencyKey, digest: digest)
            if let response = earlier?.secureCardResponse { return response }
            let resolved = if let token { token } else { try await terminal.retrieve(reference).cardReference }
            guard let resolved else {
                throw TerminalError(.hostFailed(.internalError), "the host returned no token for the secure card")
            }
            let entry = JournalEntry(
                SecureCardChange(deleting: reference), .deleteSecureCard,
                orderID: earlier?.orderID ?? .secureCardChange(),
                key: idempotencyKey, digest: digest, currency: terminal.configuration.currency, at: terminal.clock())
            return try await terminal.make(JournaledOrder(entry: entry, keeping: earlier == nil ? .new : .journaled)) {
                host throws(HostError) in
                try await host.deleteSecureCard(reference, token: resolved)
                return nil
            }
        }
    }

    private func change(
        _ secureCard: SecureCard, _ operation: TerminalOperation, _ key: IdempotencyKey?,
        question: @escaping @Sendable (SecureCardRegistration, any PaymentHost) async throws(HostError) -> SecureCard
    ) async throws(TerminalError) -> SecureCardResponse {
        try await exclusively(operation, secureCard.merchantReference.text, announcing: { .secureCard($0) }) {
            (terminal) async throws(TerminalError) in
            let digest = terminal.journal.digest(of: secureCard, operation)
            let earlier = try await terminal.earlierChange(key, digest: digest)
            if let response = earlier?.secureCardResponse { return response }
            let registration = try await terminal.registration(of: secureCard)
            let entry = JournalEntry(
                SecureCardChange(registration), operation, orderID: earlier?.orderID ?? .secureCardChange(),
                key: key, digest: digest,
                currency: terminal.configuration.currency, at: terminal.clock())
            return try await terminal.make(JournaledOrder(entry: entry, keeping: earlier == nil ? .new : .journaled)) {
                host throws(HostError) in
                try await question(registration, host)
            }
        }
    }

    /// Writes a change to the journal and sends it to the host. If the answer is lost, the host is
    /// asked whether the change was made, at once and in the background.
    ///
    /// - Parameter question: Returns the secure card as stored at the host; nil if it is deleted.
    private func make(
        _ order: JournaledOrder,
        _ question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> SecureCard?
    ) async throws(TerminalError) -> SecureCardResponse {
        var order = order
        try passPointOfNoReturn(of: operations)
        announce(.progress(.updatingSecureCard))
        try await save(&order)
        do throws(HostError) {
            let kept = try await answer(to: order.entry, question)
            order.entry.secureCard?.made(kept)
        } catch {
            if error.leavesOutcomeUnknown {
                keepOpen(order.entry)
                let entry = await recover(order.entry)
                guard let response = entry.secureCardResponse else {
                    throw TerminalError(.hostFailed(.noAnswer), error.message)
                }
                return response
            }
            order.entry.stage = .finished
            // If this write is lost, the host is asked again.
            await write(order.entry, .eventual)
            throw TerminalError(error)
        }
        order.entry.stage = .finished
        await write(order.entry, .eventual)
        guard let response = order.entry.secureCardResponse else {
            preconditionFailure("a change that was made has a response")
        }
        return response
    }

    /// The host's answer to a change. A network that repeats requests may have sent a registration
    /// twice: the host then reports the secure card of the first one as existing.
    private func answer(
        to entry: JournalEntry, _ question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> SecureCard?
    ) async throws(HostError) -> SecureCard? {
        do throws(HostError) {
            return try await asking(entry.request, nil, question)
        } catch let refusal {
            guard refusal.code == .refused(.secureCardExists), entry.operation == .registerSecureCard,
                let change = entry.secureCard
            else { throw refusal }
            do throws(HostError) {
                let kept = try await secureCard(change.merchantReference)
                switch change.agrees(with: kept) {
                case true?: return kept
                case false?: throw refusal
                case nil:
                    throw HostError(
                        .noAnswer, "the host does not say whose card it has under the reference: look it up there")
                }
            } catch {
                throw error.isRefusal ? refusal : error.afterRequest
            }
        }
    }

    /// Whether the host has made a change whose answer was lost.
    ///
    /// - Throws: ``HostError/Failure/noAnswer`` for one that may still be on its way.
    func lookIntoChange(_ entry: inout JournalEntry) async throws(HostError) {
        guard let change = entry.secureCard else { return }
        let kept: SecureCard?
        do throws(HostError) {
            kept = try await secureCard(change.merchantReference)
        } catch {
            guard error.code == .refused(.secureCardUnknown) || error.code == .refused(.secureCardDeleted) else {
                throw error
            }
            kept = nil
        }
        let wasMade = entry.operation == .deleteSecureCard ? kept == nil : kept.map { change.describes($0) } ?? false
        if wasMade {
            entry.secureCard?.made(kept)
        } else if pending.orders.age(of: entry.orderID) < configuration.limits.transit {
            throw HostError(.noAnswer, "the host does not have the change yet")
        }
        entry.stage = .finished
    }

    /// What the host has, asked for within the time limit of an inquiry.
    private func secureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await asking("secure card \(reference)", configuration.limits.inquiry) { host throws(HostError) in
            try await host.retrieveSecureCard(reference)
        }
    }

    private func retrieve(_ reference: MerchantReference) async throws(TerminalError) -> SecureCard {
        do throws(HostError) {
            return try await asking("secure card \(reference)") { host throws(HostError) in
                try await host.retrieveSecureCard(reference)
            }
        } catch {
            throw TerminalError(error)
        }
    }

    /// The connected reader takes precedence over the token method.
    private func registration(of secureCard: SecureCard) async throws(TerminalError) -> SecureCardRegistration {
        try checkCustomFields(secureCard.details.customFields)
        let card: PaymentCard?
        var readerName: String?
        var verification: String?
        switch secureCard.tokenMethod {
        case .unchanged: card = nil
        case .keyed(let keyed, let cvv) where reader == nil: card = .keyed(keyed, cvv: cvv)
        case .ocr(let scanned) where reader == nil: card = .keyed(scanned, cvv: nil)
        case .keyed, .ocr, .reader, nil:
            let reader = try desk.readerForCard()
            let captured: CapturedCard
            (captured, verification) = try await read(reader, isVerified: try await verifiesSecureCards())
            card = .captured(captured)
            readerName = reader.name
        }
        return SecureCardRegistration(
            merchantReference: secureCard.merchantReference, details: secureCard.details, card: card,
            readerName: readerName,
            verification: verification)
    }

    /// Whether the issuer verifies the account of a card in the reader.
    private func verifiesSecureCards() async throws(TerminalError) -> Bool {
        guard configuration.secureCardVerification != .never else { return false }
        let canVerify: Bool
        do throws(HostError) {
            canVerify = try await asking("verification of accounts") { host throws(HostError) in
                try await host.verifiesAccounts()
            }
        } catch {
            throw TerminalError(error)
        }
        guard !canVerify, configuration.secureCardVerification == .always else { return canVerify }
        throw TerminalError(
            .notSupported,
            "the host cannot verify a card without a payment: use another, or set secureCardVerification to .whereSupported"
        )
    }

    /// Reads a card.
    ///
    /// - Parameter isVerified: Whether the issuer must verify its account.
    /// - Returns: The card, and the host's reference of the verification.
    private func read(
        _ reader: any CardReader, isVerified: Bool
    ) async throws(TerminalError) -> (CapturedCard, verification: String?) {
        let timestamp = clock()
        let amount = Money(minorUnits: 0, currency: configuration.currency)
        let captureRequest = CaptureRequest(
            amount: 0, currencyCode: amount.currency.number, currencyExponent: amount.currency.exponent,
            sequenceCounter: try await sequenceCounter(), forcesOnline: isVerified,
            responseCodes: configuration.responseCodes)
        let entry = JournalEntry(
            orderID: OrderID.verification(), key: nil, operation: running?.operation ?? .registerSecureCard, digest: [],
            amount: amount,
            timestamp: timestamp)
        begin(
            OrderFlow(
                .registration(isVerified: isVerified), JournaledOrder(entry: entry, keeping: .nowhere), configuration))
        let end: OrderFlow.Event
        do throws(TerminalError) {
            end = .cardDecided(decision(on: try await capture(reader, captureRequest)))
        } catch {
            end = .readerFailed(error)
        }
        return try await finishRegistration(end)
    }
}

extension JournalEntry {
    /// The event for a change of a secure card that has ended since `entry`; nil for other entries.
    func changeEnded(since entry: JournalEntry) -> TerminalEvent.Content? {
        guard let secureCard, stage == .finished, entry.stage != .finished else { return nil }
        if let response = secureCardResponse { return .secureCard(response) }
        return .failed(
            TerminalError(
                .hostFailed(.noAnswer),
                "the host does not confirm the change of secure card \(secureCard.merchantReference): look it up, then repeat the change"
            ))
    }
}
