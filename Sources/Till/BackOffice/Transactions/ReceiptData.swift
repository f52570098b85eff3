public import PaymentTerminal

/// What a receipt of a transaction is made of: the members of Accept's `AcceptReceiptData`
/// (acceptSDK a6dcace, header), under names of ours. All amounts are minor units of ``currency``.
/// There is no expiry date, and no card number but the masked one.
public struct ReceiptData: Sendable, Equatable, Codable {
    public var receiptID: Int64
    public var currency: Currency
    public var items: [Item]
    public var taxes: [TaxSummary]
    public var serviceCharge: Item?
    public var tip: Item?
    /// Whether prices include tax.
    public var includesTax: Bool
    public var totalAmount: Int64
    /// Seconds since 1970-01-01 00:00:00 UTC.
    public var paidAt: Int64
    public var state: TransactionState
    public var card: Card
    public var approvalCode: String
    public var technicalMessage: String

    public init(
        receiptID: Int64, currency: Currency, items: [Item], totalAmount: Int64, paidAt: Int64, state: TransactionState,
        card: Card = Card()
    ) {
        self.receiptID = receiptID
        self.currency = currency
        self.items = items
        self.totalAmount = totalAmount
        self.paidAt = paidAt
        self.state = state
        self.card = card
        taxes = []
        includesTax = true
        approvalCode = ""
        technicalMessage = ""
    }

    /// Something that was sold.
    public struct Item: Sendable, Equatable, Codable {
        public var text: String
        public var quantity: Int
        /// Of one, with tax.
        public var grossPrice: Int64
        /// In hundredths of a percent.
        public var taxRate: Int

        public init(_ text: String, quantity: Int = 1, grossPrice: Int64, taxRate: Int) {
            self.text = text
            self.quantity = quantity
            self.grossPrice = grossPrice
            self.taxRate = taxRate
        }
    }

    /// The items of one tax rate.
    public struct TaxSummary: Sendable, Equatable, Codable {
        /// In hundredths of a percent.
        public var rate: Int
        public var totalNet: Int64
        public var totalTax: Int64
        public var totalGross: Int64

        public init(rate: Int, totalNet: Int64, totalTax: Int64, totalGross: Int64) {
            self.rate = rate
            self.totalNet = totalNet
            self.totalTax = totalTax
            self.totalGross = totalGross
        }
    }

    /// What the receipt says of the card; hexadecimal digits where EMV has bytes.
    public struct Card: Sendable, Equatable, Codable {
        public var maskedNumber = ""
        public var holder = ""
        public var brand = ""
        public var aid = ""
        public var terminalID = ""
        public var merchantID = ""
        public var entryMode = ""
        /// Tag `95`, kept for declined transactions, too.
        public var tvr = ""
        /// Tag `9F26`.
        public var cryptogram = ""

        public init() {}
    }
}

extension ReceiptData {
    /// How many items, and how many taxes, a receipt has at most.
    public static let itemLimit = 1000
    /// In bytes, of each text.
    public static let textLimit = 1024

    /// Whether a store may keep it.
    public var isWithinLimits: Bool {
        let lines = items + [serviceCharge, tip].compactMap { $0 }
        let texts =
            lines.map(\.text) + [
                approvalCode, technicalMessage, card.maskedNumber, card.holder, card.brand, card.aid, card.terminalID,
                card.merchantID, card.entryMode, card.tvr, card.cryptogram,
            ]
        return items.count <= Self.itemLimit && taxes.count <= Self.itemLimit
            && texts.allSatisfy { $0.utf8.count <= Self.textLimit }
    }
}
