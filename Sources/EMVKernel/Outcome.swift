public import TLV

/// How a transaction ended. Every transaction ends in one: nothing a card, a host or a person does makes the kernel throw.
public struct Outcome: Sendable {
    public enum Decision: Sendable, Equatable {
        case approved(Path)
        case declined(Path)
        /// No transaction came about, or it broke off.
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
    /// The cardholder is to sign.
    public var signatureWanted: Bool
    /// The issuer approved and the transaction did not: what the host booked must be reversed (EMV 4.4 Book 4, 6.3.8 and 10.11).
    public var reversalWanted: Bool
    /// The card asked for an advice to the issuer (bit 4 of the CID).
    public var adviceWanted: Bool
    /// The issuer wants a voice call (ARC 01 or 02) and the card declined meanwhile.
    public var referralWanted: Bool

    /// How the point of sale may go on with the magnetic stripe, nil if it may not: only while the card was not yet asked for a cryptogram.
    public var fallback: Fallback?
    public var allowsFallback: Bool { fallback != nil }

    /// What is known of the card's last cryptogram.
    public var cryptogram: CryptogramType? {
        data.card[.cryptogramInformationData]?.first.flatMap { CryptogramInformationData(rawValue: $0).type }
    }
}
