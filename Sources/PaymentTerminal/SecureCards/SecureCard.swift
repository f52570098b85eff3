public import CardCapture

/// A card kept at the host under a token, with what the integrator wants kept beside it.
public struct SecureCard: Sendable {
    /// Who the card belongs to and where it was taken; every field is the integrator's to fill or leave.
    public struct Details: Sendable, Equatable, Codable {
        public var operatorName: String?
        public var email: String?
        public var mobileNumber: String?
        public var city: String?
        public var region: String?
        public var country: String?
        public var ipAddress: String?
        public var customFields: [CustomField] = []

        public init() {}
    }

    public private(set) var merchantReference: MerchantReference
    /// The token; nil until the host has made it.
    public var cardReference: SecureCardReference?
    /// What the host keeps of the card; nil until it is registered.
    public var card: CardSummary?
    /// How the card data came in, filled by the terminal.
    public var entryMode: CapturedCard.EntryMode?
    /// The reader that the card data came through, filled by the terminal; nil if they were keyed.
    public var readerName: String?
    public var details: Details
    /// Where new card data come from; the connected reader if nil.
    public var tokenMethod: TokenMethod?

    public init(
        merchantReference: MerchantReference, cardReference: SecureCardReference? = nil, card: CardSummary? = nil,
        entryMode: CapturedCard.EntryMode? = nil, readerName: String? = nil, details: Details = Details(), tokenMethod: TokenMethod? = nil
    ) {
        self.merchantReference = merchantReference
        self.cardReference = cardReference
        self.card = card
        self.entryMode = entryMode
        self.readerName = readerName
        self.details = details
        self.tokenMethod = tokenMethod
    }

    /// Gives the card another merchant reference; nil and an empty text leave it as it is.
    public mutating func setMerchantReference(_ text: String?) throws(ReferenceError) {
        guard let text, !text.isEmpty else { return }
        merchantReference = try MerchantReference(text)
    }
}

extension SecureCard: CustomStringConvertible, CustomReflectable {
    public var description: String { "secure card \(merchantReference)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
