private import Bytes
public import PaymentTerminal
private import TLV

/// What a customer buys: items, a discount on them, tips and service charges; in one currency.
///
/// A value without a clock and without a login. ``totals()`` says what is charged.
public struct Basket: Sendable, Equatable {
    /// What the prices of a basket are.
    public enum Prices: String, Sendable, CaseIterable {
        /// With tax: the sum of the lines is charged.
        case gross
        /// Without tax: tax is added to the sum of the lines of each rate.
        case net
    }

    /// Of all prices and of the discount.
    public let currency: Currency
    public let prices: Prices
    /// The merchant's rates, each once, at most ``maximumRates``.
    public let taxes: [TaxRate]
    /// In the order of the receipt, at most ``maximumItems``.
    public private(set) var items: [BasketItem] = []
    /// Off the ``BasketItem/Kind/normal`` items, in minor units and in the basket's ``prices``; 0
    /// for none, at most ``maximumPrice``.
    public private(set) var discount: Int64 = 0
    /// Where the sale takes place.
    public var place: GeographicPoint?
    /// For the merchant, one line of at most ``maximumNote`` characters.
    public private(set) var note: String?

    public static let maximumItems = 10_000
    public static let maximumRates = 20
    /// In characters (Unicode scalars), of notes of the basket and of its items.
    public static let maximumNote = 200
    /// In minor units, of a price, of a discount and of what is charged: the 12 digits of tag
    /// `9F02`.
    public static let maximumPrice: Int64 = 999_999_999_999

    /// An empty basket.
    ///
    /// - Throws: ``BasketError/doubledRate(_:)``, ``BasketError/tooManyRates``.
    public init(currency: Currency, prices: Prices = .gross, taxes: [TaxRate]) throws(BasketError) {
        guard taxes.count <= Self.maximumRates else { throw .tooManyRates }
        var seen: Set<Int> = []
        for tax in taxes where !seen.insert(tax.hundredths).inserted { throw .doubledRate(tax.hundredths) }
        self.currency = currency
        self.prices = prices
        self.taxes = taxes
    }

    /// Puts an item behind the others.
    ///
    /// - Throws: ``BasketError/unknownRate(_:known:)``, ``BasketError/tooManyItems``.
    public mutating func add(_ item: BasketItem) throws(BasketError) {
        guard items.count < Self.maximumItems else { throw .tooManyItems }
        guard item.taxRate == 0 || taxes.contains(where: { $0.hundredths == item.taxRate }) else {
            throw .unknownRate(item.taxRate, known: taxes.map(\.hundredths).sorted())
        }
        items.append(item)
    }

    /// Takes the item at `index` out, and returns it; nil if there is none.
    @discardableResult public mutating func removeItem(at index: Int) -> BasketItem? {
        items.indices.contains(index) ? items.remove(at: index) : nil
    }

    /// - Parameter discount: In minor units. Whether it exceeds the items is seen in ``totals()``:
    ///   they may still change.
    /// - Throws: ``BasketError/discountOutOfRange``.
    public mutating func setDiscount(_ discount: Int64) throws(BasketError) {
        guard (0...Self.maximumPrice).contains(discount) else { throw .discountOutOfRange }
        self.discount = discount
    }

    /// - Throws: ``BasketError/invalidNote``.
    public mutating func setNote(_ note: String?) throws(BasketError) {
        if let note { try Self.check(note) }
        self.note = note
    }

    static func check(_ note: String) throws(BasketError) {
        guard (1...Self.maximumNote).contains(note.unicodeScalars.count), !note.hasSteeringCharacters,
            !CardNumberScan.containsCardNumber(note)
        else { throw .invalidNote }
    }
}

/// A tax of the merchant's.
public struct TaxRate: Sendable, Hashable {
    /// The name on receipts: `VAT`, 1 to ``PaymentTerminal/TaxLine/nameLimit`` characters.
    public let name: String
    /// In hundredths of a percent: 700 is 7 %.
    public let hundredths: Int

    /// The highest rate: 99.99 %.
    public static let maximum = 99_99

    /// - Parameter hundredths: 0 to ``maximum``.
    /// - Throws: ``BasketError/invalidRate``.
    public init(_ name: String, hundredths: Int) throws(BasketError) {
        guard (1...TaxLine.nameLimit).contains(name.count), !name.hasSteeringCharacters,
            (0...Self.maximum).contains(hundredths)
        else { throw .invalidRate }
        self.name = name
        self.hundredths = hundredths
    }
}

/// A place on earth (WGS 84), in millionths of a degree: 53.349805° is 53,349,805.
public struct GeographicPoint: Sendable, Hashable {
    /// North is positive; −90,000,000 to 90,000,000.
    public let latitude: Int
    /// East is positive; −180,000,000 to 180,000,000.
    public let longitude: Int

    static let latitudes = -90_000_000...90_000_000
    static let longitudes = -180_000_000...180_000_000

    /// Nil outside the ranges.
    public init?(latitude: Int, longitude: Int) {
        guard Self.latitudes.contains(latitude), Self.longitudes.contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}
