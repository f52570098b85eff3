private import Bytes
import CardCapture
private import EMVKernel
private import TLV

extension Terminal {
    /// Writes the outcome of the order and returns the caller's response. Messages to the host are
    /// sent in the background, except a reversal, which is tried once before the caller gets the
    /// response.
    ///
    /// - Parameters:
    ///   - card: Nil if the reader did not complete the transaction.
    ///   - reason: The failure at the terminal.
    func conclude(
        _ end: HostExchange.End, _ verdict: PaymentVerdict, _ card: CapturedCardView?, because reason: String? = nil
    ) async throws(TerminalError) -> PaymentResponse {
        var order = end.order
        var answer: AuthorizationResponse?
        if case .answered(let response) = end.state { answer = response }
        var response = response(order.entry, verdict: verdict, answer: answer, card: card, reason: reason)
        if case .unreachable(let error) = end.state { response.hostFault = error.fault }
        order.entry.conclude(verdict, response, answer)
        do throws(TerminalError) {
            try await save(&order)
        } catch {
            return try await concludeUnwritten(end, verdict, answer, because: error)
        }
        guard order.entry.stage == .owing else { return order.entry.outcome }
        owe(order.entry)
        if case .unanswered = end.state { pending.orders.doubt(order.entry.orderID) }
        switch order.entry.due {
        case .reversal, .reversalIfOurs:
            announce(.progress(.reversing))
            return await recover(order.entry).outcome
        case .confirmation, .advice, .declineAdvice, .authorization, .inquiry, nil:
            forward()
            return order.entry.outcome
        }
    }

    /// Ends an order whose outcome the journal could not write. A failed write may still exist
    /// after a restart, so nothing is undone at the host before the journal has it: the outcome is
    /// unknown until then.
    ///
    /// - Parameter intended: The outcome that could not be written.
    /// - Throws: `error` if nothing has happened at the host, and nothing can happen.
    private func concludeUnwritten(
        _ end: HostExchange.End, _ intended: PaymentVerdict, _ answer: AuthorizationResponse?,
        because error: TerminalError
    ) async throws(TerminalError) -> PaymentResponse {
        var verdict = PaymentVerdict.unknown(.terminalTerminated)
        switch end.state {
        // A payment that should be stored may still be stored, and a later process would send it.
        case .notAsked, .unreachable, .refused:
            guard intended.outcome == .storedOffline else {
                var entry = end.order.entry
                entry.stage = .finished
                if end.order.keeping == .journaled { owe(entry, isWritten: false) }
                throw error
            }
        case .taken: verdict = .taken
        case .unanswered, .answered: break
        }
        var entry = end.order.entry
        entry.conclude(
            verdict, response(entry, verdict: verdict, answer: nil, card: nil, reason: error.message), answer)
        owe(entry, isWritten: false)
        forward()
        return entry.outcome
    }

    func response(
        _ entry: JournalEntry, verdict: PaymentVerdict, answer: AuthorizationResponse?, card: CapturedCardView?,
        reason: String?
    ) -> PaymentResponse {
        var reversal = PaymentResponse.Reversal.none
        switch verdict.due {
        case .reversal, .reversalIfOurs: reversal = .pending
        case .confirmation, .advice, .declineAdvice, .authorization, nil: break
        }
        let isApproved = verdict.outcome == .approved || verdict.outcome == .partiallyApproved
        let isTaken = isApproved || verdict.outcome == .storedOffline
        let authorizedAmount = isTaken ? answer?.authorizedAmount ?? entry.amount : nil
        let approvalCode = isApproved ? answer?.issuer.approvalCode : nil
        let summary = card?.card ?? answer?.card ?? entry.card
        let entryMode = card?.entryMode ?? entry.entryMode
        let chip = card?.chip
        return PaymentResponse(
            orderID: entry.orderID, operation: entry.operation, outcome: verdict.outcome, reversal: reversal,
            description: PaymentResponse.summary(
                verdict.outcome, reversal: reversal, message: answer?.message, reason: reason),
            responseCode: chip?.elements[.authorisationResponseCode].map(ValueDescription.printable)
                ?? answer?.issuer.responseCode,
            approvalCode: approvalCode, uniqueReference: answer?.uniqueReference, authorizedAmount: authorizedAmount,
            checks: answer?.checks ?? CardholderChecks(), unsentFields: card?.unsentFields, card: summary,
            entryMode: entryMode,
            emvTags: chip.map { $0.responseTags.hex },
            secureCardReference: isApproved ? answer?.secureCardReference : nil,
            timestamp: entry.timestamp,
            boxedReceipt: Boxed(
                Receipt(
                    merchantName: configuration.merchantName, terminalID: configuration.terminalID,
                    timestamp: entry.timestamp,
                    orderID: entry.orderID, operation: entry.operation, amount: authorizedAmount ?? entry.amount,
                    requested: entry.amount, tip: entry.tip, serviceCharge: entry.serviceCharge, taxes: entry.taxes,
                    outcome: verdict.outcome, card: summary,
                    entryMode: entryMode, approvalCode: approvalCode, chip: chip.map { Receipt.ChipLines($0) },
                    requiresSignature: isTaken && card?.requiresSignature == true,
                    signature: isTaken ? card?.signature : nil)))
    }
}

