import CardCapture
private import Contactless
private import EMVKernel

extension Terminal {
    /// Makes a payment or a pre-authorisation with the card in the reader or the card data of the
    /// sale.
    ///
    /// The outcome, a decline too, is an answer. An error says that nothing was charged and
    /// nothing set aside; but for ``HostError/Failure/noAnswer``, which a request with a known
    /// key gets while its outcome is unknown.
    public func processSale(_ sale: Sale) async throws(TerminalError) -> PaymentResponse {
        try await take(Payment(sale))
    }

    /// Makes a refund for a transaction or to a card.
    ///
    /// - Throws: ``HostError/Refusal/notAllowed`` if this terminal still reverses the transaction.
    public func processRefund(_ refund: Refund) async throws(TerminalError) -> PaymentResponse {
        switch refund.target {
        case .card(let source): return try await take(Payment(refund, to: source))
        case .transaction(let original):
            let request = ReferencedRequest(
                orderID: refund.orderID, original: original, amount: refund.amount, timestamp: clock(),
                terminalID: configuration.terminalID, operatorName: refund.operatorName, reason: refund.reason)
            return try await ask(.refund, request, key: refund.idempotencyKey) { host throws(HostError) in
                try await host.refund(request)
            }
        }
    }

    /// Captures the amount of a pre-authorisation, or the tip of a sale.
    ///
    /// - Throws: ``HostError/Refusal/notAllowed`` if this terminal still reverses the transaction.
    public func capture(_ capture: FundsCapture) async throws(TerminalError) -> PaymentResponse {
        let request = ReferencedRequest(
            orderID: capture.orderID, original: capture.original, amount: capture.amount, timestamp: clock(),
            terminalID: configuration.terminalID, operatorName: capture.operatorName)
        return try await ask(.capture, request, key: capture.idempotencyKey) { host throws(HostError) in
            try await host.capture(request)
        }
    }
}

