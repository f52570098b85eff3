private import Bytes
import CardCapture
private import EMVKernel
private import TLV

extension PaymentResponse {
    /// What is told of an order.
    ///
    /// - Parameters:
    ///   - card: Nil if the reader did not complete the transaction.
    ///   - reason: The failure at the terminal.
    init(
        _ entry: JournalEntry, _ verdict: PaymentVerdict, answer: AuthorizationResponse?,
        card: CapturedCardView? = nil, reason: String? = nil, at configuration: Terminal.Configuration
    ) {
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
        let isPINVerified =
            chip.map(Receipt.ChipLines.isPINAccepted) == true
            || card?.hasOnlinePIN == true && isApproved && answer != nil
        self.init(
            orderID: entry.orderID, operation: entry.operation, outcome: verdict.outcome, reversal: reversal,
            description: PaymentResponse.summary(
                verdict.outcome, reversal: reversal, message: answer?.message, reason: reason),
            responseCode: chip?.elements[.authorisationResponseCode].map(ValueDescription.printable)
                ?? answer?.issuer.responseCode,
            approvalCode: approvalCode, uniqueReference: answer?.uniqueReference, authorizedAmount: authorizedAmount,
            checks: answer?.checks ?? CardholderChecks(), unsentFields: card?.unsentFields, card: summary,
            entryMode: entryMode,
            emvTags: chip.map { $0.responseTags.hex },
            verifiedPIN: isPINVerified ? true : nil,
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
