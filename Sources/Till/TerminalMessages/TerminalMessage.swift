public import JSONDocument
public import PaymentTerminal

/// What a terminal tells a till, one JSON object (docs/terminal-messages.md). It has no card number
/// that is not masked.
public struct TerminalMessage: Sendable {
    /// Of the request that is answered; nil for a question, for an event, and without one.
    public let id: String?
    /// What is told.
    public let content: Content

    /// What is told.
    public enum Content: Sendable {
        /// How a sale, refund, capture or reversal ended, or an inquiry's order.
        case payment(PaymentResponse)
        /// The lines of both copies of a receipt.
        case receipt(Receipt)
        /// The answer to a request about a secure card.
        case secureCard(SecureCardResponse)
        /// The host's list.
        case transactions(TransactionQuery.Page)
        /// The terminal's settings at the host.
        case settings(HostSettings)
        /// The answer to a request to cancel.
        case cancel(CancelAnswer)
        /// Whether an answer was the first to its question, and of its kind.
        case answered(Bool)
        /// Why a request was not carried out. Nothing was charged, unless its code says that the
        /// outcome is unknown.
        case error(TerminalError)
        /// To be answered by a request with this number.
        case question(Int, Question, TerminalEvent.Context)
        /// What happens meanwhile.
        case event(TerminalEvent)
    }

    /// What the terminal wants to know of a person.
    public enum Question: Sendable {
        /// The cardholder's signature.
        case signature(SignatureRequest)
        /// Whether the signature is that of the card.
        case signatureVerification(SignatureVerification)
        /// The issuer's code, which it gives on the telephone.
        case referral(ReferralRequest)
        /// One of the card's applications.
        case application(ApplicationRequest)
        /// One of the readers that were found.
        case reader(ReaderRequest)
    }

    /// A message to a till, by default of no request.
    public init(_ content: Content, id: String? = nil) {
        self.id = id
        self.content = content
    }

    /// The message as it is sent.
    public var json: JSON {
        let (kind, members) = parts
        return .object(
            [("version", .number(TillRequest.version)), ("message", .text(kind)), ("id", id.map { .text($0) })]
                + members)
    }

    private var parts: (kind: String, [JSON.Pair]) {
        switch content {
        case .payment(let response): ("payment", response.pairs)
        case .receipt(let receipt): ("receipt", receipt.pairs)
        case .secureCard(let response): ("secureCard", response.pairs)
        case .transactions(let page): ("transactions", page.pairs)
        case .settings(let settings): ("settings", settings.pairs)
        case .cancel(let answer): ("cancel", [("answer", .text(answer.rawValue))])
        case .answered(let isAccepted): ("answered", [("isAccepted", .flag(isAccepted))])
        case .error(let error): ("error", error.pairs)
        case .question(let number, let question, let context):
            ("question", [("number", .number(number))] + context.pairs + question.pairs)
        case .event(let event): ("event", event.pairs)
        }
    }
}
