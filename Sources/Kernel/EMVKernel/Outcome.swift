public import TLV

/// How a transaction ended. Every transaction ends with one: the kernel does not throw for anything
/// that a card, a host or a person does.
public struct Outcome: Sendable {
    /// The decision for the point of sale.
    public enum Decision: Sendable, Equatable {
        /// The transaction was approved; the cardholder may still have to sign.
        case approved(Path)
        /// No payment was made; another card or means of payment may be used.
        case declined(Path)
        /// No transaction was possible, or it was terminated.
        case terminated(Termination)
    }

    /// Who decided.
    public enum Path: Sendable, Equatable {
        /// Terminal and card, without the issuer.
        case offline
        /// The issuer and the card.
        case online
        /// Terminal and card, after the issuer could not be reached.
        case unableToGoOnline
    }

    /// How the transaction ended; see also ``requiresReversal``.
    public var decision: Decision
    /// The data objects at the end, with PAN and track: ``TransactionData/wipe()`` them after use.
    public var data: TransactionData
    /// Tag `95`, 5 bytes.
    public var tvr: TerminalVerificationResults
    /// Tag `9B`, 2 bytes.
    public var tsi: TransactionStatusInformation
    /// Tag `9F34`, 3 bytes.
    public var cvmResults: CVMResults
    /// The PIN that was entered for the issuer, for hosts that require it again with a completion.
    public var onlinePIN: OnlinePIN?
    /// The type of the card's last cryptogram; a final type that is not allowed counts as an AAC
    /// (EMV 4.4 Book 3, 9.3).
    public var cryptogram: CryptogramType?
    /// The cardholder must sign.
    public var requiresSignature: Bool
    /// What the host booked, or may have booked, must be reversed: the issuer approved but the
    /// transaction was not approved (EMV 4.4 Book 4, 6.3.8), or the request was sent but there was
    /// no usable answer (12.2.3), regardless of the decision.
    public var requiresReversal: Bool
    /// The card asked for an advice to the issuer (bit 4 of the CID).
    public var requiresAdvice: Bool
    /// The issuer requested a voice call (EMV 4.4 Book 4, 6.5.2.2) that was not made, or did not
    /// approve.
    public var requiresReferral: Bool

    /// How the point of sale may continue with the magnetic stripe; nil if it may not. It may only
    /// before the first GENERATE AC.
    public var fallback: Fallback?
    /// Whether the stripe of the same card may be tried; ``fallback`` has its entry mode.
    public var allowsFallback: Bool { fallback != nil }
}
