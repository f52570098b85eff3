internal import Bytes
internal import FormDocument
public import IPG
internal import PaymentTerminal

extension BenchIPG {
    /// What the gateway does with a posted form.
    public enum Received: Sendable, Equatable {
        /// The customer's browser gets the page of the order, where a card is entered, or a stored
        /// one confirmed.
        case page(MerchantID, IPGOrderID)
        /// The answer to a back-office request: signed, JSON or XML.
        case answer(contentType: String, body: [UInt8])
        /// The browser gets a page that says that the request is refused.
        case refused(IPGResultCode)
    }

    /// Takes the body of a post to the gateway.
    public mutating func receive(_ body: [UInt8], now: Int64) -> Received {
        guard let form = try? FormFields(parsing: body) else { return .refused(.parameter) }
        guard let name = form["IPGmethod"], let method = IPGMethod(rawValue: name) else { return .refused(.method) }
        guard let id = form["MID"].flatMap({ MerchantID($0) }), let merchant = merchants[id] else {
            return .refused(.merchant)
        }
        let index = form["KeyIndexResp"].flatMap { Int($0) } ?? 1
        let code: IPGResultCode
        var fields = FormFields()
        if !merchant.verifies(form) {
            code = .signature
        } else if SignatureGeneration(version: form["IPGVersion"] ?? "") != merchant.generation {
            code = .version
        } else if method.isHosted {
            return open(form, method, merchant, keyIndex: index)
        } else {
            (code, fields) = answer(form, method, merchant, now: now)
        }
        guard !method.isHosted else { return .refused(code) }
        var all = FormFields()
        all.set("method", method.rawValue)
        all.set("status", String(code.rawValue))
        all.set("status_msg", code == .good ? "Success" : "Refused")
        for field in fields.all { all.set(field.name, field.value) }
        let format = form["OutputFormat"].flatMap { OutputFormat(rawValue: $0) } ?? .xml
        guard let body = merchant.answer(all, index: index, format) else { return .refused(.signature) }
        return .answer(contentType: format == .json ? "application/json" : "text/xml", body: body)
    }

    private mutating func open(_ form: FormFields, _ method: IPGMethod, _ merchant: BenchMerchant, keyIndex: Int)
        -> Received
    {
        guard merchant.gatewayKeys[keyIndex] != nil else { return .refused(.parameter) }
        guard let orderID = form["OrderID"].flatMap({ IPGOrderID($0) }) else { return .refused(.orderID) }
        guard form["Currency"] == merchant.currency.numericText else { return .refused(.currency) }
        guard let amount = form["Amount"].flatMap({ try? Money(parsing: $0, in: merchant.currency) }),
            amount.minorUnits > 0 || method == .storeCard
        else { return .refused(.amount) }
        guard let notify = form["URL_Notify"], let success = form["URL_OK"], let cancel = form["URL_Cancel"] else {
            return .refused(.missing)
        }
        var token: String?
        if method == .storedCardPurchase {
            token = form["CardToken"] ?? form["Token"].flatMap { merchant.decipher(token: $0) }
            guard let token, cards[token] != nil else { return .refused(.cardNotFound) }
        }
        let key = Key(merchant: merchant.merchantID, order: orderID)
        guard orders[key] == nil else { return .refused(.duplicate) }
        orders[key] = Order(
            merchant: merchant.merchantID, method: method, amount: amount, customerIP: form["CustomerIP"] ?? "",
            notifyURL: notify, successURL: success, cancelURL: cancel, keyIndex: keyIndex,
            token: token)
        return .page(merchant.merchantID, orderID)
    }

    private mutating func answer(_ form: FormFields, _ method: IPGMethod, _ merchant: BenchMerchant, now: Int64)
        -> (IPGResultCode, FormFields)
    {
        switch method {
        case .status: status(form, merchant)
        case .reversal: reverse(form, merchant, now: now)
        case .refund: refund(form, merchant, now: now)
        case .purchase, .storeCard, .storedCardPurchase: (.method, FormFields())
        }
    }

