public import Bytes
public import CardCapture
private import TLV

/// A card stored at the host under a token, with details from the integrator.
public struct SecureCard: Sendable {
    /// The cardholder and the origin of the registration; all fields are optional, and each is on
    /// one line, whoever wrote it.
    public struct Details: Sendable, Equatable, Codable {
        /// The operator who registered the card, for the merchant's records.
        public var operatorName: String? { didSet { operatorName = operatorName.map(Masking.plain) } }
        /// The cardholder's e-mail address; the host checks its form.
        public var email: String? { didSet { email = email.map(Masking.plain) } }
        /// The cardholder's mobile number; the host checks its form.
        public var mobileNumber: String? { didSet { mobileNumber = mobileNumber.map(Masking.plain) } }
        /// City of the cardholder's address.
        public var city: String? { didSet { city = city.map(Masking.plain) } }
        /// State or province of the cardholder's address.
        public var region: String? { didSet { region = region.map(Masking.plain) } }
        /// Country of the cardholder's address, in the host's form.
        public var country: String? { didSet { country = country.map(Masking.plain) } }
        /// The source of the request; IPv6 if it contains a colon, else IPv4.
        public var ipAddress: String? { didSet { ipAddress = ipAddress.map(Masking.plain) } }
        /// Fields defined by the integrator, each configured at the host.
        public var customFields: [CustomField] = []

        /// Details without any field set.
        public init() {}
    }

    /// What the host verified before it kept the card.
    public enum SecurityCheck: String, Sendable, Codable, CaseIterable {
        /// Nothing: no CVV was given, or the host's settings want none.
        case notValidated
        /// The issuer confirmed the CVV.
        case cvvValidated
        /// The issuer confirmed that the card exists.
        case cardNumberValidated
        /// The issuer refused, and the host kept the card all the same.
        case validationFailed
    }

    /// 1 to 48 characters, unique within the terminal; ``setMerchantReference(_:)`` changes it.
    public private(set) var merchantReference: MerchantReference
    /// The token; nil until the host has assigned it.
    public var cardReference: SecureCardReference?
    /// The card data at the host that may be shown; nil until the card is registered.
    public var card: CardSummary?
    /// How the card data were entered, set by the terminal.
    public var entryMode: CapturedCard.EntryMode?
    /// The reader of the card data, set by the terminal; nil if they were keyed.
    public var readerName: String? { didSet { readerName = readerName.map(Masking.plain) } }
    /// What the host verified, set by the host; nil if its interface does not say, as XML.
    public var securityCheck: SecurityCheck?
    private var boxedDetails: Boxed<Details>
    /// The source of new card data; nil for the connected reader.
    public var tokenMethod: TokenMethod?

    /// For a new card `merchantReference`, `details` and `tokenMethod` are sufficient: terminal and
    /// host set the other properties.
    public init(
        merchantReference: MerchantReference, cardReference: SecureCardReference? = nil, card: CardSummary? = nil,
        entryMode: CapturedCard.EntryMode? = nil, readerName: String? = nil, details: Details = Details(),
        tokenMethod: TokenMethod? = nil
    ) {
        self.merchantReference = merchantReference
        self.cardReference = cardReference
        self.card = card
        self.entryMode = entryMode
        self.readerName = readerName.map(Masking.plain)
        boxedDetails = Boxed(details)
        self.tokenMethod = tokenMethod
    }

    /// They are stored with the card, and replaced completely by an edit.
    public var details: Details {
        get { boxedDetails.value }
        set { boxedDetails.value = newValue }
    }

    /// Changes the merchant reference; nil and an empty text have no effect.
    public mutating func setMerchantReference(_ text: String?) throws(ReferenceError) {
        guard let text, !text.isEmpty else { return }
        merchantReference = try MerchantReference(text)
    }
}

extension SecureCard: Encodable {
    /// What may be stored and shown: ``tokenMethod`` is left out, for it may have a card number and
    /// a CVV.
    private enum CodingKeys: String, CodingKey {
        case merchantReference, cardReference, card, entryMode, readerName, securityCheck
        case boxedDetails = "details"
    }
}

extension SecureCard: CustomStringConvertible, CustomReflectable {
    public var description: String { "secure card \(merchantReference)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The source of the card data of a secure card. A connected reader overrides the first two.
public enum TokenMethod: Sendable {
    /// - Parameter cvv: three or four ASCII digits, for the validation only.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// Read from the card by a camera, without a CVV.
    case ocr(CardDetails)
    /// A card in the connected reader; a reader must be connected.
    case reader
    /// The card does not change, only its details: for
    /// ``Terminal/editSecureCard(_:idempotencyKey:)``.
    case unchanged
}
