import Bytes
public import CardCapture
public import PaymentTerminal

extension XMLMessage {
    /// A `SECURECARDREGISTRATION` or a `SECURECARDUPDATE`. Of the details the interface takes the custom fields, three of them.
    public init(_ registration: SecureCardRegistration, _ form: XMLForm, terminalID: String, at moment: Timestamp) throws(HostError) {
        self.init(form)
        var digits = registration.card.pan.revealed()
        defer { wipe(&digits) }
        guard let brand = CardBrand(leadingDigits: digits) else { throw .notInXML("the card's scheme is not known") }
        guard registration.details.customFields.count <= 3 else { throw .notInXML("a secure card has at most three custom fields") }
        self[.merchantReference] = registration.merchantReference.text
        self[.terminalID] = terminalID
        self[.dateTime] = GatewayDate.text(moment)
        self[secret: .cardNumber] = registration.card.pan
        self[.cardExpiry] = registration.card.expiry.mmyy
        self[.cardType] = CardTypeName.name(of: brand)
        self[.cardholderName] = registration.card.cardholderName
        self[secret: .cvv] = registration.cvv
        customFields = registration.details.customFields
    }

    /// A `SECURECARDSEARCH`, or with the token a `SECURECARDREMOVAL`.
    public init(_ reference: MerchantReference, removing token: SecureCardReference? = nil, terminalID: String, at moment: Timestamp) {
        self.init(token == nil ? .search : .removal)
        self[.merchantReference] = reference.text
        self[.cardReference] = token?.text
        self[.terminalID] = terminalID
        self[.dateTime] = GatewayDate.text(moment)
    }

    /// The answer to a registration, an update or a search. It tells type, expiry date and holder where the form has them, and never the number.
    public init(_ card: SecureCard, _ form: XMLForm, at moment: Timestamp) {
        self.init(form)
        self[.merchantReference] = card.merchantReference.text
        self[.cardReference] = card.cardReference?.text
        self[.cardType] = card.card?.brand.map { CardTypeName.name(of: $0) }
        self[.cardExpiry] = card.card?.expiry?.mmyy
        self[.cardholderName] = card.card?.cardholderName
        self[.dateTime] = GatewayDate.text(moment)
    }

    /// The token of a card that was stored.
    public func token() throws(HostError) -> SecureCardReference {
        guard let token = self[.cardReference] else { throw .answerNotUnderstood }
        return SecureCardReference(token)
    }

    /// The secure card that a search has found. The interface does not tell its number, not even masked.
    public func secureCard() throws(HostError) -> SecureCard {
        SecureCard(
            merchantReference: try reference(.merchantReference), cardReference: try token(),
            card: CardSummary(
                maskedPAN: "", expiry: self[.cardExpiry].flatMap { ExpiryDate(mmyy: $0) }, cardholderName: self[.cardholderName]))
    }
}

extension SecureCardRegistration {
    /// What a registration or an update asks for.
    public init(_ message: XMLMessage) throws(HostError) {
        var details = SecureCard.Details()
        details.customFields = message.customFields
        self.init(
            merchantReference: try message.reference(.merchantReference), details: details, card: try message.details(),
            entryMode: .keyed, cvv: message[secret: .cvv])
    }
}
