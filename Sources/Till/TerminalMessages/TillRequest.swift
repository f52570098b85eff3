public import PaymentTerminal

/// What a till asks of a terminal, one JSON object (docs/terminal-messages.md).
///
/// It has no card number: cards are read by the terminal's reader, and a stored card is named by
/// its token.
public struct TillRequest: Sendable {
    /// The version of requests and messages. Within a version keys are added, and never renamed or
    /// removed.
    public static let version = 1

    /// The till's own name for the request, which the answer repeats: 1 to 64 characters; nil
    /// without one.
    public let id: String?
    /// What is asked.
    public let content: Content

    /// What a till asks.
    public enum Content: Sendable {
        /// A payment, or a pre-authorization.
        case sale(Sale)
        /// A refund.
        case refund(Refund)
        /// A capture of a pre-authorization, or of a tip.
        case capture(FundsCapture)
        /// The reversal of an order.
        case reversal(OrderID)
        /// How an order ended, as the terminal's journal has it.
        case inquiry(OrderID)
        /// The lines of both copies of an order's receipt.
        case receipt(OrderID)
        /// A new secure card.
        case registerSecureCard(SecureCard, IdempotencyKey?)
        /// A secure card as the host has it.
        case retrieveSecureCard(MerchantReference)
        /// Another card or other details for a secure card.
        case editSecureCard(SecureCard, IdempotencyKey?)
        /// The end of a secure card. With a nil token the terminal asks the host for it.
        case deleteSecureCard(MerchantReference, SecureCardReference?, IdempotencyKey?)
        /// The host's list.
        case transactions(TransactionQuery)
        /// The terminal's settings at the host.
        case settings
        /// The end of what is in progress, unless the host was asked.
        case cancel
        /// The answer to a question.
        ///
        /// - Parameter question: The question's number.
        case answer(question: Int, Answer)
    }

    /// An answer to a question of the terminal.
    public enum Answer: Sendable {
        /// The cardholder has signed.
        case signature(Signature)
        /// Whether the signature is that of the card.
        case isGenuine(Bool)
        /// The issuer's code: six letters or digits.
        case approvalCode(String)
        /// The index of an application or a reader, from 0.
        case choice(Int)
        /// No signature, no code, no choice.
        case refused
    }
}
