public import PaymentTerminal

/// The gateway's names of card schemes.
public enum CardTypeName {
    /// In place of a scheme, where the card number is a token.
    public static let secureCard = "SECURECARD"

    public static func name(of brand: CardBrand) -> String {
        brand == .unionPay ? "CUP SECUREPAY" : brand.rawValue
    }

    static let all = Set(
        CardBrand.allCases.map { name(of: $0) } + ["VISA DEBIT", "ELECTRON", "DEBIT MASTERCARD", "LASER", secureCard])
}