extension ChipData {
    fileprivate var responseTags: [UInt8] {
        HostMessage.advice.field55(elements, requested: elements.storageResultTags)
    }
}

extension PaymentResponse {
    static func summary(_ outcome: Outcome, reversal: Reversal, message: String?, reason: String?) -> String {
        let why = reason.map { CardNumberScan.masked($0) + "; " } ?? ""
        switch (outcome, reversal) {
        case (.approved, _), (.partiallyApproved, _): return CardNumberScan.masked(message ?? "approved")
        case (.storedOffline, _): return "stored offline; it is sent to the host as soon as the host is reachable"
        case (.unknown, .none): return why + "the outcome is unknown: look up the order at the host"
        case (.unknown, _): return why + "the outcome is unknown and a reversal is pending: do not hand over the goods"
        case (.declined, _):
            guard let message else { return reason.map { CardNumberScan.masked($0) } ?? "declined by the card" }
            return why + CardNumberScan.masked(message)
        case (.reversed(let reason), .pending):
            return why + "\(reason.summary): nothing is charged, the reversal is pending"
        case (.reversed(let reason), _): return why + "\(reason.summary): nothing is charged"
        }
    }
}

extension ReversalReason {
    var summary: String {
        switch self {
        case .cardDeclined: "the card declined"
        case .noHostAnswer: "the host did not answer"
        case .terminalTerminated: "the payment was interrupted"
        case .signatureDeclined: "the signature was refused"
        case .signatureVerificationTimeout: "the signature or its verification timed out"
        case .partialApprovalNotAllowed: "the issuer approved less than the requested amount"
        case .responseCodeNotAccepted: "the terminal does not accept the issuer's response code"
        case .requested: "reversed as requested"
        }
    }
}

extension JournalEntry {
    /// Stores the outcome, and the pending message to the host.
    mutating func conclude(_ verdict: PaymentVerdict, _ response: PaymentResponse, _ answer: AuthorizationResponse?) {
        self.response = response
        due = verdict.due.flatMap { Due($0) }
        stage = due == nil ? .finished : .owing
        // If the host refuses to reverse, its authorisation remains valid.
        self.answer = if case .reversal = due { answer } else { nil }
    }

    /// The response of an entry with an outcome.
    fileprivate var outcome: PaymentResponse {
        guard let response else { preconditionFailure("the order has no outcome") }
        return response
    }
}

extension JournalEntry.Due {
    /// Nil for a payment that cannot be stored.
    init?(_ due: PaymentVerdict.Due) {
        switch due {
        case .confirmation(let chipData): self = .confirmation(chipData: chipData)
        case .reversal(let reason): self = .reversal(reason)
        case .reversalIfOurs(let reason): self = .reversalIfOurs(reason)
        case .advice(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .advice(payment)
        case .declineAdvice(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .declineAdvice(payment)
        case .authorization(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .authorization(payment)
        }
    }
}
