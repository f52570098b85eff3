import PaymentTerminal

/// The JSON of `cardpresent secure-card --json` (docs/json.md).
struct SecureCardDocument: Encodable {
    let description: String?
    let secureCard: Entry?

    struct Entry: Encodable {
        let merchantReference: String
        let token, card, expiry, entryMode, reader, email, mobile, `operator`, securityCheck: String?
    }

    init(_ card: SecureCard?, description: String?) {
        self.description = description
        secureCard = card.map { card in
            Entry(
                merchantReference: card.merchantReference.text, token: card.cardReference.map { "\($0)" },
                card: card.card?.maskedPAN,
                expiry: card.card?.expiry?.mmyy, entryMode: card.entryMode.map { "\($0)" }, reader: card.readerName,
                email: card.details.email, mobile: card.details.mobileNumber, operator: card.details.operatorName,
                securityCheck: card.securityCheck?.rawValue)
        }
    }
}
