private import Bytes
import CardReaders
private import EMVKernel
private import TLV

extension Terminal {
    /// Takes a payment, from the card in the reader or from the data that the sale names.
    ///
    /// A decline is an answer, not an error. An error says that no sale came about; if the host might have authorised one it is reversed.
    public func processSale(_ sale: Sale) async throws(TerminalError) -> SaleResponse {
        try await exclusively { () async throws(TerminalError) in
            try checkAmount(sale.amount)
            switch sale.source {
            case .reader: return try await sellToCardInReader(sale)
            case .keyed(let card, let cvv): return try await sell(sale, to: .keyed(card, cvv: cvv))
            case .secureCard(let token): return try await sell(sale, to: .token(token))
            }
        }
    }

    private func checkAmount(_ amount: Money) throws(TerminalError) {
        guard amount.currency == configuration.currency else {
            throw TerminalError(.invalidAmount, "the terminal takes \(configuration.currency) only")
        }
        guard (1...999_999_999_999).contains(amount.minorUnits) else {
            throw TerminalError(.invalidAmount, "the amount must be above zero and have at most 12 digits")
        }
    }

    private func sellToCardInReader(_ sale: Sale) async throws(TerminalError) -> SaleResponse {
        guard let reader else { throw .connectReaderFirst }
        let timestamp = clock()
        let makeRequest = { @Sendable [configuration] (card: CapturedCard) in
            var secureCard = sale.secureCard
            secureCard?.entryMode = card.entryMode
            secureCard?.readerName = reader.name
            return AuthorizationRequest(
                orderID: sale.orderID, amount: sale.amount, timestamp: timestamp, terminalID: configuration.terminalID,
                card: .captured(card), secureCard: secureCard)
        }
        let exchange = HostExchange(host: host, makeRequest: makeRequest)
        let capture: CaptureOutcome
        do throws(CaptureError) {
            capture = try await reader.capture(captureRequest(for: sale.amount)) { await exchange.authorize($0) }
        } catch {
            try await abandon(sale, await exchange.state, because: TerminalError(error))
        }
        let state = await exchange.state
        if case .notPossible(let reason) = capture.decision {
            try await abandon(sale, state, because: .notPossible(reason, capture))
        }
        if case .refused(let error) = state { throw TerminalError(error) }
        let verdict = SaleVerdict(capture, state, request: capture.card.map(makeRequest), responseCodes: configuration.responseCodes)
        var response: AuthorizationResponse?
        if case .answered(let answer) = state { response = answer }
        return await conclude(sale, verdict, response, capture, at: timestamp)
    }

    /// A sale that needs no card at the reader: one question, one answer.
    private func sell(_ sale: Sale, to card: PaymentCard) async throws(TerminalError) -> SaleResponse {
        let timestamp = clock()
        let request = AuthorizationRequest(
            orderID: sale.orderID, amount: sale.amount, timestamp: timestamp, terminalID: configuration.terminalID, card: card,
            secureCard: sale.secureCard)
        var response: AuthorizationResponse?
        let verdict: SaleVerdict
        do throws(HostError) {
            let answer = try await host.authorize(request)
            response = answer
            verdict = SaleVerdict(outcome: approves(answer) ? .approved : .declined, completion: nil)
        } catch {
            guard error.code == .noAnswer else { throw TerminalError(error) }
            verdict = SaleVerdict(outcome: .unknown, completion: .reversed(.noHostAnswer))
        }
        return await conclude(sale, verdict, response, nil, at: timestamp)
    }

    func captureRequest(for amount: Money, forceOnline: Bool = false) -> CaptureRequest {
        CaptureRequest(
            amount: UInt64(amount.minorUnits), currencyCode: amount.currency.number, currencyExponent: amount.currency.exponent,
            sequenceCounter: takeSequenceCounter(), forceOnline: forceOnline, responseCodes: configuration.responseCodes)
    }

    private func approves(_ response: AuthorizationResponse) -> Bool {
        configuration.responseCodes.approves(response.issuer.responseCode)
    }

    /// Ends a sale that came to nothing, and undoes what the host may have authorised for it.
    private func abandon(_ sale: Sale, _ state: HostExchange.State, because error: TerminalError) async throws(TerminalError) -> Never {
        switch state {
        case .unanswered: _ = await complete(sale.orderID, .reversed(.terminalTerminated))
        case .answered(let response) where approves(response): _ = await complete(sale.orderID, .reversed(.terminalTerminated))
        case .answered, .notAsked, .refused: break
        }
        throw error
    }

    /// Tells the host how the sale ended, and the caller.
    ///
    /// - Parameter capture: nil if no card was read.
    private func conclude(
        _ sale: Sale, _ verdict: SaleVerdict, _ response: AuthorizationResponse?, _ capture: CaptureOutcome?, at timestamp: Timestamp
    ) async -> SaleResponse {
        var reversal = SaleResponse.Reversal.none
        if let completion = verdict.completion {
            let taken = await complete(sale.orderID, completion)
            if case .reversed = completion { reversal = taken ? .performed : .pending }
        }
        // Once a reversal is through, the card is certainly not charged.
        let outcome = verdict.outcome == .unknown && reversal == .performed ? .declined : verdict.outcome
        let isApproved = outcome == .approved
        let authorizedAmount = isApproved ? response?.authorizedAmount ?? sale.amount : nil
        let approvalCode = isApproved ? response?.issuer.authorisationCode : nil
        let (card, entryMode) = cardShown(sale, response, capture)
        let chip = capture?.card?.chip
        return SaleResponse(
            orderID: sale.orderID, outcome: outcome, reversal: reversal, description: words(outcome, reversal, response),
            responseCode: chip?.elements[.authorisationResponseCode].map(ValueDescription.printable) ?? response?.issuer.responseCode,
            approvalCode: approvalCode, uniqueReference: response?.uniqueReference, authorizedAmount: authorizedAmount, card: card,
            entryMode: entryMode, secureCardReference: isApproved ? response?.secureCardReference : nil,
            receipt: Receipt(
                merchantName: configuration.merchantName, terminalID: configuration.terminalID, timestamp: timestamp,
                orderID: sale.orderID, amount: authorizedAmount ?? sale.amount, outcome: outcome, card: card, entryMode: entryMode,
                approvalCode: approvalCode, chip: chip.map { Receipt.ChipLines($0) },
                signatureWanted: isApproved && capture?.signatureWanted == true))
    }

    /// What may be shown of the card that paid: read, keyed, or known to the host by its token.
    private func cardShown(
        _ sale: Sale, _ response: AuthorizationResponse?, _ capture: CaptureOutcome?
    ) -> (CardSummary?, CapturedCard.EntryMode?) {
        switch sale.source {
        case .reader: (capture?.card.map { CardSummary($0) }, capture?.card?.entryMode)
        case .keyed(let card, _): (CardSummary(card), .keyed)
        case .secureCard: (response?.card, nil)
        }
    }

    private func words(
        _ outcome: SaleResponse.Outcome, _ reversal: SaleResponse.Reversal, _ response: AuthorizationResponse?
    ) -> String {
        switch (outcome, reversal) {
        case (.approved, _): CardNumberScan.masked(response?.message ?? "approved offline")
        case (.unknown, _): "the host's answer is not known; the sale is being reversed: do not hand over the goods"
        case (.declined, .none): CardNumberScan.masked(response?.message ?? "declined by the card")
        case (.declined, .performed): "declined, and reversed at the host"
        case (.declined, .pending): "declined; the reversal is sent to the host before the next operation"
        }
    }
}
