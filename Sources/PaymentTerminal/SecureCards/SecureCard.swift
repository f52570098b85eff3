public import CardCapture

/// A card kept at the host under a token, with what the integrator wants kept beside it.
public struct SecureCard: Sendable {
    /// Who the card belongs to and where it was taken; every field is the integrator's to fill or leave.
    public struct Details: Sendable, Equatable, Codable {
        /// Who registered the card, for the merchant's own records.
        public var operatorName: String?
        /// The cardholder's e-mail address; its form is for the host to check.
        public var email: String?
        /// The cardholder's mobile number; its form is for the host to check.
        public var mobileNumber: String?
        /// City of the cardholder's address.
        public var city: String?
        /// State or province of the cardholder's address.
        public var region: String?
        /// Country of the cardholder's address, as the host writes countries.
        public var country: String?
        /// Where the request came from; IPv6 if it holds a colon, else IPv4.
        public var ipAddress: String?
        /// Fields of the integrator's own, each configured at the host.
        public var customFields: [CustomField] = []

        /// Details without any field set.
        public init() {}
    }

    /// 1 to 48 characters, unique within the terminal; ``setMerchantReference(_:)`` changes it.
    public private(set) var merchantReference: MerchantReference
    /// The token; nil until the host has made it.
    public var cardReference: SecureCardReference?
    /// What the host keeps of the card; nil until it is registered.
    public var card: CardSummary?
    /// How the card data came in, filled by the terminal.
    public var entryMode: CapturedCard.EntryMode?
    /// The reader that the card data came through, filled by the terminal; nil if they were keyed.
    public var readerName: String?
    /// They are stored with the card, and replaced as a whole by an edit.
    public var details: Details
    /// Where new card data come from; the connected reader if nil.
    public var tokenMethod: TokenMethod?

    /// For a new card `merchantReference`, `details` and
    /// `tokenMethod` suffice: terminal and host fill the rest.
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
