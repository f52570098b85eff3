import Bytes
public import CardCapture
import MagneticStripe
public import PaymentTerminal

extension XMLMessage {
    /// The request as a message: `PAYMENT`, `PREAUTH` or `UNREFERENCEDREFUND`.
    ///
    /// - Parameter trackFormat: `FORMATID` of the readers that encipher tracks, as the gateway
    ///   assigned it; nil without such readers.
    /// - Throws: ``HostError/Refusal/notSupported`` for what the interface has no message for:
    ///   chips, PINs, verifications of an account, payments that were taken offline. A secure card
    ///   is registered with a message of its own.
    public init(_ request: AuthorizationRequest, trackFormat: Int? = nil) throws(HostError) {
        guard request.processing == .online else { throw .notInXML("no payment is authorised later") }
        switch request.purpose {
        case .sale: self.init(.payment)
        case .preAuthorization: self.init(.preAuthorization)
        case .refund: self.init(.unreferencedRefund)
        case .accountVerification: throw .notInXML("no account is verified on its own")
        }
        self[.orderID] = request.orderID.text
        self[.terminalID] = request.terminalID
        self[.amount] = request.amount.decimal
        self[.currency] = request.amount.currency.code
        self[.dateTime] = GatewayDate.text(request.timestamp)
        try take(request.card, trackFormat)
        if request.purpose == .refund {
            self[.operatorName] = request.terminalID
        } else {
            let (terminalType, transactionType) =
                switch request.terms.channel {
                case .cardPresent: ("3", "0")
                case .mailOrTelephone: ("1", "4")
                case .eCommerce: ("2", "7")
                }
            self[.terminalType] = terminalType
            self[.transactionType] = transactionType
            self[.address1] = request.terms.billingAddress?.street
            self[.postCode] = request.terms.billingAddress?.postalCode
            customFields = request.terms.customFields
        }
        if form.name == XMLForm.payment.name { self[.signature] = request.signature.map { SignatureStrokes($0).text } }
    }

    private mutating func take(_ card: PaymentCard, _ trackFormat: Int?) throws(HostError) {
        let isPayment = form.name == XMLForm.payment.name
        switch card {
        case .keyed(let details, let cvv):
            try take(details)
            if form.name != XMLForm.unreferencedRefund.name { self[secret: .cvv] = cvv }
        case .token(let token) where form.name == XMLForm.unreferencedRefund.name: self[.cardReference] = token.text
        case .token(let token):
            self[.cardType] = CardTypeName.secureCard
            self[.cardNumber] = token.text
        case .captured(let card):
            guard card.chip == nil, isPayment else { throw .notInXML("a card in a reader pays by its stripe only") }
            guard card.pin == nil else { throw .notInXML("no PIN is verified") }
            if let track = card.track2, let brand = CardBrand(leadingDigits: card.maskedPAN.utf8) {
                self[secret: .trackData] = track.betweenSentinels
                self[.cardType] = CardTypeName.name(of: brand)
            } else if let tracks = card.encryptedTracks, let ciphertext = tracks.ciphertexts[.two], let trackFormat,
                let brand = CardBrand(leadingDigits: card.maskedPAN.utf8)
            {
                self[.encryptedTrack] = ciphertext.hex
                self[.keySerialNumber] = tracks.ksn.hex
                self[.formatID] = String(trackFormat)
                self[.cardType] = CardTypeName.name(of: brand)
            } else {
                throw .notInXML("track 2 of a card of a known scheme is needed")
            }
        }
    }

    mutating func take(_ details: CardDetails) throws(HostError) {
        var digits = details.pan.revealed()
        defer { wipe(&digits) }
        guard let brand = CardBrand(leadingDigits: digits) else { throw .notInXML("the card's scheme is not known") }
        self[secret: .cardNumber] = details.pan
        self[.cardType] = CardTypeName.name(of: brand)
        self[.cardExpiry] = details.expiry.mmyy
        self[.cardholderName] = details.cardholderName
    }
}

