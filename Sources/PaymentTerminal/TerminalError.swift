public import CardCapture
import EMVKernel
private import TLV

/// Why an operation of the terminal did not come about.
public struct TerminalError: Error, Sendable, Equatable {
    /// Stable: programs decide by it, and it stays the same from release to release.
    public enum Code: String, Sendable {
        /// Another operation is in progress: wait until it ends, or cancel it.
        case busy
        /// No reader is connected, or it was lost: connect it.
        case readerNotConnected
        /// Zero or less, more than 12 digits, above the limit,
        /// or in another currency; or a part does not fit in it.
        case invalidAmount
        /// The card data have no valid number or expiry date, or the reader encrypts them.
        case invalidCardData
        /// No card was presented, it left too early, or the reader failed: try again.
        case cardNotRead
        /// The operation was cancelled, and nothing was charged.
        case cancelled
        /// The reader and the card came to no transaction.
        case notPossible
        /// The issuer declined the verification of an account.
        case cardDeclined
        /// The request did not leave, and nothing happened at the host: try again later.
        case hostUnreachable
        /// The host's answer did not come, so that the outcome there is unknown: ask for it later.
        case noHostAnswer
        /// The host's answer was damaged or made up.
        case answerNotGenuine
        /// The order was processed before: choose another order id.
        case orderAlreadyProcessed
        /// Neither the journal nor the host has the transaction: check the reference.
        case transactionUnknown
        /// The transaction, or the terminal, is not in a state for this.
        case notAllowed
        /// The merchant reference is taken: choose another, or edit the secure card.
        case secureCardExists
        /// No secure card has this merchant reference: check it.
        case secureCardUnknown
        /// The token is of a secure card that was deleted: register the card again.
        case secureCardDeleted
        /// The host does not accept this card: use another.
        case cardRefused
        /// The validation by CVV failed, and the card was not kept: check the digits.
        case validationFailed
        /// A part of the request is not allowed or not configured: the message names it.
        case invalidRequest
        /// The idempotency key belongs to another request.
        case idempotencyConflict
        /// The journal cannot be written: no payment is taken.
        case journalFailed
        /// The reader's charge is below ``Terminal/Configuration/minimumBattery``: charge it.
        case lowBattery
        /// A production terminal was given a reader or a host for tests.
        case testEquipment
        /// The host does not know the terminal or its key, or does not allow it this.
        case notAuthorized
        /// The host's interface cannot do this: use another,
        /// or leave the part out that the message names.
        case notSupported
        /// The host could not do its work: what it did before that is unknown.
        case hostFailed
    }

    /// The reason, for programs.
    public let code: Code
    /// What happened, and what to do about it. Never card data: a card number in words that came from elsewhere is masked.
    public let message: String
    /// With ``Code/notPossible``: the entry mode under which the stripe of the same card may be tried; nil if it may not.
    public let fallbackEntryMode: CapturedCard.EntryMode?

    /// With ``Code/notPossible`` and ``Code/cardNotRead``: what stood in the way at card or reader, such as a blocked card.
    public let obstacle: CaptureOutcome.Obstacle?

    package init(
        _ code: Code, _ message: String, obstacle: CaptureOutcome.Obstacle? = nil, fallback: CapturedCard.EntryMode? = nil
    ) {
        self.code = code
        self.obstacle = obstacle
        self.message = CardNumberScan.masked(message)
        fallbackEntryMode = fallback
    }

    static let busy = TerminalError(.busy, "the terminal is busy with another operation: wait until it ends, or cancel it")
    static let cancelled = TerminalError(.cancelled, "the operation was cancelled")
    static let connectReaderFirst = TerminalError(.readerNotConnected, "no reader is connected: connect a reader first")
}

extension TerminalError: CustomStringConvertible {
    public var description: String { message }
}

extension TerminalError {
    /// No transaction was possible at reader and card.
    static func notPossible(_ obstacle: CaptureOutcome.Obstacle, fallback: Fallback?) -> TerminalError {
        TerminalError(
            .notPossible, obstacle.description, obstacle: obstacle, fallback: fallback.map { CapturedCard.EntryMode($0) })
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
        let message: String
        switch error {
        case .cancelled:
            self = .cancelled
            return
        case .noCardPresented: message = "no card was presented: try again and present a card"
        case .cardRemoved: message = "the card was removed too early: try again and leave it in until the end"
        case .severalCards: message = "several cards were presented at once: try again with one only"
        case .amountTooLong, .cardDataMissing, .swipeDecryption, .memoryFailed, .readerFailed: message = error.description
        }
        self.init(.cardNotRead, message, obstacle: .reader(error))
    }

    init(_ error: CardDetailsError) {
        self.init(.invalidCardData, error.description)
    }
}
