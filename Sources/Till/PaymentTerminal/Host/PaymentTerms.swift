/// The merchant's terms of a payment beside the amount.
public struct PaymentTerms: Sendable, Equatable, Codable {
    /// How the cardholder ordered.
    public enum Channel: String, Sendable, Codable, CaseIterable {
        /// At the counter; a connected reader takes precedence over keyed card data.
        case cardPresent
        /// By post or telephone: keyed card data are used even if a reader is connected.
        case mailOrTelephone
        /// In a web shop: keyed card data are used even if a reader is connected.
        case eCommerce
    }

    /// Whether a host looks for a payment of the same amount with the same card within minutes.
    public enum DuplicateCheck: String, Sendable, Codable, CaseIterable {
        /// A host that has such a check declines duplicates.
        case whereSupported
        /// As `whereSupported`; and the payment needs a host that has the check
        /// (``PaymentField/duplicateCheck``).
        case required
        /// Duplicates are charged: two coffees are no mistake.
        case off
    }

    /// Decides whether a connected reader takes precedence over keyed card data; card present by
    /// default.
    public var channel: Channel
    /// The tip within the amount.
    public var tip: Money?
    /// The service charge within the amount.
    public var serviceCharge: Money?
    /// The taxes within the amount, including those of tip and service charge; only for the
    /// receipt.
    public var taxes: [TaxLine]
    /// Whether a tip may be added until the batch closes, by capturing the higher amount.
    public var allowsTipAdjustment: Bool
    /// Whether the issuer may approve less than the amount. Otherwise a partial approval is
    /// reversed.
    public var allowsPartialApproval: Bool
    /// Whether the host declines possible duplicates: same card, same amount, within minutes.
    public var duplicateCheck: DuplicateCheck
    /// The text on the cardholder's statement.
    public var descriptor: StatementDescriptor?
    /// The integrator's id of the payment, if it differs from the order id.
    public var externalID: ExternalID?
    /// The billing address, which the issuer checks.
    public var billingAddress: BillingAddress?
    /// Fields defined by the integrator, each configured for the terminal beforehand.
    public var customFields: [CustomField]

    /// Terms of a payment; by default card present, without other terms.
    public init(
        channel: Channel = .cardPresent, tip: Money? = nil, serviceCharge: Money? = nil, taxes: [TaxLine] = [],
        allowsTipAdjustment: Bool = false, allowsPartialApproval: Bool = false,
        duplicateCheck: DuplicateCheck = .whereSupported,
        descriptor: StatementDescriptor? = nil,
        externalID: ExternalID? = nil, billingAddress: BillingAddress? = nil, customFields: [CustomField] = []
    ) {
        self.channel = channel
        self.tip = tip
        self.serviceCharge = serviceCharge
        self.taxes = taxes
        self.allowsTipAdjustment = allowsTipAdjustment
        self.allowsPartialApproval = allowsPartialApproval
        self.duplicateCheck = duplicateCheck
        self.descriptor = descriptor
        self.externalID = externalID
        self.billingAddress = billingAddress
        self.customFields = customFields
    }
}

/// An address for the issuer's check (address verification service).
public struct BillingAddress: Sendable, Equatable, Codable {
    /// House number and street.
    public var street: String
    /// Only the code, without the city.
    public var postalCode: String

    /// An address for the issuer's check; it is not validated here.
    public init(street: String, postalCode: String) {
        self.street = street
        self.postalCode = postalCode
    }
}
