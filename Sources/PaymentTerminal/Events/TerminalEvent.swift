public import CardCapture

/// What a terminal tells while it works.
public struct TerminalEvent: Sendable {
    /// Nil for what happens between operations.
    public let operation: TerminalOperation?
    /// Of the operation's request: the order id of a payment, the merchant reference of a secure card; nil for an operation without either.
    public let requestID: String?
    public let content: Content

    public enum Content: Sendable {
        case progress(Progress)
        case readerConnected(ReaderInfo)
        case readerDisconnected(ReaderInfo)
        case reader(ReaderEvent)
        /// To be answered, or the transaction ends when ``TimeLimits/person`` is over.
        case applicationRequired(ApplicationRequest)
        /// To be answered, or the payment is reversed when ``TimeLimits/person`` is over.
        case signatureRequired(SignatureRequest)
        /// To be answered, or the payment is reversed when ``TimeLimits/person`` is over.
        case signatureToVerify(SignatureVerification)
        case payment(PaymentResponse)
        case secureCard(SecureCardResponse)
        case transactions([TransactionRecord])
        case settings(HostSettings)
        /// The outcome of an earlier payment has changed: it was cleared, reversed, or the host has taken what was stored.
        case cleared(PaymentResponse)
        case failed(TerminalError)
    }

    /// What goes on, for a screen.
    public enum Progress: String, Sendable, CaseIterable {
        case waitingForCard
        case askingHost
        /// The host has not answered; it is asked for the outcome of the request.
        case inquiring
        /// The journal lacks entries; the host is asked for its list.
        case readingHostList
        case waitingForSignature
        case verifyingSignature
        case reversing
        case cancelling
    }
}

extension TerminalEvent.Progress: CustomStringConvertible {
    /// Words for the operator.
    public var description: String {
        switch self {
        case .waitingForCard: "present a card to the reader"
        case .askingHost: "authorising"
        case .inquiring: "no answer yet: asking for the outcome of the request"
        case .readingHostList: "the journal lacks entries: reading the host's list"
        case .waitingForSignature: "waiting for the signature"
        case .verifyingSignature: "compare the signature with that on the card"
        case .reversing: "reversing the authorization"
        case .cancelling: "cancelling"
        }
    }
}
