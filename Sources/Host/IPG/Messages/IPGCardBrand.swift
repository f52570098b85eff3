/// The brands of the checkout, by the names of its SDK.
public enum IPGCardBrand: String, Sendable, Hashable, Codable, CaseIterable {
    case mastercard = "cardTypeMastercard"
    case maestro = "cardTypeMaestro"
    case visa = "cardTypeVisa"
    case electron = "cardTypeElectron"
    case vpay = "cardTypeVpay"
    case jcb = "cardTypeJcb"
    case bancontact = "cardTypeBanContact"
    case americanExpress = "cardTypeAmericanExpress"
    case unionPay = "cardTypeUnionPay"

    /// The brand as messages name it (`CardType`), without regard to case, spaces and hyphens:
    /// `MasterCard`. Nil for another name.
    public init?(messageName: String) {
        let name = messageName.lowercased().filter { $0 != " " && $0 != "-" }
        guard let brand = Self.allCases.first(where: { $0.rawValue.dropFirst("cardType".count).lowercased() == name })
        else { return nil }
        self = brand
    }
}
