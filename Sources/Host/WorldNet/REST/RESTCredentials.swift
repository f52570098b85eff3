import Bytes
import CardCapture
public import JSONDocument
public import PaymentTerminal

/// Secure cards on the REST interface, which calls them credentials.
public enum RESTCredentials {
    /// The body that stores or changes a secure card.
    public static func document(
        _ registration: SecureCardRegistration, terminalID: String, deviceType: String, isUpdate: Bool,
        hasExtensions: Bool
    ) throws(HostError) -> JSON {
        let details = registration.details
        let account: JSON? =
            switch registration.card {
            case nil: nil
            case let card? where isUpdate && !hasExtensions: try replacement(card)
            case let card?: try CardPayload.document(card, deviceType: deviceType, hasExtensions: hasExtensions)
            }
        return .object([
            "terminal": .text(terminalID), "operator": details.operatorName.map { .text($0) },
            "merchantReference": isUpdate ? nil : .text(registration.merchantReference.text),
            "ipAddress": isUpdate && !hasExtensions
                ? nil : details.ipAddress.map { .object([$0.contains(":") ? "ipv6" : "ipv4": .text($0)]) },
            "customer": customer(details), "customerAccount": account,
            "additionalDataFields": .fields(details.customFields) ?? (isUpdate ? .list([]) : nil),
            RESTInterface.extensions: hasExtensions
                ? .object([
                    "entryMode": registration.entryMode.map { .text($0.rawValue) },
                    "readerName": registration.readerName.map { .text($0) },
                    "verification": registration.verification.map { .text($0) },
                ]) : nil,
        ])
    }

    /// The card that takes the place of another, which the published interface takes by its number
    /// alone.
    private static func replacement(_ card: PaymentCard) throws(HostError) -> JSON {
        let details: CardDetails
        var cvv: SecretBytes?
        switch card {
        case .keyed(let keyed, let code): (details, cvv) = (keyed, code)
        case .captured(let captured):
            do throws(CardDetailsError) {
                details = try CardDetails(captured)
            } catch {
                throw HostError(.notSupported, "the gateway's interface changes a secure card by its number: \(error)")
            }
        case .token: throw HostError(.notSupported, "a token is not a card: read or key the card")
        }
        return .object([
            "source": .text("CARD"), "cardholderName": details.cardholderName.map { .text($0) },
            "cardNumber": .secret(details.pan),
            "expiryDate": .text(details.expiry.mmyy), "cvv": cvv.map { .secret($0) },
        ])
    }

    /// The secure card as it is reported: number masked, token, and in a member of the bench host's
    /// own what the published answer leaves out.
    public static func document(_ card: SecureCard, terminalID: String) -> JSON {
        .object([
            "terminal": .text(terminalID), "merchantReference": .text(card.merchantReference.text),
            "credentialsNumber": card.cardReference.map { .text($0.text) },
            "maskedPan": card.card.map { .text($0.maskedPAN) },
            "cardholderName": card.card?.cardholderName.map { .text($0) },
            "securityCheck": card.securityCheck.map { .text(name(of: $0)) },
            "additionalDataFields": .fields(card.details.customFields),
            RESTInterface.extensions: details(card),
        ])
    }

    private static func name(of check: SecureCard.SecurityCheck) -> String {
        switch check {
        case .notValidated: "NOT_VALIDATED"
        case .cvvValidated: "CVV_VALIDATED"
        case .cardNumberValidated: "CARD_NUMBER_VALIDATED"
        case .validationFailed: "VALIDATION_FAILED"
        }
    }

    /// Nil for none, and for one that the description does not have.
    static func securityCheck(_ answer: JSON) -> SecureCard.SecurityCheck? {
        answer["securityCheck"]?.text.flatMap { text in SecureCard.SecurityCheck.allCases.first { name(of: $0) == text }
        }
    }

