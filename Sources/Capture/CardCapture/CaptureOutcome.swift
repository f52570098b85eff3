package import Contactless
public import EMVKernel

/// How the transaction ended on the card's side.
public struct CaptureOutcome: Sendable {
    /// Who decided, and how.
    public enum Decision: Sendable, Equatable {
        /// The issuer approved, and the card did not object.
        case approvedOnline
        /// The card approved by itself (TC at the first GENERATE AC).
        case approvedOffline
        /// The issuer declined, or the card after it.
        case declinedOnline
        /// The card or the terminal declined without the issuer.
        case declinedOffline
        /// No transaction took place, because of the obstacle.
        case notPossible(Obstacle)
    }

    /// Decides at the point of sale, together with ``requiresReversal``.
    public var decision: Decision
    /// Nil only if no card data was read.
    public var card: CapturedCard?
    /// The cardholder must sign (the last CVM was a signature).
    public var requiresSignature: Bool
    /// The host approved, yet the card or a later step declined: the authorisation must be
    /// reversed.
    public var requiresReversal: Bool
    /// The card declined and asked for an advice to the issuer (CID, bit 4; EMV 4.4 Book 3, table
    /// 15). Our kernel over contacts reports it.
    public var requiresAdvice: Bool
    /// How the stripe may be tried if the chip made no transaction; nil if it may not.
    public var fallback: Fallback?
    /// Why our contactless kernel declined; nil for other readers, and for a transaction that was
    /// not declined offline.
    package var declineReason: ContactlessReason?
    /// What the card's preferences of languages led to; nil if it told none, and for readers with
    /// texts of their own.
    var language: MessageLanguage?
    /// A tap that ended with Try Another Interface (EMV Contactless Book A, 6.2).
    var asksForContacts = false

    /// How a reader reports the end of a transaction; by
    /// default no signature, reversal, advice or fallback is due.
    public init(
        decision: Decision, card: CapturedCard?, requiresSignature: Bool = false, requiresReversal: Bool = false,
        requiresAdvice: Bool = false, fallback: Fallback? = nil
    ) {
        self.decision = decision
        self.card = card
        self.requiresSignature = requiresSignature
        self.requiresReversal = requiresReversal
        self.requiresAdvice = requiresAdvice
        self.fallback = fallback
    }
    /// For devices with a kernel of their own, which may approve offline even if online
    /// authorization is requested. Such an approval is void if the issuer had to be asked, or if
    /// there are no card data to charge.
    package func approvedOfflineOnly(for request: CaptureRequest) -> CaptureOutcome {
        guard decision == .approvedOffline else { return self }
        if card == nil {
            return CaptureOutcome(
                decision: .notPossible(.noCardData), card: nil)
        }
        guard request.forcesOnline else { return self }
        return CaptureOutcome(
            decision: .notPossible(.approvedOffline), card: card)
    }
}
