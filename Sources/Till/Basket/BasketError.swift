/// Why a basket is refused. The texts have one line each, with the cure, and nothing of the basket's
/// texts.
public enum BasketError: Error, Sendable, Equatable {
    /// A note is empty or too long, or has control characters or a card number.
    case invalidNote
    case quantityOutOfRange
    case negativePrice
    /// A price, a line, or what is charged has more than 12 digits.
    case tooLarge
    case discountOutOfRange
    case discountAboveItems
    /// A rate without a name, or not from 0 to 99.99 %.
    case invalidRate
    /// In hundredths of a percent.
    case doubledRate(Int)
    case unknownRate(Int, known: [Int])
    case tooManyRates
    case tooManyItems
    case empty
    /// The sum is zero.
    case nothingToCharge
    /// There is a tip or a service charge, and nothing that it is for.
    case nothingBesideExtras
}

extension BasketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidNote:
            "a note is one line of 1 to \(Basket.maximumNote) characters, without control characters and card numbers"
        case .quantityOutOfRange: "a quantity is from 1 to \(BasketItem.maximumQuantity)"
        case .negativePrice: "a price is not negative: give a discount, or refund the payment"
        case .tooLarge: "a price, and what is charged, have at most 12 digits: divide the sale"
        case .discountOutOfRange: "a discount is from 0 to \(Basket.maximumPrice) minor units"
        case .discountAboveItems: "the discount exceeds the items that it is for: lessen it"
        case .invalidRate:
            "a tax has a name on one line, and a rate from 0 to \(TaxRate.maximum) hundredths of a percent"
        case .doubledRate(let rate): "two taxes have the rate \(rate): leave one of them out"
        case .unknownRate(let rate, let known):
            "the rate \(rate) is unknown; the basket has "
                + (known.isEmpty ? "none" : known.map(String.init).joined(separator: ", "))
        case .tooManyRates: "a basket has at most \(Basket.maximumRates) tax rates"
        case .tooManyItems: "a basket has at most \(Basket.maximumItems) items: divide the sale"
        case .empty: "the basket is empty: add an item"
        case .nothingToCharge: "the sum is zero: there is nothing to charge"
        case .nothingBesideExtras: "a tip or a service charge needs items beside it: add them"
        }
    }
}
