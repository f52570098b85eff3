import CardCapture
private import EMVKernel

extension Terminal {
    /// Makes a payment or a pre-authorisation with the card in the reader or the card data of the
    /// sale.
    ///
    /// The outcome, a decline too, is an answer. An error says that nothing was charged and
    /// nothing set aside; but for ``HostError/Failure/noAnswer``, which a request with a known
    /// key gets while its outcome is unknown.
    public func processSale(_ sale: Sale) async throws(TerminalError) -> PaymentResponse {
        try await process(Payment(sale))
    }

    /// Makes a refund for a transaction or to a card.
    ///
    /// - Throws: ``HostError/Refusal/notAllowed`` if this terminal still reverses the transaction.
    public func processRefund(_ refund: Refund) async throws(TerminalError) -> PaymentResponse {
        switch refund.target {
        case .card(let source): return try await process(Payment(refund, to: source))
        case .transaction(let original):
            let request = ReferencedRequest(
                orderID: refund.orderID, original: original, amount: refund.amount, timestamp: clock(),
                terminalID: configuration.terminalID, operatorName: refund.operatorName, reason: refund.reason)
            return try await refer(.refund, request, key: refund.idempotencyKey, .refund(request))
        }
    }

    /// Captures the amount of a pre-authorisation, or the tip of a sale.
    ///
    /// - Throws: ``HostError/Refusal/notAllowed`` if this terminal still reverses the transaction.
    public func capture(_ capture: FundsCapture) async throws(TerminalError) -> PaymentResponse {
        let request = ReferencedRequest(
            orderID: capture.orderID, original: capture.original, amount: capture.amount, timestamp: clock(),
            terminalID: configuration.terminalID, operatorName: capture.operatorName)
        return try await refer(.capture, request, key: capture.idempotencyKey, .capture(request))
    }
}

extension Terminal {
    private func process(_ payment: Payment) async throws(TerminalError) -> PaymentResponse {
        try await exclusively(payment.operation, payment.orderID.text, announcing: { .payment($0) }) {
            (terminal) async throws(TerminalError) in
            try terminal.checkAmount(payment.amount)
            try terminal.checkTerms(payment.terms, of: payment.amount)
            try terminal.checkCustomFields(payment.secureCard?.details.customFields ?? [])
            let entry = JournalEntry(
                payment, digest: terminal.journal.digest(of: payment), needsCard: terminal.reads(payment),
                at: terminal.clock())
            switch try await terminal.earlier(entry) {
            case .answered(let response): return response
            case .new(let order):
                let notSent = try await terminal.fieldsNotSent(payment.terms)
                guard terminal.reads(payment) else { return try await terminal.pay(payment, order, notSent) }
                let reader = try terminal.desk.readerForCard()
                try await terminal.checkBattery()
                return try await terminal.pay(payment, order, notSent, with: reader)
            }
        }
    }

    /// Whether the card is read: it takes precedence over keyed and scanned data if the cardholder
    /// is present and a reader is connected.
    private func reads(_ payment: Payment) -> Bool {
        switch payment.source {
        case .reader: true
        case .keyed, .ocr: reader != nil && payment.terms.channel == .cardPresent
        case .secureCard: false
        }
    }

    /// Whether the payment may be accepted without the host: the policy has room for it, and it
    /// need not be authorized online.
    private func takesWithoutHost(_ payment: Payment) -> Bool {
        !payment.forcesOnline && configuration.offline.takes(payment.amount, beside: pending.orders.stored.values)
    }

    private func pay(
        _ payment: Payment, _ order: JournaledOrder, _ notSent: Set<PaymentField>, with reader: any CardReader
    ) async throws(TerminalError) -> PaymentResponse {
        let takesMore = takesWithoutHost(payment)
        let timestamp = order.entry.timestamp
        begin(
            OrderFlow(
                .payment(payment, reader: reader.name), order, configuration, takesWithoutHost: takesMore,
                notSent: notSent))
        let end: OrderFlow.Event
        do throws(TerminalError) {
            var responseCodes = configuration.responseCodes
            if payment.terms.allowsPartialApproval {
                responseCodes.approving.insert(AuthorizationResponse.partialApproval)
            }
            let request = CaptureRequest(
                amount: UInt64(clamping: payment.amount.minorUnits), currencyCode: payment.amount.currency.number,
                currencyExponent: payment.amount.currency.exponent,
                kind: payment.purpose == .refund ? .refund : .purchase,
                sequenceCounter: try await sequenceCounter(), forcesOnline: !takesMore, responseCodes: responseCodes,
                memory: memory(at: timestamp))
            end = .cardDecided(decision(on: try await capture(reader, request)))
        } catch {
            end = .readerFailed(error)
        }
        return try await finish(end)
    }

