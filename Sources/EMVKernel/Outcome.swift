public import TLV

/// How a transaction ended. Every transaction ends in one: nothing a card, a host or a person does makes the kernel throw.
public struct Outcome: Sendable {
    public enum Decision: Sendable, Equatable {
        case approved(Path)
        case declined(Path)
        /// No transaction was possible, or it was terminated.
        case terminated(Termination)
    }

    /// Who decided.
    public enum Path: Sendable, Equatable {
        /// Terminal and card, without the issuer.
        case offline
        case online
        /// Terminal and card, after the issuer could not be reached.
        case unableToGoOnline
    }

    public var decision: Decision
    public var data: TransactionData
    public var tvr: TerminalVerificationResults
    public var tsi: TransactionStatusInformation
    public var cvmResults: CVMResults
    /// The PIN that was entered for the issuer, for hosts that want it again with a completion.
    public var onlinePIN: OnlinePIN?
    /// The type of the card's last cryptogram; one that the card may not give in the end counts as an AAC (EMV 4.4 Book 3, 9.3).
    public var cryptogram: CryptogramType?
    /// The cardholder is to sign.
    public var requiresSignature: Bool
    /// What the host booked, or may have booked, must be reversed: the issuer approved and the
    /// transaction did not (EMV 4.4 Book 4, 6.3.8), or the request went out and no usable answer
    /// came back (12.2.3), regardless of the decision.
    public var requiresReversal: Bool
    /// The card asked for an advice to the issuer (bit 4 of the CID).
    public var requiresAdvice: Bool
    /// The issuer wants a voice call (EMV 4.4 Book 4, 6.5.2.2) that was not made, or did not approve.
    public var requiresReferral: Bool

    /// How the point of sale may go on with the magnetic stripe, nil if it may not: only while the card was not yet asked for a cryptogram.
    public var fallback: Fallback?
    public var allowsFallback: Bool { fallback != nil }
}
