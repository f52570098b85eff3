public import CardCapture

/// An event of a terminal.
public struct TerminalEvent: Sendable {
    /// Nil between operations.
    public let operation: TerminalOperation?
    /// The id of the operation's request: the order id of a payment, the merchant reference of a
    /// secure card; nil for an operation without either.
    public let requestID: String?
    /// The content of the event.
    public let content: Content

    /// The content of an event.
    public indirect enum Content: Sendable {
        /// The current step of the operation, for a screen.
        case progress(Progress)
        /// A reader is being opened.
        case readerConnecting(ReaderInfo)
        /// A reader was connected, or came back.
        case readerConnected(ReaderInfo)
        /// The caller disconnected the reader, or it was lost.
        case readerDisconnected(ReaderInfo)
        /// An update of the reader before it is connected has begun; its progress comes as
        /// ``reader(_:)``. A reader that needs no update sends neither this nor the end.
        case updateStarted(ReaderInfo)
        /// The update that had begun has ended.
        ///
        /// - Parameter failure: Why it is not complete; nil if it is.
        case updateFinished(ReaderInfo, failure: TerminalError?)
        /// An event of the reader about itself, cards or the PIN, as sent by the driver.
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
        /// Answer it, otherwise the payment is declined after ``TimeLimits/referral``.
        case referralRequired(ReferralRequest)
        /// The result of a sale, pre-authorization, refund or capture.
        case payment(PaymentResponse)
        /// The result of a change or a retrieval of a secure card.
        case secureCard(SecureCardResponse)
        /// The host's answer to ``Terminal/transactions(_:)``.
        case transactions([TransactionRecord])
        /// The host's answer to ``Terminal/settings()``.
        case settings(HostSettings)
        /// The outcome of an earlier payment has changed: it was resolved or reversed, or the host
        /// has accepted a stored payment. The event is sent once. A program that ended before it
        /// received the event finds the outcome by ``Terminal/outcome(of:)``.
        case cleared(PaymentResponse)
        /// The operation ended without a result.
        case failed(TerminalError)
    }

    /// The current step, for a screen.
    public enum Progress: String, Sendable, CaseIterable {
        /// The reader waits for a card and performs the transaction with it.
        case waitingForCard
        /// The request for a payment, refund or capture was sent; the terminal waits for the host's
        /// answer.
        case askingHost
        /// The host is asked to keep, change or delete a secure card.
        case updatingSecureCard
        /// The host has not answered; it is asked for the outcome of the request.
        case inquiring
        /// The journal lacks entries; the host is asked for its list.
        case readingHostList
        /// The cardholder must sign on a screen or pad.
        case waitingForSignature
        /// The merchant must compare the signature with that on the card.
        case verifyingSignature
        /// The attendant must call the issuer.
        case waitingForReferral
        /// The host is asked to undo what it authorized.
        case reversing
        /// The operation was cancelled, and the reader is being stopped.
        case cancelling
    }
}

extension TerminalEvent.Progress: CustomStringConvertible {
    /// The text for the operator.
    public var description: String {
        switch self {
        case .waitingForCard: "present a card to the reader"
        case .askingHost: "authorizing"
        case .updatingSecureCard: "updating the secure card at the host"
        case .inquiring: "no answer yet: asking for the outcome of the request"
        case .readingHostList: "the journal lacks entries: reading the host's list"
        case .waitingForSignature: "waiting for the signature"
        case .verifyingSignature: "compare the signature with that on the card"
        case .waitingForReferral: "call the issuer, which decides on the telephone"
        case .reversing: "reversing the authorization"
        case .cancelling: "cancelling"
        }
    }
}