    static func details(_ card: SecureCard) -> JSON {
        .object([
            "expiryDate": card.card?.expiry.map { .text($0.mmyy) },
            "entryMode": card.entryMode.map { .text($0.rawValue) },
            "readerName": card.readerName.map { .text($0) }, "operator": card.details.operatorName.map { .text($0) },
            "ipAddress": card.details.ipAddress.map { .object([$0.contains(":") ? "ipv6" : "ipv4": .text($0)]) },
            "customer": customer(card.details), "additionalDataFields": .fields(card.details.customFields),
        ])
    }

    private static func customer(_ details: SecureCard.Details) -> JSON? {
        let address: JSON? =
            details.city == nil && details.region == nil && details.country == nil
            ? nil
            : .object([
                "city": details.city.map { .text($0) }, "state": details.region.map { .text($0) },
                "country": details.country.map { .text($0) },
            ])
        guard address != nil || details.email != nil || details.mobileNumber != nil else { return nil }
        return .object([
            "phone": details.mobileNumber.map { .text($0) }, "email": details.email.map { .text($0) },
            "billingAddress": address,
        ])
    }
}

extension SecureCard.Details {
    /// - Parameters:
    ///   - document: a body of the interface.
    ///   - more: where the bench host's own member has them.
    init(_ document: JSON, _ more: JSON?) {
        self.init()
        let customer = more?["customer"] ?? document["customer"]
        let ipAddress = more?["ipAddress"] ?? document["ipAddress"]
        operatorName = (more?["operator"] ?? document["operator"])?.text
        email = customer?["email"]?.text
        mobileNumber = customer?["phone"]?.text
        city = customer?["billingAddress"]?["city"]?.text
        region = customer?["billingAddress"]?["state"]?.text
        country = customer?["billingAddress"]?["country"]?.text
        self.ipAddress = (ipAddress?["ipv4"] ?? ipAddress?["ipv6"])?.text
        customFields =
            (more == nil ? document["additionalDataFields"] : more?["additionalDataFields"])?.customFields ?? []
    }
}

extension SecureCardRegistration {
    /// What a body asks to be stored. An update without card data leaves them as they are.
    ///
    /// - Parameter reference: of an update, where the path has it.
    public init(credentials document: JSON, reference: MerchantReference? = nil) throws(HostError) {
        let card: PaymentCard?
        if let account = document["customerAccount"] {
            card = try account["source"] == nil ? PaymentCard(payload: account) : PaymentCard(replacement: account)
            if case .token = card { throw .invalidField("payloadType") }
        } else {
            guard reference != nil else { throw .invalidField("customerAccount") }
            card = nil
        }
        let name: MerchantReference =
            if let reference { reference } else { try document.reference("merchantReference") }
        self.init(
            merchantReference: name, details: SecureCard.Details(document, nil),
            card: card, readerName: document[RESTInterface.extensions]?["readerName"]?.text,
            verification: document[RESTInterface.extensions]?["verification"]?.text)
    }
}

extension SecureCard {
    /// The secure card in an answer.
    public init(credentials answer: JSON) throws(HostError) {
        guard let token = answer["credentialsNumber"]?.text, !token.isEmpty else { throw .answerNotUnderstood }
        let more = answer[RESTInterface.extensions]
        var details = SecureCard.Details(answer, more)
        if more == nil { details.customFields = answer["additionalDataFields"]?.customFields ?? [] }
        self.init(
            merchantReference: try answer.answeredReference("merchantReference"),
            cardReference: SecureCardReference(token),
            card: CardSummary(
                maskedPAN: answer["maskedPan"]?.text ?? "",
                expiry: more?["expiryDate"]?.text.flatMap { ExpiryDate(mmyy: $0) },
                cardholderName: answer["cardholderName"]?.text),
            entryMode: more?["entryMode"]?.text.flatMap { CapturedCard.EntryMode(rawValue: $0) },
            readerName: more?["readerName"]?.text,
            details: details)
        securityCheck = RESTCredentials.securityCheck(answer)
    }
}
