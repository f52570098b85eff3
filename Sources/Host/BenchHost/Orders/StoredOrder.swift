import CardCapture
import PaymentTerminal

/// The vault's data of an order.
struct StoredOrder {
    /// The record for reports; the refunded amount is computed at each read.
    var record: TransactionRecord
    var terminalID: String
    /// The search value of the card number; nil for a reversal that arrived before its order, up to
    /// version 4 of the vault.
    var panLookup: [UInt8]?
    /// The counter of the card, if its ARQC was correct; nil when the card has begun again.
    var counter: CardCounter?
    /// Tag `9F26` of the final cryptogram, 8 bytes; nil until it has arrived.
    var finalCryptogram: [UInt8]?
    /// Nil if the issuer was not asked.
    var answer: Answer?
    /// The cardholder's signature on the terminal's screen or pad, stored sealed.
    var signature: Signature?

    /// The issuer's answer, stored sealed.
    struct Answer: Codable {
        let response: AuthorizationResponse
        var operatorName: String?
        var reason: String?
        /// For a sale: whether a tip may be added by a higher capture.
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
            orderID: request.orderID, uniqueReference: uniqueReference, kind: TransactionRecord.Kind(request.purpose),
            state: .pending,
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
            orderID: request.orderID, uniqueReference: uniqueReference, kind: TransactionRecord.Kind(kind),
            state: .pending,
            amount: request.amount)
        record.timestamp = request.timestamp
        record.maskedPAN = original.record.maskedPAN
        record.original = original.record.uniqueReference
        terminalID = request.terminalID
        panLookup = original.panLookup
    }

    /// The authorisation of 0.00 that validates a card before it is stored.
    init(validating card: CardDetails, uniqueReference: String, terminalID: String, panLookup: [UInt8]) {
        record = TransactionRecord(
            orderID: .validation(uniqueReference), uniqueReference: uniqueReference, kind: .accountVerification,
            state: .pending)
        record.maskedPAN = CardSummary(card).maskedPAN
        self.terminalID = terminalID
        self.panLookup = panLookup
    }

    /// Applies the issuer's decision, and stores the answer that reports it.
    mutating func decide(
        _ decision: TestIssuer.Decision, card: CardSummary?, secureCardReference: SecureCardReference? = nil,
        operatorName: String? = nil,
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
            message: decision.explanation ?? decision.code.summary, isAuthorized: approves)
        answer = Answer(response: response, operatorName: operatorName, reason: reason)
    }
}

extension OrderID {
    /// The order id of an authorisation by the host itself, which contains its unique reference.
    fileprivate static func validation(_ uniqueReference: String) -> OrderID {
        guard let orderID = try? OrderID("validation-" + uniqueReference) else {
            preconditionFailure("ten digits are not a card number")
        }
        return orderID
    }
}

extension TransactionRecord.Kind {
    init(_ purpose: AuthorizationRequest.Purpose) {
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