    private func pay(
        _ payment: Payment, _ order: JournaledOrder, _ notSent: Set<PaymentField>
    ) async throws(TerminalError) -> PaymentResponse {
        guard let card = payment.givenCard else { throw .connectReaderFirst }
        begin(
            OrderFlow(
                .payment(payment, reader: nil), order, configuration,
                takesWithoutHost: takesWithoutHost(payment) && !isListed(card), notSent: notSent))
        return try await finish(.cardRead(card))
    }

    /// Makes a refund or a capture of a transaction that the host knows.
    private func refer(
        _ operation: TerminalOperation, _ request: ReferencedRequest, key: IdempotencyKey?,
        _ question: OrderFlow.Request
    ) async throws(TerminalError) -> PaymentResponse {
        try await exclusively(operation, request.orderID.text, announcing: { .payment($0) }) {
            (terminal) async throws(TerminalError) in
            try terminal.checkAmount(request.amount)
            let entry = JournalEntry(
                request, operation, key: key, digest: terminal.journal.digest(of: request, operation))
            switch try await terminal.earlier(entry) {
            case .answered(let response): return response
            case .new(let order):
                // A host could carry out both: the reversal, and what was asked for after it.
                guard !terminal.pending.orders.isBeingReversed(request.original) else {
                    throw TerminalError(
                        .notAllowed, "the payment is being reversed: it can be neither refunded nor captured")
                }
                terminal.begin(OrderFlow(question, order, terminal.configuration))
                return try await terminal.finish(.cardRead(nil))
            }
        }
    }

    func sequenceCounter() async throws(TerminalError) -> UInt32 {
        try await written { journal throws(JournalError) in try await journal.takeSequenceCounter() }
    }

    // MARK: Checks

    func checkAmount(_ amount: Money) throws(TerminalError) {
        guard amount.currency == configuration.currency else {
            throw TerminalError(.invalidAmount, "the terminal accepts \(configuration.currency) only")
        }
        guard (1...999_999_999_999).contains(amount.minorUnits) else {
            throw TerminalError(.invalidAmount, "the amount must be above zero and have at most 12 digits")
        }
        if let most = configuration.maximumAmount, amount.minorUnits > most.minorUnits {
            throw TerminalError(.invalidAmount, "the terminal accepts at most \(most)")
        }
    }

    private func checkTerms(_ terms: PaymentTerms, of amount: Money) throws(TerminalError) {
        try terms.checkParts(of: amount)
        try checkCustomFields(terms.customFields)
    }

    func checkCustomFields(_ fields: [CustomField]) throws(TerminalError) {
        for field in fields {
            if let declared = configuration.customFields, !declared.contains(field.name) {
                throw TerminalError(
                    .invalidRequest,
                    "the custom field \(field.name) is not declared on the terminal: declare it, or omit it")
            }
            guard field.value.unicodeScalars.count <= CustomField.limit else {
                throw TerminalError(
                    .invalidRequest, "the custom field \(field.name) has more than \(CustomField.limit) characters")
            }
        }
    }

    /// The terms that the host's interface does not support. Unknown if the host is unreachable:
    /// the payment may then be accepted without it.
    ///
    /// - Throws: ``HostError/Refusal/notSupported`` if the configuration refuses such a payment.
    private func fieldsNotSent(_ terms: PaymentTerms) async throws(TerminalError) -> Set<PaymentField> {
        let requested = terms.fields
        guard !requested.isEmpty else { return [] }
        let missing: Set<PaymentField>
        do throws(HostError) {
            missing = try await asking("fields of the interface") { host throws(HostError) in
                try await host.fieldsNotCarried()
            }
            .intersection(requested)
        } catch {
            return []
        }
        guard missing.isEmpty || configuration.unsentFields == .list else {
            let names = missing.map(\.description).sorted().joined(separator: ", ")
            throw TerminalError(
                .notSupported,
                "the host's interface does not carry: \(names). Leave it out, or set unsentFields to .list")
        }
        return missing
    }

}

extension AuthorizationResponse {
    /// - Throws: ``HostError/Failure/answerNotGenuine`` for more than was asked for, and for
    ///   another currency.
    func check(against amount: Money) throws(HostError) {
        guard isWithin(amount) else {
            throw HostError(.answerNotGenuine, "the host authorized more than the requested amount")
        }
    }

    /// Whether at most `amount` was authorised, in its currency.
    func isWithin(_ amount: Money) -> Bool { authorizedAmount.isWithin(amount) }
}

extension Money {
    /// Whether it is at most `most`, in its currency, and not below zero.
    func isWithin(_ most: Money) -> Bool {
        currency == most.currency && minorUnits >= 0 && minorUnits <= most.minorUnits
    }
}
