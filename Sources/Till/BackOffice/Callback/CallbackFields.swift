internal import CardCapture
public import FormDocument
internal import PaymentTerminal

/// What a back office tells a merchant's own server of a transaction.
///
/// The 18 names, their underscores and their order are those of Accept's guide. It does not say how
/// they are encoded: here they are a form, `application/x-www-form-urlencoded`.
public struct CallbackFields: Sendable, Equatable {
    /// The row has the masked card number: no other one can be in a callback.
    public var row: TransactionRow
    public var guwid = ""
    public var merchantID = ""
    public var userID = ""
    public var terminalID = ""
    public var terminalSerialNumber = ""
    public var merchantName = ""
    /// Empty unless the transaction failed.
    public var errorCode = ""
    public var errorMessage = ""
    public var aidLabel = ""
    /// Hexadecimal digits.
    public var aid = ""

    /// In the order of the guide.
    public static let names = [
        "unique_id", "guwid", "merchant_id", "user_id", "terminal_id", "terminal_sn", "amount", "currency",
        "created_at",
        "merchant_name", "card_brand", "card_number", "state", "error_code", "error_message", "aid_label", "aid",
        "card_holder",
    ]

    public init(_ row: TransactionRow) { self.row = row }

    /// The fields as they are sent. The amount is in minor units; `created_at` is
    /// `2026-03-09T14:05:09Z`, in UTC.
    public var form: FormFields {
        let values = [
            row.id, guwid, merchantID, userID, terminalID, terminalSerialNumber, String(row.amount.minorUnits),
            row.amount.currency.code, Self.text(of: row.createdAt), merchantName, row.cardBrand, row.maskedCardNumber,
            row.state.rawValue, errorCode, errorMessage, aidLabel, aid, row.customer,
        ]
        var form = FormFields()
        for (name, value) in zip(Self.names, values) { form.set(name, value) }
        return form
    }
}
