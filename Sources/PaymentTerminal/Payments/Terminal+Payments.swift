import CardReaders
private import EMVKernel

extension Terminal {
    /// Takes a payment, or sets its amount aside, from the card in the reader or from the data that the sale names.
    ///
    /// What became of it is an answer, a decline too. An error says that nothing was charged and nothing set aside; but for
    /// ``TerminalError/Code/noHostAnswer``, which a request with a known key gets as long as nobody knows what became of it.
    public func processSale(_ sale: Sale) async throws(TerminalError) -> PaymentResponse { try await take(Payment(sale)) }

    /// Gives money back, for a transaction or to a card.
    public func processRefund(_ refund: Refund) async throws(TerminalError) -> PaymentResponse {
        switch refund.target {
        case .card: return try await take(Payment(refund))
        case .transaction(let original):
            return try await follow(
                FollowUp(
                    orderID: refund.orderID, kind: .refund, original: original, amount: refund.amount, timestamp: clock(),
                    terminalID: configuration.terminalID, operatorName: refund.operatorName, reason: refund.reason),
                key: refund.idempotencyKey)
        }
    }

    /// Takes what a pre-authorisation set aside, or the tip beside a sale.
    public func capture(_ capture: FundsCapture) async throws(TerminalError) -> PaymentResponse {
        try await follow(
            FollowUp(
                orderID: capture.orderID, kind: .capture, original: capture.original, amount: capture.amount, timestamp: clock(),
                terminalID: configuration.terminalID, operatorName: capture.operatorName),
            key: capture.idempotencyKey)
    }
}

extension Terminal {
    private func take(_ payment: Payment?) async throws(TerminalError) -> PaymentResponse {
        guard let payment else { throw TerminalError(.invalidRequest, "the refund names no card") }
        return try await exclusively(payment.operation, payment.orderID.text, announcing: { .payment($0) }) {
            (terminal) async throws(TerminalError) in
            try terminal.checkAmount(payment.amount)
            try terminal.checkTerms(payment.terms, of: payment.amount)
            try terminal.checkCustomFields(payment.secureCard?.details.customFields ?? [])
            let entry = JournalEntry(
                payment, digest: terminal.journal.digest(of: payment), needsCard: terminal.reads(payment), at: terminal.clock())
            if let response = try await terminal.answerGiven(to: entry) { return response }
            guard terminal.reads(payment) else {
                try await terminal.begin(entry)
                return try await terminal.pay(payment, entry)
            }
            guard let reader = terminal.reader else { throw .connectReaderFirst }
            try terminal.checkBattery()
            try await terminal.begin(entry)
            return try await terminal.pay(payment, entry, with: reader)
        }
    }

    /// Whether the card is read: it goes before keyed and scanned data where cardholder and reader are there.
    private func reads(_ payment: Payment) -> Bool {
        switch payment.source {
        case .reader: true
        case .keyed, .ocr: reader != nil && payment.terms.channel == .cardPresent
        case .secureCard: false
        }
    }

    // MARK: A card in the reader

    private func pay(_ payment: Payment, _ entry: JournalEntry, with reader: any CardReader) async throws(TerminalError) -> PaymentResponse
    {
        let waiting = open.filter(\.isStored).map(\.amount)
        let takesMore = configuration.offline.takes(payment.amount, beside: waiting)
        var responseCodes = configuration.responseCodes
        if payment.terms.allowsPartialApproval { responseCodes.approving.insert(PaymentRules.partialApproval) }
        let rules = PaymentRules(
            amount: payment.amount, allowsPartialApproval: payment.terms.allowsPartialApproval, responseCodes: responseCodes,
            takesCardApproval: takesMore, deferrable: takesMore ? configuration.offline.deferredAuthorization : [])
        let makeRequest = { @Sendable [configuration] (card: CapturedCard) in
            payment.request(.captured(card), at: entry.timestamp, terminalID: configuration.terminalID, through: reader.name)
        }
        order = entry
        defer { order = nil }
        let exchange = HostExchange { [self] (card) async throws(HostError) in try await authorize(makeRequest(card)) }
        let outcome: Result<CaptureOutcome, TerminalError>
        do throws(TerminalError) {
            let request = CaptureRequest(
                amount: UInt64(payment.amount.minorUnits), currencyCode: payment.amount.currency.number,
                currencyExponent: payment.amount.currency.exponent, kind: payment.purpose == .refund ? .refund : .purchase,
                sequenceCounter: try await sequenceCounter(), forceOnline: payment.forcesOnline || !takesMore, responseCodes: responseCodes)
            let capture = try await self.capture(reader, request, exchange)
            if case .notPossible(let reason) = capture.decision { throw .notPossible(reason, capture) }
            outcome = .success(capture)
        } catch {
            outcome = .failure(error)
        }
        let state = await exchange.state
        let now = order ?? entry
        switch outcome {
        case .failure(let error): return try await abandon(now, state, rules, because: error)
        case .success(let capture):
            if case .refused(let error) = state { try await drop(now, because: TerminalError(error)) }
            if running?.isCancelling == true { try await drop(now, because: .cancelled) }
            var verdict = PaymentVerdict(capture, state, request: capture.card.map(makeRequest), rules)
            var card = CapturedCardView(capture)
            if capture.signatureWanted, verdict.outcome == .approved || verdict.outcome == .partiallyApproved {
                (verdict, card.signature) = await signed(verdict, card, payment.amount)
            }
            var answer: AuthorizationResponse?
            if case .answered(let response) = state { answer = response }
            return try await conclude(now, verdict, answer, card)
        }
    }

