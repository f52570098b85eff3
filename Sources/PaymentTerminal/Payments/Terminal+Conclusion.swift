private import Bytes
import CardReaders
private import EMVKernel
private import SmartCard
private import TLV

extension Terminal {
    /// Writes how the order ended, tells the host, and gives what the caller is told.
    ///
    /// - Parameters:
    ///   - answer: Nil if the host did not decide.
    ///   - card: Nil if the reader did not come to an end.
    ///   - reason: What went wrong at the terminal.
    func conclude(
        _ entry: JournalEntry, _ verdict: PaymentVerdict, _ answer: AuthorizationResponse?, _ card: CapturedCardView?,
        because reason: String? = nil
    ) async throws(TerminalError) -> PaymentResponse {
        var entry = entry
        entry.response = response(entry, verdict, answer, card, reason)
        entry.answer = nil
        entry.due = verdict.due.flatMap { JournalEntry.Due($0) }
        entry.stage = entry.due == nil ? .finished : .owing
        do throws(TerminalError) {
            try await write(entry)
        } catch {
            // What nobody would know of after a restart must not stand.
            if entry.hasAskedHost { await undo(entry) }
            throw error
        }
        if entry.stage == .owing {
            open.append(entry)
            if case .reversal = entry.due { announce(.progress(.reversing)) }
            let settled = await settleOpen(quietly: entry.orderID)
            entry = settled.first { $0.orderID == entry.orderID } ?? entry
        }
        guard let response = entry.response else { throw TerminalError(.hostFailed, "the order has no outcome") }
        return response
    }

    private func undo(_ entry: JournalEntry) async {
        let completion = Completion(orderID: entry.orderID, result: .reversed(.terminalTerminated))
        _ = try? await asking { host throws(HostError) in try await host.complete(completion) }
    }

    func response(
        _ entry: JournalEntry, _ verdict: PaymentVerdict, _ answer: AuthorizationResponse?, _ card: CapturedCardView?, _ reason: String?
    ) -> PaymentResponse {
        var reversal = PaymentResponse.Reversal.none
        if case .reversal = verdict.due { reversal = .pending }
        let isApproved = verdict.outcome == .approved || verdict.outcome == .partiallyApproved
        let isTaken = isApproved || verdict.outcome == .storedOffline
        let authorizedAmount = isTaken ? answer?.authorizedAmount ?? entry.amount : nil
        let approvalCode = isApproved ? answer?.issuer.authorisationCode : nil
        let summary = card?.card ?? answer?.card ?? entry.card
        let entryMode = card?.entryMode ?? entry.entryMode
        let chip = card?.chip
        return PaymentResponse(
            orderID: entry.orderID, operation: entry.operation, outcome: verdict.outcome, reversal: reversal,
            description: PaymentResponse.words(verdict.outcome, reversal, answer?.message, reason),
            responseCode: chip?.elements[.authorisationResponseCode].map(ValueDescription.printable) ?? answer?.issuer.responseCode,
            approvalCode: approvalCode, uniqueReference: answer?.uniqueReference, authorizedAmount: authorizedAmount,
            checks: answer?.checks ?? CardholderChecks(), card: summary, entryMode: entryMode,
            emvTags: chip.map { $0.field55(for: .advice).hex }, secureCardReference: isApproved ? answer?.secureCardReference : nil,
            timestamp: entry.timestamp,
            receipt: Receipt(
                merchantName: configuration.merchantName, terminalID: configuration.terminalID, timestamp: entry.timestamp,
                orderID: entry.orderID, operation: entry.operation, amount: authorizedAmount ?? entry.amount, requested: entry.amount,
                tip: entry.tip, serviceCharge: entry.serviceCharge, taxes: entry.taxes, outcome: verdict.outcome, card: summary,
                entryMode: entryMode, approvalCode: approvalCode, chip: chip.map { Receipt.ChipLines($0) },
                signatureWanted: isTaken && card?.signatureWanted == true, signature: isTaken ? card?.signature : nil))
    }
}

extension PaymentResponse {
    static func words(_ outcome: Outcome, _ reversal: Reversal, _ message: String?, _ reason: String?) -> String {
        let why = reason.map { CardNumberScan.masked($0) + "; " } ?? ""
        switch (outcome, reversal) {
        case (.approved, _), (.partiallyApproved, _): return CardNumberScan.masked(message ?? "approved")
        case (.storedOffline, _): return "taken without the host, which is told as soon as it can be reached"
        case (.unknown, _): return why + "the host's answer is not known, and the payment is being undone: do not hand over the goods"
        case (.declined, _): return why + CardNumberScan.masked(message ?? "declined by the card")
        case (.reversed(let reason), .pending): return why + "\(reason.words): nothing is paid, and the host is told to undo it"
        case (.reversed(let reason), _): return why + "\(reason.words): nothing is paid"
        }
    }
}

extension ReversalReason {
    var words: String {
        switch self {
        case .cardDeclined: "the card declined"
        case .noHostAnswer: "the host did not answer"
        case .terminalTerminated: "the payment did not come to its end"
        case .signatureDeclined: "the signature was refused"
        case .signatureVerificationTimeout: "nobody signed, or looked at the signature, in time"
        case .partialApprovalNotAllowed: "less was approved than was asked for"
        case .requested: "reversed as requested"
        }
    }
}

extension JournalEntry {
    /// Whether something of the order may be at the host.
    fileprivate var hasAskedHost: Bool {
        switch response?.outcome {
        case .approved, .partiallyApproved, .reversed, .unknown: true
        case .declined, .storedOffline, nil: false
        }
    }
}

extension JournalEntry.Due {
    /// Nil for a payment that cannot be stored.
    init?(_ due: PaymentVerdict.Due) {
        switch due {
        case .confirmation(let chipData): self = .confirmation(chipData: chipData)
        case .reversal(let reason): self = .reversal(reason)
        case .advice(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .advice(payment)
        case .authorization(let request):
            guard let payment = StoredPayment(request) else { return nil }
            self = .authorization(payment)
        }
    }
}
