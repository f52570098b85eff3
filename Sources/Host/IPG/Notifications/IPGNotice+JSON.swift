internal import Bytes
internal import JSONDocument
internal import PaymentTerminal

extension IPGNotice {
    /// Reads a callback of API 4.5.
    static func json(_ body: [UInt8], for account: IPGAccount) throws(IPGMessageError) -> IPGNotice {
        let document: JSON
        do throws(JSONError) { document = try JSON(parsing: body) } catch {
            throw error.fault == .doubledKey ? .doubled : .json(error)
        }
        let callback = Caseless(document)
        let payment = callback["Payment"]
        let values = try payment.values()
        let orderID = try values.orderID()
        if callback["Signature"].isMissing, values["Interface"] == "embedded_checkout" {
            guard try values.merchantID() == account.merchantID else { throw .otherMerchant }
            return .hint(orderID)
        }
        do throws(IPGSignatureError) { try account.verify(document) } catch { throw .signature(error) }
        guard try values.merchantID() == account.merchantID else { throw .otherMerchant }
        return .notification(try IPGNotification(callback, values, orderID))
    }
}

extension IPGNotification {
    fileprivate init(_ callback: Caseless, _ payment: MessageValues, _ orderID: IPGOrderID) throws(IPGMessageError) {
        let operation = callback["Operation"]
        let (step, provider) = (try operation.values(), try operation["Provider"].values())
        self.orderID = orderID
        amount = try callback["Payment"]["Sum"].amount()
        reference = try provider.reference("Trn")
        approval = provider["Approval"]?.onOneLine(atMost: 40)
        time = payment["Date"]?.onOneLine(atMost: 40)
        method = payment["Context"] == "StoreCardPay" || step["Type"] == "store_card" ? .storeCard : nil
        switch try payment.required("Status") {
        case "success":
            outcome = .succeeded
            if reference == nil, method != .storeCard { throw .missing("Operation.Provider.Trn") }
        case "declined", "error": outcome = .declined
        default: throw .invalid("Payment.Status")
        }
        card = try NotifiedCard(callback["CardData"].values(), storing: operation["StoreCard"].values())
        let code = step["Code"].flatMap { Int($0) }
        status = outcome == .succeeded ? nil : code.flatMap { OperationStatus(IPGResultCode(rawValue: $0)) }
    }
}

extension NotifiedCard {
    fileprivate init(_ values: MessageValues, storing stored: MessageValues) throws(IPGMessageError) {
        brand = (values["Brand"] ?? values["Type"]).flatMap { IPGCardBrand(messageName: $0) }
        if let shown = values["Pan"] {
            // First six, asterisks, last four.
            let digits = String(shown.suffix(4))
            guard shown.contains("*"), digits.utf8.count == 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { throw .invalid("CardData.Pan") }
            lastDigits = digits
        }
        if let year = values["ExpYear"], let month = values["ExpMonth"] {
            let text = String(year.suffix(2)) + (month.utf8.count == 1 ? "0" : "") + month
            guard let expiry = ExpiryDate(yymm: text) else { throw .invalid("CardData.ExpYear") }
            self.expiry = expiry
        }
        if let token = stored["CardToken"] ?? values["CardToken"] {
            self.token = try Self.checked(token: token, "CardToken")
        }
        cardholderName = values["CardholderName"]?.onOneLine(atMost: 100)
    }
}

/// A JSON value whose members are found without regard to case.
private struct Caseless {
    private let value: JSON?

    init(_ value: JSON?) { self.value = value }

    subscript(_ name: String) -> Caseless {
        guard case .object(let members)? = value else { return Caseless(nil) }
        return Caseless(members.first { $0.name.lowercased() == name.lowercased() }?.value)
    }

    var isMissing: Bool { value == nil }

    /// The members that are no lists and no objects; empty for another value.
    func values() throws(IPGMessageError) -> MessageValues {
        guard case .object(let members)? = value else { return try MessageValues([]) }
        return try MessageValues(members.compactMap { member in member.value.scalar.map { (member.name, $0) } })
    }

    /// `Sum`: its amount as text, or as a number, which has no zeros at its end.
    func amount() throws(IPGMessageError) -> Money {
        let values = try values()
        var text = try values.required("Amount")
        let code = try values.required("Currency")
        if case .number? = self["Amount"].value, let number = UInt16(code), let currency = Currency(number: number) {
            text = Self.padded(text, to: Int(currency.exponent))
        }
        return try MessageValues.amount(text, currency: code)
    }

    private static func padded(_ number: String, to decimals: Int) -> String {
        guard decimals > 0 else { return number }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let zeros = max(0, decimals - (parts.count == 2 ? parts[1].utf8.count : 0))
        return parts[0] + "." + (parts.count == 2 ? parts[1] : "") + String(repeating: "0", count: zeros)
    }
}