    /// Has the reader read a card, for as long as it may take.
    func capture(
        _ reader: any CardReader, _ request: CaptureRequest, _ exchange: HostExchange
    ) async throws(TerminalError) -> CaptureOutcome {
        announce(.progress(.waitingForCard))
        do throws(CaptureError) {
            return try await within(
                configuration.limits.reader, grace: configuration.limits.standDown,
                orElse: .failed("the reader did not come to an end in time: check it, and connect it anew")
            ) { () async throws(CaptureError) in
                try await reader.capture(request) { await exchange.authorize($0) }
            }
        } catch {
            throw TerminalError(error)
        }
    }

    func sequenceCounter() async throws(TerminalError) -> UInt32 {
        try await written { journal throws(JournalError) in try await journal.takeSequenceCounter() }
    }

    /// Ends a payment that the reader did not bring to its end. Nothing came of it unless the host was asked.
    private func abandon(
        _ entry: JournalEntry, _ state: HostExchange.State, _ rules: PaymentRules, because error: TerminalError
    ) async throws(TerminalError) -> PaymentResponse {
        switch state {
        case .unanswered: return try await conclude(entry, .unknown(.terminalTerminated), nil, nil, because: error.message)
        case .answered(let answer):
            let verdict = rules.authorizes(answer) ? PaymentVerdict.reversed(.terminalTerminated) : .declined
            return try await conclude(entry, verdict, answer, nil, because: error.message)
        case .notAsked, .unreachable, .refused: try await drop(entry, because: error)
        }
    }

    /// Writes that nothing came of the order.
    private func drop(_ entry: JournalEntry, because error: TerminalError) async throws(TerminalError) -> Never {
        var entry = entry
        entry.stage = .finished
        try await write(entry)
        throw error
    }

    // MARK: No card in the reader

    private func pay(_ payment: Payment, _ entry: JournalEntry) async throws(TerminalError) -> PaymentResponse {
        let card: PaymentCard =
            switch payment.source {
            case .keyed(let card, let cvv): .keyed(card, cvv: cvv)
            case .ocr(let card): .keyed(card, cvv: nil)
            case .secureCard(let token): .token(token)
            case .reader: throw .connectReaderFirst
            }
        let takesMore = configuration.offline.takes(payment.amount, beside: open.filter(\.isStored).map(\.amount))
        let rules = PaymentRules(
            amount: payment.amount, allowsPartialApproval: payment.terms.allowsPartialApproval, responseCodes: configuration.responseCodes,
            takesCardApproval: false, deferrable: takesMore ? configuration.offline.deferredAuthorization : [])
        let request = payment.request(card, at: entry.timestamp, terminalID: configuration.terminalID)
        return try await decide(entry, rules, CapturedCardView(payment.source)) { (error) in
            // What was to be authorised later must not be authorised twice: only what never left is stored.
            error.code == .unreachable && rules.defers(request)
                ? PaymentVerdict(outcome: .storedOffline, due: .authorization(request)) : nil
        } _: { (terminal) async throws(HostError) in
            try await terminal.authorize(request)
        }
    }

    /// A refund or a capture of a transaction that the host knows.
    private func follow(_ followUp: FollowUp, key: IdempotencyKey?) async throws(TerminalError) -> PaymentResponse {
        try await exclusively(TerminalOperation(followUp.kind), followUp.orderID.text, announcing: { .payment($0) }) {
            (terminal) async throws(TerminalError) in
            try terminal.checkAmount(followUp.amount)
            let entry = JournalEntry(followUp, key: key, digest: terminal.journal.digest(of: followUp))
            if let response = try await terminal.answerGiven(to: entry) { return response }
            try await terminal.begin(entry)
            let rules = PaymentRules(
                amount: followUp.amount, allowsPartialApproval: false, responseCodes: terminal.configuration.responseCodes,
                takesCardApproval: false, deferrable: [])
            return try await terminal.decide(entry, rules, CapturedCardView(), orElse: { _ in nil }) {
                (terminal) async throws(HostError) in
                try await terminal.askAboutMoney(followUp.orderID, followUp.amount) { host throws(HostError) in
                    try await host.follow(followUp)
                }
            }
        }
    }

