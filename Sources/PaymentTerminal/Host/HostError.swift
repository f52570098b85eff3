/// Why a host did not do what it was asked.
public struct HostError: Error, Sendable, Equatable {
    /// The reason, by which the terminal decides whether a
    /// request may be repeated or must be reversed.
    public enum Code: Sendable, Equatable {
        /// The request never left: nothing happened at the host.
        case unreachable
        /// The request left and no answer came: what happened at the host is not known.
        case noAnswer
        /// An answer came whose hash or form is wrong: what happened at the host is not known.
        case answerNotGenuine
        /// The host has had an order with this id, and did nothing now.
        case orderAlreadyProcessed
        /// No transaction has the reference.
        case transactionUnknown
        /// The transaction is not in a state for this, or the amount is more than is left of it.
        case notAllowed
        /// The merchant reference is taken: choose another, or update the secure card.
        case secureCardExists
        /// No secure card has this merchant reference, or the token is not its own.
        case secureCardUnknown
        /// The token is of a secure card that was deleted: register the card again.
        case secureCardDeleted
        /// The host does not take this card.
        case cardRefused
        /// The validation of a card by its CVV failed; nothing was stored.
        case validationFailed
        /// A field of the request is not as the host wants it.
        case invalidRequest
        /// Terminal or API key are not known to the host, or may not do this.
        case notAuthorized
        /// The host's interface has no such operation.
        case notSupported
        /// The host cannot do its work: its disk is full, its database broken. What it did before that is not known, and a
        /// network that repeats requests may give this answer to the second of two of which the host took the first.
        case failed
    }

    /// The reason, for programs.
    public let code: Code
    /// Why, and what to do about it. Never card data.
    public let message: String

    /// An error for a host's client to throw.
    ///
    /// - Parameters:
    ///   - code: The reason, for programs.
    ///   - message: Why, and what to do about it, without card data.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the host may have carried the request out all the same.
    public var leavesOutcomeUnknown: Bool {
        switch code {
        case .noAnswer, .answerNotGenuine, .failed: true
        case .unreachable, .orderAlreadyProcessed, .transactionUnknown, .notAllowed, .secureCardExists, .secureCardUnknown,
            .secureCardDeleted, .cardRefused, .validationFailed, .invalidRequest, .notAuthorized, .notSupported:
            false
        }
    }
}
