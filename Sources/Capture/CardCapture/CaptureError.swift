public import SmartCard

/// Why a reader could not complete a transaction.
public enum CaptureError: Error, Equatable, Sendable {
    /// No card came before the reader's time limit, or the slot is empty: start the payment again.
    case noCardPresented
    /// More than one card is in the field of a contactless reader.
    case severalCards
    /// The card left before the transaction had ended: start the payment again.
    case cardRemoved
    /// The card of the last transaction stayed in the contacts or the field of the reader: it was
    /// not read again.
    case cardNotRemoved
    /// The task, the cardholder or the operator ended the
    /// wait; the reader is ready for the next card.
    case cancelled
    /// The amount, or its cashback, has more than 12 digits.
    case amountTooLong
    /// The card returns no number or no expiry date.
    case cardDataMissing
    /// The tracks, or the card's data, cannot be decrypted.
    case swipeDecryption(SwipeDecryptionError)
    /// The terminal's memory of cards (``CardMemory``) cannot be read or written. The terminal's
    /// journal says why.
    case memoryFailed
    /// The reader failed, or the card in it.
    case readerFailed(ReaderFailure)
}

extension CaptureError {
    /// For targets above this one, which use ``ReaderFailure`` only as text.
    package static let readerTimedOut = CaptureError.readerFailed(.timedOut)
}

extension CaptureError {
    /// The kind of an error without its details, by the names of the cases.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Code: String, Sendable, CaseIterable {
        /// The error of this name.
        case noCardPresented, severalCards, cardRemoved, cardNotRemoved, cancelled, amountTooLong, cardDataMissing,
            swipeDecryption,
            memoryFailed, readerFailed
    }

    /// The kind of the error, for programs.
    public var code: Code {
        switch self {
        case .noCardPresented: .noCardPresented
        case .severalCards: .severalCards
        case .cardRemoved: .cardRemoved
        case .cardNotRemoved: .cardNotRemoved
        case .cancelled: .cancelled
        case .amountTooLong: .amountTooLong
        case .cardDataMissing: .cardDataMissing
        case .swipeDecryption: .swipeDecryption
        case .memoryFailed: .memoryFailed
        case .readerFailed: .readerFailed
        }
    }
}

extension CaptureError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noCardPresented: "no card was presented"
        case .severalCards: "several cards were presented at once: present one only"
        case .cardRemoved: "the card was removed before the end of the transaction"
        case .cardNotRemoved:
            "the card of the last payment is still at the reader: remove it, and start the payment again"
        case .cancelled: "the transaction was cancelled"
        case .amountTooLong: "the amount has more than 12 digits"
        case .cardDataMissing: "the card returns no number or no expiry date: insert it"
        case .swipeDecryption(let error): error.description
        case .memoryFailed:
            "what earlier taps left cannot be read or kept: look into the terminal's journal, and pay again"
        case .readerFailed(let failure): failure.description
        }
    }
}
