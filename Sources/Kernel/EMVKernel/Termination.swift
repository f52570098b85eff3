public import SmartCard
public import TLV

/// Why a transaction was terminated.
public enum Termination: Error, Equatable, Sendable {
    /// The card was removed or stopped answering, or the reader failed.
    case channel(CardChannelError)
    /// SW `6A81` to SELECT (EMV 4.4 Book 1, 12.3.2).
    case cardBlocked
    /// The candidate list is empty: card and terminal have no application in common (EMV 4.4 Book
    /// 1, 12.4).
    case emptyCandidateList
    /// Every application in common is blocked (SW `6283`), or fails otherwise.
    case applicationBlocked
    /// The card refused every application in common, one of them at least with SW `6985` to GET
    /// PROCESSING OPTIONS (EMV 4.4 Book 3, 10.1).
    case applicationRefused
    /// No offered application could be selected.
    case applicationNotSelectable
    /// The common applications require the cardholder's confirmation, which the terminal does not
    /// support (EMV 4.4 Book 1, 12.4).
    case confirmationNotPossible
    /// The cardholder chose no application, or pressed cancel at the PIN pad.
    case cancelledByCardholder
    /// A command that the transaction requires failed.
    case commandFailed(Instruction, StatusWord)
    /// An answer is not well-formed BER-TLV or lacks its template.
    case malformedAnswer(Instruction, TLVError?)
    /// A mandatory data object is missing (EMV 4.4 Book 3, 7.2 and 7.5).
    case missingData(Tag)
    /// A data object has an invalid value.
    case invalidData(Tag)
    /// A primitive data object is repeated (EMV 4.4 Book 3, 10.2).
    case repeatedData(Tag)
    /// The AFL lists more records than ``ContactKernel/maximumRecords``.
    case tooManyRecords
    /// The card answered GENERATE AC with a cryptogram type that is not allowed.
    case unexpectedCryptogram(requested: CryptogramType, answered: UInt8)
    /// The card declined with the reason "service not allowed" (EMV 4.4 Book 4, 6.3.7).
    case serviceNotAllowed
    /// A fault in the terminal's configuration or request.
    case configuration(ConfigurationFault)

    /// Whether card and terminal failed to work together. False for a refusal.
    var isChipFailure: Bool {
        switch self {
        case .applicationNotSelectable, .malformedAnswer, .missingData, .invalidData, .repeatedData, .tooManyRecords,
            .commandFailed:
            true
        case .channel(let error): error != .cardRemoved && error != .cancelled
        case .cardBlocked, .emptyCandidateList, .applicationBlocked, .applicationRefused, .confirmationNotPossible,
            .cancelledByCardholder,
            .unexpectedCryptogram, .serviceNotAllowed, .configuration:
            false
        }
    }

    /// Why the stripe may be tried; nil if it may not: after a removal, a cancellation, a blocked
    /// card or a refusal there is no fallback.
    var fallbackReason: Fallback.Reason? {
        if case .emptyCandidateList = self { return .emptyCandidateList }
        return isChipFailure ? .technical : nil
    }
}

extension Termination: CustomStringConvertible {
    public var description: String {
        switch self {
        case .channel(let error): error.description
        case .cardBlocked: "the card is blocked"
        case .emptyCandidateList: "the card has no application that this terminal takes"
        case .applicationBlocked: "the card's application is blocked"
        case .applicationRefused: "the card's application does not allow this transaction"
        case .applicationNotSelectable: "the card does not give the application that it offers"
        case .confirmationNotPossible:
            "the card's application needs the cardholder's confirmation, for which this terminal does not ask"
        case .cancelledByCardholder: "cancelled by the cardholder"
        case .commandFailed(let instruction, let status):
            "\(instruction.name) was answered \(status) (\(status.summary))"
        case .malformedAnswer(let instruction, let error):
            "the answer to \(instruction.name) is malformed" + (error.map { ": \($0)" } ?? "")
        case .missingData(let tag): "the card gives no \(Self.name(tag))"
        case .invalidData(let tag): "the card's \(Self.name(tag)) is invalid"
        case .repeatedData(let tag): "the card gives \(Self.name(tag)) twice"
        case .tooManyRecords: "the card's file locator lists too many records"
        case .unexpectedCryptogram(let requested, let answered):
            "the card was asked for \(requested.name) and answered with cryptogram information \(String(answered, radix: 16, uppercase: true))"
        case .serviceNotAllowed: "the card does not allow this service"
        case .configuration(let what): "the terminal's configuration does not fit: \(what)"
        }
    }

    private static func name(_ tag: Tag) -> String { "\(tag) (\(TagDictionary[tag]?.name ?? "unknown"))" }
}
