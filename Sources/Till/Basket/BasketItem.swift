/// A line of a basket.
public struct BasketItem: Sendable, Hashable {
    /// The kinds of items. The raw values are those of the Accept SDK.
    public enum Kind: String, Sendable, CaseIterable {
        /// Goods or a service.
        case normal = "NORMAL"
        /// A gift of the customer's, which no discount lessens.
        case tip = "TIP"
        /// The merchant's charge for the service, which no discount lessens.
        case serviceCharge = "SERVICE_CHARGE"
    }

    public let kind: Kind
    /// What it is, on the receipt: one line, 1 to ``Basket/maximumNote`` characters.
    public let note: String
    /// 1 to ``maximumQuantity``.
    public let quantity: Int
    /// Of one piece, in minor units of the basket's currency, 0 to ``Basket/maximumPrice``; with or
    /// without tax, as the basket's ``Basket/prices`` say.
    public let price: Int64
    /// In hundredths of a percent: 700 is 7 %; 0 for none. Others are of ``Basket/taxes``.
    public let taxRate: Int

    public static let maximumQuantity = 999_999

    /// - Throws: ``BasketError/invalidNote``, ``BasketError/quantityOutOfRange``,
    ///   ``BasketError/negativePrice``, ``BasketError/tooLarge``.
    public init(
        _ note: String, kind: Kind = .normal, quantity: Int = 1, price: Int64, taxRate: Int = 0
    ) throws(BasketError) {
        try Basket.check(note)
        guard (1...Self.maximumQuantity).contains(quantity) else { throw .quantityOutOfRange }
        guard price >= 0 else { throw .negativePrice }
        guard price <= Basket.maximumPrice else { throw .tooLarge }
        self.kind = kind
        self.note = note
        self.quantity = quantity
        self.price = price
        self.taxRate = taxRate
    }

    /// Quantity times price, in minor units: at most 18 digits.
    public var amount: Int64 { Int64(quantity) * price }
}
