internal import Bytes
internal import FormDocument
internal import PaymentTerminal

extension IPGNotification {
    /// What the signed fields are called, in the gateway's order. A signature of the older
    /// generations does not cover names: whoever could rename fields could exchange their values.
    private static let order = [
        "ipgmethod", "mid", "orderid", "amount", "currency", "customerip", "token", "cardholder name", "cardtype",
        "custom name", "pan", "expdtyymm", "approval", "ipg_trnref", "requeststan", "requestdatetime", "signature",
    ]

    /// Reads a form of API 4.3 or below.
    init(form body: [UInt8], for account: IPGAccount) throws(IPGMessageError) {
        let fields: FormFields
        do throws(FormError) { fields = try FormFields(parsing: body) } catch {
            throw error == .doubled ? .doubled : .form(error)
        }
        do throws(IPGSignatureError) { try account.verify(fields) } catch { throw .signature(error) }
        try Self.checkOrder(fields)
        let values = try MessageValues(fields.all.map { ($0.name, $0.value) })
        guard try values.merchantID() == account.merchantID else { throw .otherMerchant }
        let (method, event) = try Self.kind(try values.required("IPGmethod"))
        let isSuccess = event == .notify
        outcome = isSuccess ? .succeeded : event == .declineNotify ? .declined : .rolledBack
        // The gateway writes a rollback of a purchase after a failed store, too.
        self.method = event == .rollback && method == .purchase ? nil : method
        orderID = try values.orderID()
        amount = try values.amount()
        reference = try values.reference("IPG_Trnref")
        if isSuccess, reference == nil { throw .missing("IPG_Trnref") }
        approval = values["Approval"]?.onOneLine(atMost: 40)
        time = values["RequestDateTime"]?.onOneLine(atMost: 40)
        card = try NotifiedCard(values)
        if isSuccess, method == .storeCard, card.token == nil { throw .missing("Token") }
        status = nil
    }

    private static func kind(_ name: String) throws(IPGMessageError) -> (IPGMethod, IPGEvent) {
        for method in IPGMethod.allCases where method.isHosted {
            // Those for the browser are no news: they only say where it goes.
            for event in [IPGEvent.notify, .declineNotify, .rollback] where name == method.rawValue + event.rawValue {
                return (method, event)
            }
        }
        throw .unknownMessage
    }

    /// Known fields stand in the gateway's order; others may stand anywhere, but are not empty,
    /// because an empty value leaves no trace in what is signed.
    private static func checkOrder(_ fields: FormFields) throws(IPGMessageError) {
        var last = -1
        for field in fields.all {
            guard let place = order.firstIndex(of: field.name.lowercased()) else {
                guard !field.value.isEmpty else { throw .misplaced(field.name.onOneLine(atMost: 40)) }
                continue
            }
            guard place > last else { throw .misplaced(field.name) }
            last = place
        }
    }
}

extension NotifiedCard {
    init(_ values: MessageValues) throws(IPGMessageError) {
        brand = values["CardType"].flatMap { IPGCardBrand(messageName: $0) }
        if let digits = values["Pan"] {
            guard digits.utf8.count == 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw .invalid("Pan")
            }
            lastDigits = digits
        }
        if let text = values["ExpdtYYMM"] {
            guard let expiry = ExpiryDate(yymm: text) else { throw .invalid("ExpdtYYMM") }
            self.expiry = expiry
        }
        if let token = values["Token"] { self.token = try Self.checked(token: token, "Token") }
        cardholderName = values["Cardholder Name"]?.onOneLine(atMost: 100)
        customName = values["Custom Name"]?.onOneLine(atMost: 100)
    }

    static func checked(token: String, _ name: String) throws(IPGMessageError) -> String {
        guard token.utf8.count <= 256, !token.hasSteeringCharacters else { throw .invalid(name) }
        return token
    }
}