    private func status(_ form: FormFields, _ merchant: BenchMerchant) -> (IPGResultCode, FormFields) {
        guard let orderID = form["OrderID"].flatMap({ IPGOrderID($0) }),
            let order = orders[Key(merchant: merchant.merchantID, order: orderID)]
        else { return (.notFound, FormFields()) }
        let isSorted = merchant.generation == .sorted
        let good = isSorted ? 0 : 100
        let (number, words): (Int, String) =
            switch order.stage {
            case .open: (4001, "Waiting user input")
            case .failed(let code): (code.rawValue, "Declined")
            case .stored, .refunded: (good, "Transaction completed successful")
            case .charged:
                switch charge(Key(merchant: merchant.merchantID, order: orderID))?.state {
                case .completed: (good, "Transaction completed successful")
                case .reversed: (9024, "Reversed")
                case .notifying, nil: (9010, "Pending")
                }
            }
        var fields = FormFields()
        fields.set("MID", merchant.merchantID.text)
        fields.set("Amount", order.amount.decimal)
        fields.set("Currency", order.amount.currency.numericText)
        fields.set("OrderID", orderID.text)
        if let reference = order.reference { fields.set("IPG_Trnref", reference.text) }
        let name = isSorted ? "IPGTrnStatus" : "IPG_TrnStatus"
        fields.set(name, String(number))
        fields.set(name + "Msg", words)
        return (.good, fields)
    }

    /// The charge of a reference.
    private func found(_ form: FormFields, _ merchant: BenchMerchant) -> (Key, Charge)? {
        charges(of: merchant.merchantID).values.first { $0.reference.text == form["IPG_Trnref"] }.map {
            (Key(merchant: merchant.merchantID, order: $0.orderID), $0)
        }
    }

    private mutating func reverse(_ form: FormFields, _ merchant: BenchMerchant, now: Int64)
        -> (IPGResultCode, FormFields)
    {
        guard let (key, found) = found(form, merchant),
            merchant.generation != .sorted || form["OrderID"] == found.orderID.text
        else { return (.notFound, FormFields()) }
        var charge = found
        guard charge.state != .reversed else { return (.reversed, FormFields()) }
        guard charge.refunded == 0, let reference = nextReference(now: now) else {
            return (.notReversible, FormFields())
        }
        charge.state = .reversed
        set(charge, key)
        var fields = FormFields()
        fields.set("IPGTrnref", reference.text)
        fields.set("IPGTrnrefOriginal", charge.reference.text)
        return (.good, fields)
    }

    private mutating func refund(_ form: FormFields, _ merchant: BenchMerchant, now: Int64)
        -> (IPGResultCode, FormFields)
    {
        guard let orderID = form["OrderID"].flatMap({ IPGOrderID($0) }) else { return (.orderID, FormFields()) }
        let own = Key(merchant: merchant.merchantID, order: orderID)
        guard orders[own] == nil else { return (.duplicate, FormFields()) }
        guard let (key, found) = found(form, merchant), found.state == .completed else {
            return (.notFound, FormFields())
        }
        var charge = found
        guard form["Currency"] == merchant.currency.numericText else { return (.currency, FormFields()) }
        guard let amount = form["Amount"].flatMap({ try? Money(parsing: $0, in: merchant.currency) }),
            amount.minorUnits > 0, amount.minorUnits <= charge.amount.minorUnits - charge.refunded,
            let reference = nextReference(now: now)
        else { return (.amount, FormFields()) }
        charge.refunded += amount.minorUnits
        set(charge, key)
        orders[own] = Order(
            merchant: merchant.merchantID, method: .refund, amount: amount, customerIP: "", notifyURL: "",
            successURL: "", cancelURL: "", keyIndex: 1, token: nil, stage: .refunded, reference: reference)
        var fields = FormFields()
        fields.set("trnref", reference.text)
        fields.set("amount", amount.decimal)
        fields.set("currency", amount.currency.numericText)
        return (.good, fields)
    }
}

extension IPGResultCode {
    static let missing = IPGResultCode(rawValue: 9001)
    static let signature = IPGResultCode(rawValue: 9002)
    static let merchant = IPGResultCode(rawValue: 9004)
    static let parameter = IPGResultCode(rawValue: 9005)
    static let notFound = IPGResultCode(rawValue: 9009)
    static let amount = IPGResultCode(rawValue: 9011)
    static let cardNotFound = IPGResultCode(rawValue: 9016)
    static let duplicate = IPGResultCode(rawValue: 9019)
    static let reversed = IPGResultCode(rawValue: 9024)
    static let notReversible = IPGResultCode(rawValue: 9025)
    static let version = IPGResultCode(rawValue: 9026)
    static let method = IPGResultCode(rawValue: 9027)
    static let currency = IPGResultCode(rawValue: 9031)
    static let orderID = IPGResultCode(rawValue: 9032)
}
