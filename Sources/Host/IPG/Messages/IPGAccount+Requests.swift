internal import Bytes
internal import CardCryptography
public import FormDocument
public import PaymentTerminal

/// How the gateway is to write its answer (`OutputFormat`).
public enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case xml
    case json
}

extension IPGAccount {
    /// The signed form that the customer's browser posts to the gateway's page.
    public func request(_ payment: HostedPayment) throws(IPGRequestError) -> FormFields {
        var fields = begin(payment.method, language: payment.language)
        fields.set("MIDName", merchantName)
        try set(payment.amount, in: &fields)
        fields.set("CustomerIP", payment.customerIP)
        fields.set("OrderID", payment.orderID.text)
        let optional = [
            ("CustomerIdentifier", payment.customerIdentifier), ("Email", payment.email), ("Note", payment.note),
        ]
        for (name, value) in optional where !value.isEmpty { fields.set(name, value) }
        if case .storedCardPurchase(let token) = payment.purpose { try set(token: token, in: &fields) }
        fields.set("URL_OK", payment.successURL)
        fields.set("URL_Cancel", payment.cancelURL)
        fields.set("URL_Notify", payment.notifyURL)
        return signed(fields)
    }

    /// The signed form that pays a part or all of a payment back.
    ///
    /// - Parameters:
    ///   - reference: The payment's (`IPG_Trnref`).
    ///   - orderID: A new one, of the refund.
    public func refund(
        _ reference: TransactionReference, _ amount: Money, orderID: IPGOrderID, format: OutputFormat = .json
    ) throws(IPGRequestError) -> FormFields {
        guard amount.minorUnits > 0 else { throw .amount }
        var fields = begin(.refund)
        fields.set("OrderID", orderID.text)
        fields.set("IPG_Trnref", reference.text)
        try set(amount, in: &fields)
        fields.set("OutputFormat", format.rawValue)
        return signed(fields)
    }

    /// The signed form that cancels a payment whole.
    ///
    /// - Parameter orderID: The payment's.
    public func reversal(
        _ reference: TransactionReference, orderID: IPGOrderID, format: OutputFormat = .json
    ) -> FormFields {
        var fields = begin(.reversal)
        if generation == .sorted { fields.set("OrderID", orderID.text) }
        fields.set("IPG_Trnref", reference.text)
        fields.set("OutputFormat", format.rawValue)
        return signed(fields)
    }

    /// The signed form that asks for the status of an order: a payment's or a refund's.
    public func status(of orderID: IPGOrderID, format: OutputFormat = .json) -> FormFields {
        var fields = begin(.status)
        fields.set("OrderID", orderID.text)
        fields.set("OutputFormat", format.rawValue)
        return signed(fields)
    }

    /// What every request begins with.
    private func begin(_ method: IPGMethod, language: String? = nil) -> FormFields {
        var fields = FormFields()
        fields.set("IPGmethod", method.rawValue)
        fields.set("KeyIndex", String(keyIndex))
        fields.set("KeyIndexResp", String(responseKeyIndex))
        fields.set("IPGVersion", version)
        if let language { fields.set("Language", language) }
        fields.set("Originator", String(originator))
        if method.isHosted { fields.set("BannerIndex", String(bannerIndex)) }
        fields.set("MID", merchantID.text)
        return fields
    }

    private func set(_ amount: Money, in fields: inout FormFields) throws(IPGRequestError) {
        guard amount.currency == currency else { throw .currency(currency) }
        guard amount.decimal.prefix(while: { $0 != "." }).count <= 8 else { throw .amountTooLarge }
        fields.set("Amount", amount.decimal)
        fields.set("Currency", currency.numericText)
    }

    /// In clear since 4.5; before, enciphered for the gateway.
    private func set(token: String, in fields: inout FormFields) throws(IPGRequestError) {
        guard !token.isEmpty else { throw .token }
        guard generation != .sorted else { return fields.set("CardToken", token) }
        guard let cryptogram = gatewayEncryptionKey.encipher(Array(token.utf8)) else { throw .token }
        fields.set("Token", cryptogram.text(in: .standard))
    }
}

extension Currency {
    /// Three digits.
    package var numericText: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }
}
