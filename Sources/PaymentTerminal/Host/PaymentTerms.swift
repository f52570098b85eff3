/// What a merchant asks for beside the amount.
public struct PaymentTerms: Sendable, Equatable, Codable {
    /// How the cardholder ordered.
    public enum Channel: String, Sendable, Codable {
        /// At the counter; a connected reader goes before keyed card data.
        case cardPresent
        /// By post or telephone: keyed card data are used even if a reader is connected.
        case mailOrTelephone
        /// In a web shop: keyed card data are used even if a reader is connected.
        case eCommerce
    }

    /// Decides whether a connected reader goes before keyed card data; card present by default.
    public var channel: Channel
    /// The tip within the amount.
    public var tip: Money?
    /// What is asked for the service, within the amount.
    public var serviceCharge: Money?
    /// The taxes within the amount, those of tip and service charge among them; for the receipt alone.
    public var taxes: [TaxLine]
    /// Whether a tip may be added until the batch closes, by capturing the higher amount.
    public var allowsTipAdjustment: Bool
    /// Whether the issuer may approve less than the amount. Otherwise less is reversed.
    public var allowsPartialApproval: Bool
    /// Has the host decline what looks like the same payment taken twice: same card, same amount, within minutes.
    public var refusesDuplicates: Bool
    /// What the cardholder's statement says.
    public var descriptor: StatementDescriptor?
    /// What the integrator's own system calls the payment, where that is not the order.
    public var externalID: ExternalID?
    /// Where bills for the card go, to be compared by the issuer.
    public var billingAddress: BillingAddress?
    /// Fields of the integrator's own, each declared on the terminal beforehand.
    public var customFields: [CustomField]

    /// Terms of a payment; by default card present, with nothing beside the amount.
    public init(
        channel: Channel = .cardPresent, tip: Money? = nil, serviceCharge: Money? = nil, taxes: [TaxLine] = [],
        allowsTipAdjustment: Bool = false, allowsPartialApproval: Bool = false, refusesDuplicates: Bool = false,
        descriptor: StatementDescriptor? = nil,
        externalID: ExternalID? = nil, billingAddress: BillingAddress? = nil, customFields: [CustomField] = []
    ) {
        self.channel = channel
        self.tip = tip
        self.serviceCharge = serviceCharge
        self.taxes = taxes
        self.allowsTipAdjustment = allowsTipAdjustment
        self.allowsPartialApproval = allowsPartialApproval
        self.refusesDuplicates = refusesDuplicates
        self.descriptor = descriptor
        self.externalID = externalID
        self.billingAddress = billingAddress
        self.customFields = customFields
    }
}

/// An address as the issuer compares it (address verification service).
public struct BillingAddress: Sendable, Equatable, Codable {
    /// House number and street.
    public var street: String
    /// The code alone, without the city.
    public var postalCode: String

    /// An address for the issuer to compare; nothing is checked here.
    public init(street: String, postalCode: String) {
        self.street = street
        self.postalCode = postalCode
    }
}
