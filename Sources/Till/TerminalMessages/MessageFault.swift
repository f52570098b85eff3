import JSONDocument
import PaymentTerminal

/// Why a value of a till's request is refused, beside ``JSONDocument/ValueFault``.
enum MessageFault: DocumentError.Reason {
    case reference(ReferenceError)
    case amount(MoneyError)
    case currency
    /// Another key than this one, with which it does not go together.
    case notWith(String)
    case oneOf([String])
    case signature
    case approvalCode
    case onlyTrue
    case endsBeforeItBegins

    var description: String {
        switch self {
        case .reference(let error): "\(error)"
        case .amount(.decimals(let currency)) where currency.exponent == 0:
            "an amount in \(currency) has no decimals: write it as 1234"
        case .amount(.decimals(let currency)):
            "an amount in \(currency) needs \(currency.exponent) decimals, as in 12.\(String(repeating: "0", count: Int(currency.exponent)))"
        case .amount(.tooLarge): "the amount is too large"
        case .amount: "not an amount: digits, a point, and the decimals of the currency"
        case .currency: "\(MoneyError.unknownCurrency)"
        case .notWith(let other): "give this or \(other)"
        case .oneOf(let keys): "one of \(keys.joined(separator: ", ")) is required, and no second one"
        case .signature:
            "strokes of points [x, y] from [0, 0] to [\(Signature.width), \(Signature.height)], one of them with two points; at most \(Signature.maximumPoints) points"
        case .approvalCode: "an approval code has six letters or digits"
        case .onlyTrue: "true, or leave the key out"
        case .endsBeforeItBegins: "the period ends before it begins"
        }
    }
}
