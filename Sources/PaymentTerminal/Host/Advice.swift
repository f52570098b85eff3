/// How an order that the host was asked about, or should know about, ended at the terminal.
public struct Advice: Sendable {
    /// How the order ended.
    public enum Result: Sendable {
        /// The payment stands as the host decided.
        ///
        /// - chipData: Field 55 with the card's last cryptogram, a TC or an AAC after a decline; empty without a chip.
        /// - signature: What the cardholder signed after the decision; nil if nothing was captured.
        case finished(chipData: [UInt8], signature: Signature?)
        /// The card approved offline: an advice, to be recorded and settled.
        case approvedOffline(AuthorizationRequest)
        /// The card declined without the issuer and asked for an advice (EMV 4.4 Book 4, 6.3.7): to be recorded, and never charged.
        case declinedOffline(AuthorizationRequest)
        /// The host undoes everything that it authorized for the order.
        case reversed(ReversalReason)
    }

    /// The order that the host knows, or is to record.
    public let orderID: OrderID
    /// The outcome that the host's record must show.
    public let result: Result

    /// An advice for ``PaymentHost/advise(_:)``.
    ///
    /// - Parameters:
    ///   - orderID: The id under which the host was asked, or would have been.
    ///   - result: The outcome at the terminal.
    public init(orderID: OrderID, result: Result) {
        self.orderID = orderID
        self.result = result
    }
}

/// Why an authorisation is undone.
public enum ReversalReason: String, Sendable, Codable, CaseIterable {
    /// The host approved and the card, or a later step at the terminal, declined.
    case cardDeclined
    /// The host's answer did not arrive.
    case noHostAnswer
    /// The terminal gave up before the end: card removed, operation cancelled, reader lost, process ended.
    case terminalTerminated
    /// The cardholder did not sign, or the signature is not that of the card.
    case signatureDeclined
    /// Nobody looked at the signature in time.
    case signatureVerificationTimeout
    /// Less was approved than was asked for, and the sale did not allow that.
    case partialApprovalNotAllowed
    /// The merchant wanted it.
    case requested
}
