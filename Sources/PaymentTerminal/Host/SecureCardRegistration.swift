public import Bytes
public import CardCapture

/// A card to be kept at the host: the data that the token will stand for, and what goes with them.
public struct SecureCardRegistration: Sendable {
    /// The name of the secure card, unique within the terminal.
    public let merchantReference: MerchantReference
    /// What is kept beside the card; in an update it replaces what was kept.
    public let details: SecureCard.Details
    /// The card as it was captured or keyed; never a token. Nil leaves the card data as they are, in an update.
    public let card: PaymentCard?
    /// The reader that read the card; nil if none did.
    public let readerName: String?

    /// A registration or an update; `card` is nil where the card data stay as they are.
    public init(merchantReference: MerchantReference, details: SecureCard.Details, card: PaymentCard?, readerName: String? = nil) {
        self.merchantReference = merchantReference
        self.details = details
        self.card = card
        self.readerName = readerName
    }

    /// Of card data that were keyed.
    ///
    /// - Parameter cvv: Three or four ASCII digits to validate the card with; never kept.
    public init(merchantReference: MerchantReference, details: SecureCard.Details, card: CardDetails, cvv: SecretBytes? = nil) {
        self.init(merchantReference: merchantReference, details: details, card: .keyed(card, cvv: cvv))
    }

    /// How the card data came in; nil without card data.
    public var entryMode: CapturedCard.EntryMode? {
        switch card {
        case .captured(let card): card.entryMode
        case .keyed: .keyed
        case .token, nil: nil
        }
    }

    /// Three or four ASCII digits to validate the card with; nil unless they were keyed.
    public var cvv: SecretBytes? {
        guard case .keyed(_, let cvv) = card else { return nil }
        return cvv
    }

    /// What may be seen of the card; nil without card data.
    public var summary: CardSummary? {
        switch card {
        case .captured(let card): CardSummary(card)
        case .keyed(let card, _): CardSummary(card)
        case .token, nil: nil
        }
    }
}

extension SecureCardRegistration: CustomStringConvertible, CustomReflectable {
    public var description: String { "registration of \(merchantReference)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
