public import PaymentTerminal

/// What the bench host keeps of an order.
public struct OrderRecord: Sendable, Equatable {
    public enum State: String, Sendable {
        case approved
        case declined
        /// An account verification that the issuer approved; it never settles.
        case verified
        /// Approved by the card alone.
        case approvedOffline
        case reversed
    }

    public let orderID: OrderID
    public internal(set) var state: State
    /// Ten digits.
    public let uniqueReference: String
    /// Nil, as time and card, for a reversal that came before its order.
    public let amount: Money?
    /// By the terminal's clock.
    public let secondsSince1970: Int64?
    public let maskedPAN: String?
    /// ISO 8583:1987, field 39; nil if the issuer was not asked.
    public internal(set) var responseCode: String?
    /// Six digits; nil unless the issuer approved.
    public internal(set) var approvalCode: String?
    /// Tag `9F26` of the card's last word, 8 bytes; nil until that has come.
    public internal(set) var finalCryptogram: [UInt8]?
}

extension OrderRecord {
    /// The record of an order that nobody has decided yet.
    init(_ request: AuthorizationRequest, _ card: CardDetails, state: State, uniqueReference: String) {
        self.init(
            orderID: request.orderID, state: state, uniqueReference: uniqueReference, amount: request.amount,
            secondsSince1970: request.timestamp.secondsSince1970, maskedPAN: CardSummary(card).maskedPAN)
    }

    /// The record of an order that was reversed before it came.
    init(reversed orderID: OrderID, uniqueReference: String) {
        self.init(orderID: orderID, state: .reversed, uniqueReference: uniqueReference, amount: nil, secondsSince1970: nil, maskedPAN: nil)
    }
}
