/// One transaction, as requested by the point of sale.
public struct TransactionRequest: Sendable {
    /// Tag `9C`: the first two digits of the ISO 8583 processing code.
    public enum Kind: UInt8, Sendable {
        /// Goods or services.
        case purchase = 0x00
        /// Cash to the cardholder, without a purchase.
        case cash = 0x01
        /// Goods or services, with cash to the cardholder within the amount.
        case purchaseWithCashback = 0x09
        /// Return of money to the cardholder.
        case refund = 0x20
    }

    /// The type of transaction: conditions of CVM rules and usage control depend on it.
    public var kind: Kind
    /// Minor units, cashback included; at most 12 digits.
    public var amount: UInt64
    /// Cashback within the amount, minor units.
    public var amountOther: UInt64
    /// ISO 4217 numeric code, tag `5F2A`.
    public var currencyCode: UInt16
    /// ISO 4217 exponent, tag `5F36`.
    public var currencyExponent: UInt8
    /// YYMMDD, format `n`, three bytes, tag `9A`.
    public var date: [UInt8]
    /// HHMMSS, format `n`, three bytes, tag `9F21`.
    public var time: [UInt8]
    /// Tag `9F41`.
    public var sequenceCounter: UInt32
    /// The merchant requests online authorization (EMV 4.4 Book 4, 6.5.3).
    public var forcesOnline: Bool

    /// A request, by default a purchase with two decimals that may be approved offline.
    ///
    /// - Parameters:
    ///   - amount: In minor units, cashback included.
    ///   - date: YYMMDD, three bytes of BCD.
    ///   - time: HHMMSS, three bytes of BCD.
    public init(
        kind: Kind = .purchase, amount: UInt64, amountOther: UInt64 = 0, currencyCode: UInt16,
        currencyExponent: UInt8 = 2, date: [UInt8],
        time: [UInt8], sequenceCounter: UInt32 = 1, forcesOnline: Bool = false
    ) {
        self.kind = kind
        self.amount = amount
        self.amountOther = amountOther
        self.currencyCode = currencyCode
        self.currencyExponent = currencyExponent
        self.date = date
        self.time = time
        self.sequenceCounter = sequenceCounter
        self.forcesOnline = forcesOnline
    }
}
