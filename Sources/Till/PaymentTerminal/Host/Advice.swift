/// How an order ended at the terminal, for the host's record.
public struct Advice: Sendable {
    /// How the order ended.
    public enum Result: Sendable {
        /// The payment is valid as decided by the host.
        ///
        /// - chipData: Field 55 with the card's last cryptogram, a TC or an AAC after a decline;
        ///   empty without a chip.
        /// - signature: The cardholder's signature after the decision; nil if none was captured.
        case finished(chipData: [UInt8], signature: Signature?)
        /// The card declined without the issuer and asked for an advice (EMV 4.4 Book 4, 6.3.7):
        /// the host must record it, and never charge it.
        case declinedOffline(AuthorizationRequest)
        /// The host undoes everything that it authorized for the order.
        case reversed(ReversalReason)
    }

    /// What the caller has found at the host under the order id.
    public enum Finding: Sendable, Equatable {
        /// The caller has not looked, or the host has no list: the order id says it all.
        case notLookedUp
        /// The host's list had no such order: one that is there by now may be another terminal's.
        case nothing
        /// The host's transaction with this reference is the caller's order.
        case transaction(uniqueReference: String)
    }

    /// The order that the host knows, or must record.
    public let orderID: OrderID
    /// The outcome that the host's record must show.
    public let result: Result
    /// Which transaction of the host a reversal is meant for. A host whose order ids are shared by
    /// several terminals undoes no other.
    public let finding: Finding

    /// An advice for ``PaymentHost/advise(_:)``.
    ///
    /// - Parameters:
    ///   - orderID: The order id of the request to the host, whether or not it was sent.
    ///   - result: The outcome at the terminal.
    ///   - finding: What the caller has found at the host under the order id.
    public init(orderID: OrderID, result: Result, finding: Finding = .notLookedUp) {
        self.orderID = orderID
        self.result = result
        self.finding = finding
    }
}

/// Why an authorisation is undone.
public enum ReversalReason: String, Sendable, Codable, CaseIterable {
    /// The host approved and the card, or a later step at the terminal, declined.
    case cardDeclined
    /// The host's answer did not arrive.
    case noHostAnswer
    /// The terminal aborted the payment: card removed, operation cancelled, reader lost, process
    /// ended.
    case terminalTerminated
    /// The cardholder did not sign, or the signature does not match the card.
    case signatureDeclined
    /// Nobody verified the signature in time.
    case signatureVerificationTimeout
    /// Less than the requested amount was approved, which the sale did not allow.
    case partialApprovalNotAllowed
    /// The host approved with a response code that the terminal does not accept
    /// (``Terminal/Configuration/responseCodes``).
    case responseCodeNotAccepted
    /// The merchant requested it.
    case requested
}
