import Bytes
public import CardCapture
public import PaymentTerminal

extension XMLMessage {
    /// A `SECURECARDREGISTRATION` or a `SECURECARDUPDATE`. Of the details the interface takes the
    /// custom fields, three of them.
    public init(_ registration: SecureCardRegistration, _ form: XMLForm, terminalID: String, at moment: Timestamp)
        throws(HostError)
    {
        self.init(form)
        guard registration.details.customFields.count <= 3 else {
            throw .notInXML("a secure card has at most three custom fields")
        }
        self[.merchantReference] = registration.merchantReference.text
        self[.terminalID] = terminalID
        self[.dateTime] = GatewayDate.text(moment)
        if let card = registration.card { try take(card) }
        customFields = registration.details.customFields
    }

    /// The interface keeps a card by its number: of a card that was read, number, expiry date and
    /// name are sent.
    private mutating func take(_ card: PaymentCard) throws(HostError) {
        switch card {
        case .keyed(let details, let cvv):
            try take(details)
            self[secret: .cvv] = cvv
        case .captured(let card):
            let details: CardDetails
            do throws(CardDetailsError) {
                details = try CardDetails(card)
            } catch {
                throw .notInXML("a secure card is kept by its number: \(error)")
            }
            try take(details)
        case .token: throw .notInXML("a token is not a card")
        }
    }

    /// A `SECURECARDSEARCH`, or with the token a `SECURECARDREMOVAL`.
    public init(
        _ reference: MerchantReference, removing token: SecureCardReference? = nil, terminalID: String,
        at moment: Timestamp
    ) {
        self.init(token == nil ? .search : .removal)
        self[.merchantReference] = reference.text
        self[.cardReference] = token?.text
        self[.terminalID] = terminalID
        self[.dateTime] = GatewayDate.text(moment)
    }

    /// The answer to a registration, an update or a search. It tells type, expiry date and holder
    /// where the form has them, and never the number.
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

    /// The secure card that a search has found. The interface does not tell its number, not even
    /// masked.
    public func secureCard() throws(HostError) -> SecureCard {
        let name: MerchantReference
        do throws(HostError) { name = try reference(.merchantReference) } catch { throw .answerNotUnderstood }
        return SecureCard(
            merchantReference: name, cardReference: try token(),
            card: CardSummary(
                maskedPAN: "", expiry: self[.cardExpiry].flatMap { ExpiryDate(mmyy: $0) },
                cardholderName: self[.cardholderName]))
    }
}

extension SecureCardRegistration {
    /// What a registration or an update asks for.
    public init(_ message: XMLMessage) throws(HostError) {
        var details = SecureCard.Details()
        details.customFields = message.customFields
        self.init(
            merchantReference: try message.reference(.merchantReference), details: details,
            card: message[secret: .cardNumber] == nil && message.form.name == XMLForm.update.name
                ? nil : .keyed(try message.details(), cvv: message[secret: .cvv]))
    }
}