extension AuthorizationRequest {
    /// What a `PAYMENT`, `PREAUTH` or `UNREFERENCEDREFUND` asks for.
    public init(_ message: XMLMessage) throws(HostError) {
        let purpose: Purpose =
            switch message.form.name {
            case XMLForm.preAuthorization.name: .preAuthorization
            case XMLForm.unreferencedRefund.name: .refund
            default: .sale
            }
        let channel: PaymentTerms.Channel =
            switch message[.terminalType] {
            case "1": .mailOrTelephone
            case "2": .eCommerce
            default: .cardPresent
            }
        guard let currency = Currency(code: message[.currency] ?? "") else { throw .invalidField("CURRENCY") }
        var terms = PaymentTerms(channel: channel, duplicateCheck: .off)
        if message[.address1] != nil || message[.postCode] != nil {
            terms.billingAddress = BillingAddress(
                street: message[.address1] ?? "", postalCode: message[.postCode] ?? "")
        }
        terms.customFields = message.customFields
        let signature = try message[.signature].map { text throws(HostError) in
            guard let signature = SignatureStrokes(text)?.signature else {
                throw .invalidField(XMLField.signature.rawValue)
            }
            return signature
        }
        self.init(
            orderID: try message.reference(.orderID), purpose: purpose, amount: try message.money(.amount, currency),
            timestamp: try message.timestamp(), terminalID: message[.terminalID] ?? "", card: try message.card(),
            terms: terms,
            signature: signature)
    }
}

extension XMLMessage {
    public func reference<Name: Reference>(_ field: XMLField) throws(HostError) -> Name {
        do throws(ReferenceError) {
            return try Name(self[field] ?? "")
        } catch {
            throw .invalidField(field.rawValue)
        }
    }

    public func money(_ field: XMLField, _ currency: Currency) throws(HostError) -> Money {
        do throws(MoneyError) {
            return try Money(parsing: self[field] ?? "", in: currency)
        } catch {
            throw .invalidField(field.rawValue)
        }
    }

    public func timestamp() throws(HostError) -> Timestamp {
        guard let timestamp = GatewayDate.timestamp(self[.dateTime] ?? "") else { throw .invalidField("DATETIME") }
        return timestamp
    }

    /// The card data of a registration or a keyed payment.
    func details() throws(HostError) -> CardDetails {
        guard let expiry = ExpiryDate(mmyy: self[.cardExpiry] ?? "") else { throw .invalidField("CARDEXPIRY") }
        do throws(CardDetailsError) {
            return try CardDetails(
                pan: self[secret: .cardNumber] ?? SecretBytes([]), expiry: expiry, cardholderName: self[.cardholderName]
            )
        } catch {
            throw .invalidField("CARDNUMBER")
        }
    }

    fileprivate func card() throws(HostError) -> PaymentCard {
        if form.name == XMLForm.unreferencedRefund.name, let token = self[.cardReference] {
            return .token(SecureCardReference(token))
        }
        guard let type = self[.cardType]?.uppercased(), CardTypeName.all.contains(type) else {
            throw .invalidField("CARDTYPE")
        }
        if type == CardTypeName.secureCard, let token = self[.cardNumber] { return .token(SecureCardReference(token)) }
        if let text = self[secret: .trackData] { return .captured(try Self.swipe(text)) }
        if let ciphertext = self[.encryptedTrack] {
            guard let bytes = try? [UInt8](hex: ciphertext), let ksn = try? [UInt8](hex: self[.keySerialNumber] ?? "")
            else {
                throw .invalidField("ENCRYPTEDTRACK")
            }
            let tracks = EncryptedTracks(cipher: .tdes, keyUse: .dataVariant, ksn: ksn, ciphertexts: [.two: bytes])
            return .captured(CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: nil, encryptedTracks: tracks))
        }
        return .keyed(try details(), cvv: self[secret: .cvv])
    }

    /// A card by its track 2, which has its sentinels or not.
    static func swipe(_ text: SecretBytes, entryMode: CapturedCard.EntryMode = .magneticStripe) throws(HostError)
        -> CapturedCard
    {
        var characters = text.revealed()
        defer { wipe(&characters) }
        if characters.first == UInt8(ascii: ";") { characters.removeFirst() }
        if characters.last == UInt8(ascii: "?") { characters.removeLast() }
        guard let separator = characters.firstIndex(of: UInt8(ascii: "=")), (12...19).contains(separator) else {
            throw .invalidField("TRACKDATA")
        }
        let expiry = characters[(separator + 1)...].prefix(4)
        return CapturedCard(
            entryMode: entryMode, pan: SecretBytes(characters[..<separator]),
            expiry: String(decoding: expiry, as: UTF8.self),
            track2: SecretBytes(characters))
    }
}

extension HostError {
    static func notInXML(_ reason: String) -> HostError {
        HostError(
            .notSupported, "the gateway's XML interface does not support this (\(reason)): use its REST interface")
    }

    static func invalidField(_ name: String) -> HostError { HostError(.invalidRequest, "Invalid \(name) field") }
}
