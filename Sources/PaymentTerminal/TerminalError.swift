public import CardCapture
private import TLV

/// Why an operation of the terminal did not come about.
public struct TerminalError: Error, Sendable, Equatable {
    /// Stable: programs decide by it, and it stays the same from release to release.
    public enum Code: String, Sendable {
        case busy
        case readerNotConnected
        case invalidAmount
        case invalidCardData
        case cardNotRead
        case cancelled
        /// The reader and the card came to no transaction.
        case notPossible
        /// The issuer declined the verification of an account.
        case cardDeclined
        case hostUnreachable
        case noHostAnswer
        /// The host's answer was damaged or made up.
        case answerNotGenuine
        case orderAlreadyProcessed
        case transactionUnknown
        /// The transaction, or the terminal, is not in a state for this.
        case notAllowed
        case secureCardExists
        case secureCardUnknown
        case secureCardDeleted
        case cardRefused
        case validationFailed
        case invalidRequest
        /// The idempotency key belongs to another request.
        case idempotencyConflict
        /// The journal cannot be written: no payment is taken.
        case journalFailed
        case lowBattery
        /// A production terminal was given a reader or a host for tests.
        case testEquipment
        case notAuthorized
        case notSupported
        case hostFailed
    }

    public let code: Code
    /// What happened, and what to do about it. Never card data: a card number in words that came from elsewhere is masked.
    public let message: String
    /// With ``Code/notPossible``: the entry mode under which the stripe of the same card may be tried; nil if it may not.
    public let fallbackEntryMode: CapturedCard.EntryMode?

    package init(_ code: Code, _ message: String, fallback: CapturedCard.EntryMode? = nil) {
        self.code = code
        self.message = CardNumberScan.masked(message)
        fallbackEntryMode = fallback
    }

    static let busy = TerminalError(.busy, "the terminal is busy with another operation: wait until it ends, or cancel it")
    static let cancelled = TerminalError(.cancelled, "the operation was cancelled")
    static let connectReaderFirst = TerminalError(.readerNotConnected, "no reader is connected: connect a reader first")
}

extension TerminalError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(message)" }
}

extension TerminalError {
    /// Reader and card came to no transaction, because of `reason`.
    static func notPossible(_ reason: String, _ capture: CaptureOutcome) -> TerminalError {
        TerminalError(.notPossible, reason, fallback: capture.fallback.map { CapturedCard.EntryMode($0) })
    }

    init(_ error: HostError) {
        let code: Code =
            switch error.code {
            case .unreachable: .hostUnreachable
            case .noAnswer: .noHostAnswer
            case .answerNotGenuine: .answerNotGenuine
            case .orderAlreadyProcessed: .orderAlreadyProcessed
            case .transactionUnknown: .transactionUnknown
            case .notAllowed: .notAllowed
            case .secureCardExists: .secureCardExists
            case .secureCardUnknown: .secureCardUnknown
            case .secureCardDeleted: .secureCardDeleted
            case .cardRefused: .cardRefused
            case .validationFailed: .validationFailed
            case .invalidRequest: .invalidRequest
            case .notAuthorized: .notAuthorized
            case .notSupported: .notSupported
            case .failed: .hostFailed
            }
        self.init(code, error.message)
    }

    init(_ error: CaptureError) {
        switch error {
        case .cancelled: self = .cancelled
        case .noCardPresented: self.init(.cardNotRead, "no card was presented: try again and present a card")
        case .cardRemoved: self.init(.cardNotRead, "the card was removed too early: try again and leave it in until the end")
        case .severalCards: self.init(.cardNotRead, "several cards were presented at once: try again with one only")
        case .failed(let reason): self.init(.cardNotRead, reason)
        }
    }

    init(_ error: CardDetailsError) {
        self.init(.invalidCardData, error.description)
    }
}
