import CardCapture
import PaymentTerminal

/// What the vault keeps of an order.
struct StoredOrder {
    /// As it is reported; the refunded amount is computed with each read.
    var record: TransactionRecord
    var terminalID: String?
    /// What stands for the card number; nil for a reversal that came before its order, up to version 4 of the vault.
    var panLookup: [UInt8]?
    /// Of the card whose ARQC was right.
    var counter: CardCounter?
    /// Tag `9F26` of the card's last word, 8 bytes; nil until that has come.
    var finalCryptogram: [UInt8]?
    /// Nil if the issuer was not asked.
    var answer: Answer?
    /// What the cardholder signed on the terminal's screen or pad, kept sealed.
    var signature: Signature?

    /// What was said, kept sealed.
    struct Answer: Codable {
        let response: AuthorizationResponse
        var operatorName: String?
        var reason: String?
        /// Of a sale: whether a tip may be added by capturing more.
        var allowsTipAdjustment: Bool?
        /// Whether the issuer approved on the telephone.
        var wasReferred: Bool?
    }

    /// One transaction of one chip card.
    struct CardCounter: Equatable {
        var panSequenceNumber: UInt8
        /// Tag `9F36`.
        var atc: UInt16
    }
}

extension StoredOrder {
    /// An order without a decision yet.
    init(_ request: AuthorizationRequest, _ card: CardDetails, uniqueReference: String, panLookup: [UInt8]) {
        record = TransactionRecord(
            orderID: request.orderID, uniqueReference: uniqueReference, kind: TransactionRecord.Kind(request.purpose), state: .pending,
            amount: request.amount)
        record.timestamp = request.timestamp
        record.maskedPAN = CardSummary(card).maskedPAN
        terminalID = request.terminalID
        signature = request.signature
        self.panLookup = panLookup
    }

    /// A refund or a capture of `original` without a decision yet.
    init(_ kind: BenchHost.Reference, _ request: ReferencedRequest, of original: StoredOrder, uniqueReference: String) {
        record = TransactionRecord(
            orderID: request.orderID, uniqueReference: uniqueReference, kind: TransactionRecord.Kind(kind), state: .pending,
            amount: request.amount)
        record.timestamp = request.timestamp
        record.maskedPAN = original.record.maskedPAN
        record.original = original.record.uniqueReference
        terminalID = request.terminalID
        panLookup = original.panLookup
    }

    /// The authorisation of 0.00 that validates a card which is to be kept.
    init(validating card: CardDetails, uniqueReference: String, terminalID: String, panLookup: [UInt8]) {
        record = TransactionRecord(
            orderID: .validation(uniqueReference), uniqueReference: uniqueReference, kind: .accountVerification, state: .pending)
        record.maskedPAN = CardSummary(card).maskedPAN
        self.terminalID = terminalID
        self.panLookup = panLookup
    }

    /// Takes the issuer's decision, and keeps the answer that reports it.
    mutating func decide(
        _ decision: TestIssuer.Decision, card: CardSummary?, secureCardReference: SecureCardReference? = nil, operatorName: String? = nil,
        reason: String? = nil, requested amount: Money
    ) {
        let approves = decision.code.approves
        let authorized = decision.authorizedAmount(of: amount)
        record.state = !approves ? .declined : record.kind == .accountVerification ? .voided : .approved
        record.responseCode = decision.code.rawValue
        record.authorizedAmount = approves ? authorized : nil
        record.approvalCode = approves ? randomDigits(6) : nil
        let response = AuthorizationResponse(
            uniqueReference: record.uniqueReference,
            issuer: IssuerAnswer.Answer(
                responseCode: decision.code.rawValue, issuerAuthenticationData: decision.issuerAuthenticationData,
                scripts: decision.scripts, approvalCode: record.approvalCode),
            authorizedAmount: authorized, card: card, secureCardReference: secureCardReference, checks: decision.checks,
            message: decision.explanation ?? decision.code.summary)
        answer = Answer(response: response, operatorName: operatorName, reason: reason)
    }
}

extension OrderID {
    /// Of an authorisation that the host makes itself: its own reference tells it from the others.
    fileprivate static func validation(_ uniqueReference: String) -> OrderID {
        guard let orderID = try? OrderID("validation-" + uniqueReference) else { preconditionFailure("ten digits are no card number") }
        return orderID
    }
}

extension TransactionRecord.Kind {
    fileprivate init(_ purpose: AuthorizationRequest.Purpose) {
        self =
            switch purpose {
            case .sale: .sale
            case .preAuthorization: .preAuthorization
            case .refund: .refund
            case .accountVerification: .accountVerification
            }
    }

    fileprivate init(_ kind: BenchHost.Reference) {
        self =
            switch kind {
            case .refund: .refund
            case .capture: .capture
            }
    }
}
