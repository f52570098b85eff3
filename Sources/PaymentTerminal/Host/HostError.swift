/// Why a host did not do what it was asked.
public struct HostError: Error, Sendable, Equatable {
    public enum Code: Sendable, Equatable {
        /// The request never left: nothing happened at the host.
        case unreachable
        /// The request left and no answer came: what happened at the host is not known.
        case noAnswer
        case orderAlreadyProcessed
        case secureCardExists
        case secureCardUnknown
        case secureCardDeleted
        /// The host does not take this card.
        case cardRefused
        /// The validation of a card by its CVV failed; nothing was stored.
        case validationFailed
        /// The host cannot do its work: its disk is full, its database broken.
        case failed
    }

    public let code: Code
    /// Why, and what to do about it. Never card data.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
