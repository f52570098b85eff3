import JSONDocument
import PaymentTerminal

/// Reads a sale: its amounts are all in its currency.
struct SaleReader {
    static let keys = [
        "isPreAuthorization", "forcesOnline", "channel", "tip", "serviceCharge", "taxes", "allowsTipAdjustment",
        "allowsPartialApproval", "duplicateCheck", "descriptor", "externalID", "billingAddress", "customFields",
        "secureCard",
    ]

    private let members: Members
    private let currency: Currency

    init(_ members: Members) throws(DocumentError) {
        self.members = members
        currency = try members.currency()
    }

    func sale() throws(DocumentError) -> Sale {
        Sale(
            orderID: try members.required("order").order(), idempotencyKey: try members.key(),
            amount: try members.amount(), source: try members.token().map { .secureCard($0) } ?? .reader,
            isPreAuthorization: try members.flag("isPreAuthorization"), terms: try terms(),
            forcesOnline: try members.flag("forcesOnline"),
            secureCard: try members.optional("secureCard") { place throws(DocumentError) in
                try SecureCard(place.members(["merchantReference"] + SecureCard.Details.keys), isNew: true)
            })
    }

    private func terms() throws(DocumentError) -> PaymentTerms {
        PaymentTerms(
            channel: try members.optional("channel") { place throws(DocumentError) in try place.raw() } ?? .cardPresent,
            tip: try amount("tip"), serviceCharge: try amount("serviceCharge"), taxes: try taxes(),
            allowsTipAdjustment: try members.flag("allowsTipAdjustment"),
            allowsPartialApproval: try members.flag("allowsPartialApproval"),
            duplicateCheck: try members.optional("duplicateCheck") { place throws(DocumentError) in try place.raw() }
                ?? .whereSupported,
            descriptor: try members.optional("descriptor") { place throws(DocumentError) in try place.descriptor() },
            externalID: try members.optional("externalID") { place throws(DocumentError) in try place.externalID() },
            billingAddress: try members.optional("billingAddress") { place throws(DocumentError) in
                let address = try place.members(["street", "postalCode"])
                return BillingAddress(
                    street: try address.required("street").line(), postalCode: try address.required("postalCode").line()
                )
            }, customFields: try members.customFields())
    }

    private func amount(_ key: String) throws(DocumentError) -> Money? {
        try members.optional(key) { place throws(DocumentError) in try place.amount(in: currency) }
    }

    private func taxes() throws(DocumentError) -> [TaxLine] {
        try members.optional("taxes") { place throws(DocumentError) in
            try place.list { tax throws(DocumentError) in
                let members = try tax.members(["name", "rate", "amount"])
                return TaxLine(
                    name: try members.required("name").line(1...TaxLine.nameLimit),
                    rate: try members.required("rate").number(0...100_00),
                    amount: try members.required("amount").amount(in: currency))
            }
        } ?? []
    }
}

extension SecureCard {
    /// - Parameter isNew: A card is read for it; otherwise the host's may stay.
    init(_ members: Members, isNew: Bool) throws(DocumentError) {
        let keepsCard = isNew ? false : try members.flag("keepsCard")
        self.init(
            merchantReference: try members.merchantReference(), cardReference: isNew ? nil : try members.token(),
            details: try Details(members), tokenMethod: keepsCard ? .unchanged : .reader)
    }
}

extension SecureCard.Details {
    static let keys = ["operator", "email", "mobile", "city", "region", "country", "ipAddress", "customFields"]

    init(_ members: Members) throws(DocumentError) {
        self.init()
        operatorName = try members.line("operator")
        email = try members.line("email")
        mobileNumber = try members.line("mobile")
        city = try members.line("city")
        region = try members.line("region")
        country = try members.line("country")
        ipAddress = try members.line("ipAddress")
        customFields = try members.customFields()
    }
}
