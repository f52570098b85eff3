public import SmartCard
public import TLV

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
