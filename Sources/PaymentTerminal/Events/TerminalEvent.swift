public import CardCapture

/// What a terminal tells while it works.
public struct TerminalEvent: Sendable {
    /// Nil for what happens between operations.
    public let operation: TerminalOperation?
    /// Of the operation's request: the order id of a payment, the merchant reference of a secure card; nil for an operation without either.
    public let requestID: String?
    /// What happened, or what is asked for.
    public let content: Content

    /// What an event is about.
    public enum Content: Sendable {
        /// What the operation does at this moment, for a screen.
        case progress(Progress)
        /// A reader is being opened.
        case readerConnecting(ReaderInfo)
        /// A reader was connected, or came back.
        case readerConnected(ReaderInfo)
        /// A reader was disconnected from this side, or was lost.
        case readerDisconnected(ReaderInfo)
        /// What the reader reports of itself, of cards and of the PIN, as the driver sends it.
        case reader(ReaderEvent)
        /// A reader could not be opened, or was refused; no operation has failed.
        case connectionFailed(TerminalError)
        /// To be answered, or no reader is connected when ``TimeLimits/person`` is over.
        case readerRequired(ReaderRequest)
        /// To be answered, or the transaction ends when ``TimeLimits/person`` is over.
        case applicationRequired(ApplicationRequest)
        /// To be answered, or the payment is reversed when ``TimeLimits/person`` is over.
        case signatureRequired(SignatureRequest)
        /// To be answered, or the payment is reversed when ``TimeLimits/person`` is over.
        case signatureToVerify(SignatureVerification)
        /// To be answered, or the payment is declined when ``TimeLimits/referral`` is over.
        case referralRequired(ReferralRequest)
        /// The result of a sale, pre-authorization, refund or capture.
        case payment(PaymentResponse)
        /// The result of a change of a secure card, or of a look at one.
        case secureCard(SecureCardResponse)
        /// The host's answer to ``Terminal/transactions(_:)``.
        case transactions([TransactionRecord])
        /// The host's answer to ``Terminal/settings()``.
        case settings(HostSettings)
        /// The outcome of an earlier payment has changed: it was cleared, reversed, or the host has taken what was stored.
        /// The event comes once. A program that ended before it received the event finds the outcome by ``Terminal/journaled(_:)``.
        case cleared(PaymentResponse)
        /// The operation ended without a result.
        case failed(TerminalError)
    }

    /// What goes on, for a screen.
    public enum Progress: String, Sendable, CaseIterable {
        /// The reader waits for a card and carries the transaction through with it.
        case waitingForCard
        /// The request for a payment, refund or capture is at the host; its answer is awaited.
        case askingHost
        /// The host has not answered; it is asked for the outcome of the request.
        case inquiring
        /// The journal lacks entries; the host is asked for its list.
        case readingHostList
        /// The cardholder is to sign on a screen or pad.
        case waitingForSignature
        /// The merchant is to compare the signature with that on the card.
        case verifyingSignature
        /// The attendant is to call the issuer.
        case waitingForReferral
        /// The host is asked to undo what it authorized.
        case reversing
        /// The operation was cancelled, and the reader is being stopped.
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
        case .waitingForReferral: "call the issuer, which wants to decide on the telephone"
        case .reversing: "reversing the authorization"
        case .cancelling: "cancelling"
        }
    }
}
