public import Bytes
public import CardCapture

/// A card to store at the host: the card data of the token, and the details.
public struct SecureCardRegistration: Sendable {
    /// The name of the secure card, unique within the terminal.
    public let merchantReference: MerchantReference
    /// The data stored with the card; an update replaces them.
    public let details: SecureCard.Details
    /// The card as it was captured or keyed; never a token. In an update, nil keeps the card data.
    public let card: PaymentCard?
    /// The reader that read the card; nil if none did.
    public let readerName: String?

    /// The host's reference of the authorization of 0.00 by which the issuer verified the account
    /// of the card before; nil without one.
    public let verification: String?

    /// A registration or an update; `card` is nil if the card data do not change.
    public init(
        merchantReference: MerchantReference, details: SecureCard.Details, card: PaymentCard?,
        readerName: String? = nil,
        verification: String? = nil
    ) {
        self.verification = verification
        self.merchantReference = merchantReference
        self.details = details
        self.card = card
        self.readerName = readerName
    }

    /// A registration of keyed card data.
    ///
    /// - Parameter cvv: Three or four ASCII digits to validate the card with; never stored.
    public init(
        merchantReference: MerchantReference, details: SecureCard.Details, card: CardDetails, cvv: SecretBytes? = nil
    ) {
        self.init(merchantReference: merchantReference, details: details, card: .keyed(card, cvv: cvv))
    }

    /// How the card data were entered; nil without card data.
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

    /// The card data that may be shown; nil without card data.
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