extension Terminal {
    private func take(_ payment: Payment) async throws(TerminalError) -> PaymentResponse {
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

    // MARK: A card in the reader

    private func pay(
        _ payment: Payment, _ order: JournaledOrder, _ notSent: Set<PaymentField>, with reader: any CardReader
    ) async throws(TerminalError) -> PaymentResponse {
        let timestamp = order.entry.timestamp
        let takesMore = takesWithoutHost(payment)
        var responseCodes = configuration.responseCodes
        if payment.terms.allowsPartialApproval { responseCodes.approving.insert(AuthorizationResponse.partialApproval) }
        var rules = PaymentRules(
            amount: payment.amount, allowsPartialApproval: payment.terms.allowsPartialApproval,
            responseCodes: responseCodes,
            takesCardApproval: takesMore, deferrable: takesMore ? configuration.offline.deferredAuthorization : [])
        let makeRequest = { @Sendable [configuration] (card: PaymentCard) in
            payment.request(card, at: timestamp, terminalID: configuration.terminalID, through: reader.name)
        }
        let exchange = HostExchange(order, of: self, operation: operations) { (card, host) async throws(HostError) in
            guard let card else { throw HostError(.unreachable, "the reader gave no card") }
            return try await host.authorize(makeRequest(card))
        }
        let outcome: Result<CaptureOutcome, TerminalError>
        do throws(TerminalError) {
            var request = CaptureRequest(
                amount: UInt64(clamping: payment.amount.minorUnits), currencyCode: payment.amount.currency.number,
                currencyExponent: payment.amount.currency.exponent,
                kind: payment.purpose == .refund ? .refund : .purchase,
                sequenceCounter: try await sequenceCounter(), forcesOnline: !takesMore, responseCodes: responseCodes,
                memory: memory(at: timestamp))
            request.resolveReferral = { await exchange.resolveReferral() }
            let capture = try await self.capture(reader, request, exchange)
            if case .notPossible(let obstacle) = capture.decision {
                throw .notPossible(obstacle, fallback: capture.fallback)
            }
            outcome = .success(capture)
        } catch {
            outcome = .failure(error)
        }
        var end = await exchange.close()
        switch outcome {
        case .failure(let error): return try await abandon(end, rules, because: error)
        case .success(let capture):
            // A card that approves offline has asked for nothing; the final data of one that asked
            // may be others.
            if let refusal = capture.card.flatMap({ self.refusal(of: $0) }) {
                return try await abandon(end, rules, because: refusal)
            }
            if case .refused(let error) = end.state { try await drop(end.order, because: TerminalError(error)) }
            if running?.isCancelling == true { return try await abandon(end, rules, because: .cancelled) }
            let isListed = capture.card.map { self.isListed(.captured($0)) } ?? false
            if isListed { rules.deferrable = [] }
            var verdict = PaymentVerdict(
                capture, end.state, request: capture.card.map { makeRequest(.captured($0)) }, rules)
            var card = CapturedCardView(capture)
            card.fieldsNotSent = notSent
            var reason: String?
            if capture.requiresSignature, verdict.isTaken {
                switch await signature(card, payment.amount) {
                case .signed(let signature): card.signature = signature
                case .notSigned(let cause):
                    verdict = .undone(cause, after: end.state, rules)
                    if verdict.outcome == .declined { reason = "the cardholder did not sign: nothing is charged" }
                }
                if card.signature != nil, verdict.isSignedAfterDecision {
                    if await hostCarries(.signature) {
                        verdict.due = verdict.due ?? .confirmation(chipData: [])
                    } else {
                        card.fieldsNotSent.insert(.signature)
                    }
                }
            } else if verdict.outcome == .declined, case .unreachable(let error) = end.state {
                reason = Self.hostIsUnreachable(error, isListed: isListed)
            } else if verdict.outcome == .declined, case .notAsked = end.state, let why = capture.declineReason,
                why != .cardDeclined
            {
                reason = "declined by the terminal: \(why)"
            } else if let failure = end.referralFailure {
                reason = failure.summary
                if case .notCarried = failure { card.fieldsNotSent.insert(.referralApproval) }
            }
            if await !carriesAdvice(of: verdict, end.state) {
                verdict.due = nil
                card.fieldsNotSent.insert(.declineAdvice)
            }
            end.order.entry.cardDigest = digest(of: capture.card)
            let response = try await conclude(end, verdict, card, because: reason)
            end.order.entry.response = response
            history.note(end.order.entry)
            return response
        }
    }

    /// Whether the advice of a decline can be sent later. An unreachable host is not asked: the
    /// sale does not wait, and in the background the host refuses an advice that it does not
    /// support.
    private func carriesAdvice(of verdict: PaymentVerdict, _ exchange: HostExchange.State) async -> Bool {
        guard case .declineAdvice = verdict.due else { return true }
        if case .unreachable = exchange { return true }
        if pending.isHostAway { return true }
        return await hostCarries(.declineAdvice)
    }

    /// The reason of a decline that the host was not asked for; with the cure, if it is at the
    /// host's address, certificate or network.
    private static func hostIsUnreachable(_ error: HostError, isListed: Bool) -> String {
        let away = error.fault == nil ? "the host is unreachable" : error.message
        if isListed { return "the card is on the exception file and \(away): take another payment" }
        return error.fault == nil
            ? "\(away): try again later, or take another payment" : "\(away), or take another payment"
    }

    /// Makes the reader read a card, within its time limit.
    func capture(
        _ reader: any CardReader, _ request: CaptureRequest, _ exchange: HostExchange
    ) async throws(TerminalError) -> CaptureOutcome {
        await endBatteryQuestion()
        announce(.progress(.waitingForCard))
        if let instruction = reader.capabilities.invitation { announce(.reader(.instruction(instruction))) }
        do throws(CaptureError) {
            return try await within(
                configuration.limits.reader, grace: configuration.limits.standDown,
                orElse: .readerTimedOut
            ) { () async throws(CaptureError) in
                try await reader.capture(request) { card in
                    let answer = await exchange.authorize(card)
                    return reader.capabilities.contains(.ownKernel) ? await request.resolved(answer) : answer
                }
            }
        } catch {
            throw TerminalError(error)
        }
    }

    func sequenceCounter() async throws(TerminalError) -> UInt32 {
        try await written { journal throws(JournalError) in try await journal.takeSequenceCounter() }
    }

    /// Ends a payment that the reader did not complete. Nothing has happened unless the host was
    /// asked.
    private func abandon(
        _ end: HostExchange.End, _ rules: PaymentRules, because error: TerminalError
    ) async throws(TerminalError) -> PaymentResponse {
        switch end.state {
        case .unanswered, .taken, .answered:
            return try await conclude(
                end, .undone(.terminalTerminated, after: end.state, rules), nil, because: error.message)
        case .notAsked, .unreachable, .refused: try await drop(end.order, because: error)
        }
    }

    /// Ends an order without an effect at the host.
    private func drop(_ order: JournaledOrder, because error: TerminalError) async throws(TerminalError) -> Never {
        var order = order
        order.entry.stage = .finished
        order.entry.answer = nil
        if order.keeping == .journaled {
            do throws(TerminalError) {
                try await save(&order)
            } catch {
                // It is written as soon as the journal works: until then the order and its key are
                // free.
                owe(order.entry, isWritten: false)
            }
        }
        throw error
    }

    // MARK: No card in the reader

    private func pay(
        _ payment: Payment, _ order: JournaledOrder, _ notSent: Set<PaymentField>
    ) async throws(TerminalError) -> PaymentResponse {
        let card: PaymentCard =
            switch payment.source {
            case .keyed(let card, let cvv): .keyed(card, cvv: cvv)
            case .ocr(let card): .keyed(card, cvv: nil)
            case .secureCard(let token): .token(token)
            case .reader: throw .connectReaderFirst
            }
        let takesMore = takesWithoutHost(payment) && !isListed(card)
        let rules = PaymentRules(
            amount: payment.amount, allowsPartialApproval: payment.terms.allowsPartialApproval,
            responseCodes: configuration.responseCodes,
            takesCardApproval: false, deferrable: takesMore ? configuration.offline.deferredAuthorization : [])
        let request = payment.request(card, at: order.entry.timestamp, terminalID: configuration.terminalID)
        var view = CapturedCardView(payment.source)
        view.fieldsNotSent = notSent
        return try await decide(order, rules: rules, card: card, view: view) { (error) in
            // What was to be authorised later must not be authorised twice: only what never left is
            // stored.
            error.code == .failed(.unreachable) && rules.defers(request)
                ? PaymentVerdict(outcome: .storedOffline, due: .authorization(request)) : nil
        } question: { (_, host) async throws(HostError) in
            try await host.authorize(request)
        }
    }

    /// Makes a refund or a capture of a transaction that the host knows.
    private func ask(
        _ operation: TerminalOperation, _ request: ReferencedRequest, key: IdempotencyKey?,
        question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> AuthorizationResponse
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
                let rules = PaymentRules(
                    amount: request.amount, allowsPartialApproval: false,
                    responseCodes: terminal.configuration.responseCodes,
                    takesCardApproval: false, deferrable: [])
                return try await terminal.decide(
                    order, rules: rules, card: nil, view: CapturedCardView(), orElse: { _ in nil }
                ) {
                    (_, host) async throws(HostError) in
                    try await question(host)
                }
            }
        }
    }

    /// One request, one answer: only the host decides.
    ///
    /// - Parameters:
    ///   - card: The card of the request; nil for a request about an earlier transaction.
    ///   - fallback: The verdict after a failure of the host; nil to throw the error.
    private func decide(
        _ order: JournaledOrder, rules: PaymentRules, card: PaymentCard?, view: CapturedCardView,
        orElse fallback: (HostError) -> PaymentVerdict?,
        question: @escaping @Sendable (PaymentCard?, any PaymentHost) async throws(HostError) -> AuthorizationResponse
    ) async throws(TerminalError) -> PaymentResponse {
        let exchange = HostExchange(order, of: self, operation: operations, question: question)
        let answer: Result<AuthorizationResponse, HostError>
        do throws(HostError) {
            let response = try await exchange.ask(card)
            if card != nil, rules.responseCodes.referral.contains(response.issuer.responseCode) {
                _ = await exchange.resolveReferral()
            }
            answer = .success(response)
        } catch {
            answer = .failure(error)
        }
        let end = await exchange.close()
        var view = view
        if case .notCarried = end.referralFailure { view.fieldsNotSent.insert(.referralApproval) }
        switch (answer, end.state) {
        case (.success, .answered(let response)):
            return try await conclude(end, PaymentVerdict(response, rules), view, because: end.referralFailure?.summary)
        case (.success, _): return try await conclude(end, .unknown(.noHostAnswer), view)
        case (.failure, .unanswered): return try await conclude(end, .unknown(.noHostAnswer), view)
        case (.failure(let error), .taken): return try await conclude(end, .taken, view, because: error.message)
        case (.failure(let error), _):
            if let obstacle = end.obstacle { try await drop(end.order, because: obstacle) }
            if let verdict = fallback(error) { return try await conclude(end, verdict, view) }
            try await drop(end.order, because: TerminalError(error))
        }
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