    /// One question, one answer: the host decides alone.
    ///
    /// - Parameter fallback: What a failure of the host comes to, nil for an error.
    private func decide(
        _ entry: JournalEntry, _ rules: PaymentRules, _ card: CapturedCardView, orElse fallback: (HostError) -> PaymentVerdict?,
        _ ask: (isolated Terminal) async throws(HostError) -> AuthorizationResponse
    ) async throws(TerminalError) -> PaymentResponse {
        order = entry
        defer { order = nil }
        let answer: Result<AuthorizationResponse, HostError>
        do throws(HostError) {
            answer = .success(try await ask(self))
        } catch {
            answer = .failure(error)
        }
        let now = order ?? entry
        switch answer {
        case .success(let response): return try await conclude(now, PaymentVerdict(response, rules), response, card)
        case .failure(let error):
            if error.leavesOutcomeUnknown { return try await conclude(now, .unknown(.noHostAnswer), nil, card) }
            if running?.isCancelling == true { try await drop(now, because: .cancelled) }
            if let verdict = fallback(error) { return try await conclude(now, verdict, nil, card) }
            try await drop(now, because: TerminalError(error))
        }
    }

    // MARK: The host

    private func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        order?.take(request.card)
        return try await askAboutMoney(request.orderID, request.amount) { host throws(HostError) in try await host.authorize(request) }
    }

    /// Asks the host what moves money, with the intent in the journal, and once more what became of it if no answer comes.
    private func askAboutMoney(
        _ orderID: OrderID, _ amount: Money,
        _ question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> AuthorizationResponse
    ) async throws(HostError) -> AuthorizationResponse {
        do throws(TerminalError) {
            try passPointOfNoReturn()
            order?.stage = .asking
            if let order { try await write(order) }
        } catch {
            throw HostError(.unreachable, error.message)
        }
        announce(.progress(.askingHost))
        let answer: AuthorizationResponse
        do throws(HostError) {
            answer = try await asking(nil, question)
        } catch {
            guard error.leavesOutcomeUnknown, case .decided(let found) = await inquire(orderID) else { throw error }
            answer = found
        }
        try answer.check(against: amount)
        guard order?.needsCard == true else { return answer }
        order?.stage = .answered
        order?.answer = answer
        do throws(TerminalError) {
            if let order { try await write(order) }
        } catch {
            // Without the journal the answer would be lost with the process: the card is not given it.
            throw HostError(.noAnswer, error.message)
        }
        return answer
    }

    /// What became of an order, or nil if the host does not say.
    func inquire(_ orderID: OrderID) async -> OrderStatus? {
        announce(.progress(.inquiring))
        return try? await asking(configuration.limits.inquiry) { host throws(HostError) in try await host.status(of: orderID) }
    }

    // MARK: Checks

    func checkAmount(_ amount: Money) throws(TerminalError) {
        guard amount.currency == configuration.currency else {
            throw TerminalError(.invalidAmount, "the terminal takes \(configuration.currency) only")
        }
        guard (1...999_999_999_999).contains(amount.minorUnits) else {
            throw TerminalError(.invalidAmount, "the amount must be above zero and have at most 12 digits")
        }
        if let most = configuration.maximumAmount, amount.minorUnits > most.minorUnits {
            throw TerminalError(.invalidAmount, "the terminal takes at most \(most)")
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
                    .invalidRequest, "the custom field \(field.name) is not declared on the terminal: declare it, or leave it out")
            }
            guard field.value.unicodeScalars.count <= CustomField.limit else {
                throw TerminalError(.invalidRequest, "the custom field \(field.name) has more than \(CustomField.limit) characters")
            }
        }
    }

    private func checkBattery() throws(TerminalError) {
        if let battery = readerInfo?.battery, battery < configuration.minimumBattery {
            throw TerminalError(.lowBattery, "the reader's battery is at \(battery) %: charge it first")
        }
    }
}

extension AuthorizationResponse {
    /// - Throws: ``HostError/Code/answerNotGenuine`` for more than was asked for, and for another currency.
    func check(against amount: Money) throws(HostError) {
        guard authorizedAmount.currency == amount.currency, (0...amount.minorUnits).contains(authorizedAmount.minorUnits) else {
            throw HostError(.answerNotGenuine, "the host authorised another amount than it was asked for")
        }
    }
}

extension JournalEntry {
    /// Whether it was taken without the host, and the host has not taken it yet.
    var isStored: Bool { response?.outcome == .storedOffline }

    /// Notes what may be shown of the card.
    fileprivate mutating func take(_ card: PaymentCard) {
        switch card {
        case .captured(let captured):
            self.card = CardSummary(captured)
            entryMode = captured.entryMode
        case .keyed(let details, _):
            self.card = CardSummary(details)
            entryMode = .keyed
        case .token: break
        }
    }
}
