public import CardCapture

/// The outcome of a payment, a refund or a capture.
public struct PaymentResponse: Sendable, Equatable, Codable {
    /// The outcome for the point of sale.
    public enum Outcome: Sendable, Equatable, Codable {
        /// The whole amount was authorized: hand over the goods.
        case approved
        /// The issuer approved less than requested: the rest must be paid otherwise.
        case partiallyApproved
        /// Nothing was charged: ask for another means of payment.
        case declined
        /// An amount was, or may have been, authorised, and is reversed.
        case reversed(ReversalReason)
        /// Accepted without the host, which receives it later: goods may be handed over at the
        /// merchant's risk.
        case storedOffline
        /// It is unknown whether the host charged the card; the terminal continues to find out and
        /// to undo it.
        case unknown
    }

    /// The state of the reversal of an authorization.
    public enum Reversal: String, Sendable, Equatable, Codable {
        /// None was due.
        case none
        /// The host has undone the authorization.
        case performed
        /// The host has not accepted it yet; the terminal repeats it until it does.
        case pending
    }

    /// The order of the request.
    public let orderID: OrderID
    /// Sale, pre-authorization, refund or capture; it does not change when the payment is reversed.
    public let operation: TerminalOperation
    /// It changes when the host has accepted a stored payment or a reversal.
    public internal(set) var outcome: Outcome
    /// It goes from pending to performed once the host has answered.
    public internal(set) var reversal: Reversal
    /// The outcome as text for the operator.
    public internal(set) var description: String
    /// Authorisation response code, ISO 8583:1987 field 39 or the terminal's own `Y1`, `Z3` …; nil
    /// if there is none.
    public internal(set) var responseCode: String?
    /// Nil unless approved.
    public internal(set) var approvalCode: String?
    /// The host's reference of the transaction; nil if it was not asked or did not answer.
    public internal(set) var uniqueReference: String?
    /// The authorised amount; nil unless approved.
    public internal(set) var authorizedAmount: Money?
    /// Empty for a payment without billing address and CVV.
    public internal(set) var checks: CardholderChecks
    /// Sorted by name; nil if empty, so that older entries of the journal can be read.
    var unsentFields: [PaymentField]? = nil
    /// The card data that may be shown; nil if neither reader nor host returned any.
    public let card: CardSummary?
    /// Nil for a token, a referenced refund and a capture.
    public let entryMode: CapturedCard.EntryMode?
    /// The data objects of the chip that may be stored (EMV 4.4 Book 4, 12.1), and the results of
    /// data storage (`Kernel2Configuration.DataStorage`), BER-TLV coded in hexadecimal; nil without
    /// a chip.
    public internal(set) var emvTags: String?
    /// Nil in place of false, as in older entries of the journal.
    var verifiedPIN: Bool? = nil
    /// The token of the card registered with the payment; nil if none was.
    public internal(set) var secureCardReference: SecureCardReference?
    /// Why the host was not reached, of a payment that was declined or stored for that; nil for
    /// another reason.
    public internal(set) var hostFault: HostError.Fault? = nil
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// The large part: every suspended task of a payment has copies of its response.
    var boxedReceipt: Boxed<Receipt>

    private enum CodingKeys: String, CodingKey {
        case orderID, operation, outcome, reversal, description, responseCode, approvalCode, uniqueReference,
            authorizedAmount, checks,
            unsentFields, card, entryMode, emvTags, verifiedPIN, secureCardReference, hostFault, timestamp
        case boxedReceipt = "receipt"
    }

    /// The same data for printing both copies.
    public internal(set) var receipt: Receipt {
        get { boxedReceipt.value }
        set { boxedReceipt.value = newValue }
    }

    /// The parts of the payment that the host's interface does not support
    /// (``Terminal/Configuration/UnsentFields/list``).
    public var fieldsNotSent: Set<PaymentField> { Set(unsentFields ?? []) }
    /// Whether the card accepted the PIN, or the issuer approved the payment that it came with. A PIN
    /// on the cardholder's own device does not count.
    public var isPINVerified: Bool { verifiedPIN == true }
    /// The four digits that the replaced ECPSdk has for a decline: 4000 and the response code (ISO
    /// 8583:1987, field 39), so 4051 for insufficient funds. Nil unless declined, and for a response
    /// code that is no number, as that of a card that declined by itself (`Z1`).
    public var declineCode: Int? {
        guard outcome == .declined, let digits = responseCode?.utf8, digits.count == 2,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return number > 0 ? 4000 + number : nil
    }
    /// Whether the host has confirmed the reversal; false while it is pending.
    public var didPerformReversal: Bool { reversal == .performed }
    /// Whether all or a part of the amount was authorized;
    /// false for a payment that was stored offline.
    public var isApproved: Bool { outcome == .approved || outcome == .partiallyApproved }
}

extension PaymentResponse.Outcome {
    /// Whether the merchant hands over the goods.
    var isTaken: Bool {
        switch self {
        case .approved, .partiallyApproved, .storedOffline: true
        case .declined, .reversed, .unknown: false
        }
    }
}
