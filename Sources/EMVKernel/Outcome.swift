public import SmartCard
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

    /// Whether the point of sale may go on with the magnetic stripe, entry mode 80 (EMV 4.4 Book 4, 10.1): the chip could not be used, and was not yet
    /// asked for a cryptogram. A blocked card, a cancel and a removal are no reason.
    public var allowsFallback: Bool

    /// What is known of the card's last cryptogram.
    public var cryptogram: CryptogramType? {
        data.card[.cryptogramInformationData]?.first.flatMap { CryptogramInformationData(rawValue: $0).type }
    }
}

/// Why a transaction broke off.
public enum Termination: Error, Equatable, Sendable {
    /// The card was removed, fell silent, or the reader failed.
    case channel(CardChannelError)
    /// SW `6A81` to SELECT (EMV 4.4 Book 1, 12.3.2).
    case cardBlocked
    /// The card has no application that this terminal takes.
    case noApplication
    /// The only matching applications are blocked (SW `6283`).
    case applicationBlocked
    case cancelledByCardholder
    /// A command failed whose success the transaction needs.
    case commandFailed(Instruction, StatusWord)
    /// An answer is no well-formed BER-TLV or lacks its template.
    case malformedAnswer(Instruction, TLVError?)
    /// A mandatory data object is missing (EMV 4.4 Book 3, 7.2).
    case missingData(Tag)
    /// A data object has a value it cannot have.
    case invalidData(Tag)
    /// A primitive data object came twice (EMV 4.4 Book 3, 10.2).
    case repeatedData(Tag)
    /// The AFL lists more records than ``ContactKernel/maximumRecords``.
    case tooManyRecords
    /// The card answered GENERATE AC with a cryptogram that it may not give.
    case unexpectedCryptogram(requested: CryptogramType, answered: UInt8)
    /// The terminal's own set-up does not fit the request.
    case configuration(String)

    /// Whether chip and terminal failed each other, rather than anyone having said no.
    var isChipFailure: Bool {
        switch self {
        case .noApplication, .malformedAnswer, .missingData, .invalidData, .repeatedData, .tooManyRecords, .commandFailed: true
        case .channel(let error): error != .cardRemoved && error != .cancelled
        case .cardBlocked, .applicationBlocked, .cancelledByCardholder, .unexpectedCryptogram, .configuration: false
        }
    }
}

extension Termination: CustomStringConvertible {
    public var description: String {
        switch self {
        case .channel(let error): error.description
        case .cardBlocked: "the card is blocked"
        case .noApplication: "the card has no application that this terminal takes"
        case .applicationBlocked: "the card's application is blocked"
        case .cancelledByCardholder: "cancelled by the cardholder"
        case .commandFailed(let instruction, let status): "\(instruction.name) was answered \(status) (\(status.words))"
        case .malformedAnswer(let instruction, let error):
            "the answer to \(instruction.name) is malformed" + (error.map { ": \($0)" } ?? "")
        case .missingData(let tag): "the card gives no \(Self.name(tag))"
        case .invalidData(let tag): "the card's \(Self.name(tag)) is invalid"
        case .repeatedData(let tag): "the card gives \(Self.name(tag)) twice"
        case .tooManyRecords: "the card's file locator lists too many records"
        case .unexpectedCryptogram(let requested, let answered):
            "the card was asked for \(requested.name) and answered with cryptogram information \(String(answered, radix: 16, uppercase: true))"
        case .configuration(let what): "the terminal's configuration does not fit: \(what)"
        }
    }

    private static func name(_ tag: Tag) -> String { "\(tag) (\(TagDictionary[tag]?.name ?? "unknown"))" }
}
