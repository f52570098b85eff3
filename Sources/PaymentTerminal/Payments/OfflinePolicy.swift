public import CardCapture

/// What a terminal takes while its host cannot be reached, at the merchant's risk.
public struct OfflinePolicy: Sendable, Equatable {
    /// How many payments may wait for the host.
    public var maximumCount: Int
    /// The most that one of them may be, in minor units; nil for no limit.
    public var maximumAmount: Int64?
    /// The most that all of them may be together, in minor units; nil for no limit.
    public var maximumTotal: Int64?
    /// How cards may be read that the terminal takes without anybody's approval, to have them authorised later: none by default. A chip decides
    /// itself, and a token is worth nothing without the host.
    public var deferredAuthorization: Set<CapturedCard.EntryMode>
    /// For how many hours the terminal remembers what a card has paid, so that a sale that is split in two stays below no floor limit
    /// (EMV 4.4 Book 3, 10.6.1); nil, the default, remembers nothing.
    public var splitSaleHours: Int?

    /// By default up to 100 payments of any amount that
    /// chips approved, and no deferred authorization.
    public init(
        maximumCount: Int = 100, maximumAmount: Int64? = nil, maximumTotal: Int64? = nil,
        deferredAuthorization: Set<CapturedCard.EntryMode> = [], splitSaleHours: Int? = nil
    ) {
        self.maximumCount = maximumCount
        self.maximumAmount = maximumAmount
        self.maximumTotal = maximumTotal
        self.deferredAuthorization = deferredAuthorization
        self.splitSaleHours = splitSaleHours
    }

    /// Whether one more payment of `amount` may be taken beside those that wait.
    func takes(_ amount: Money, beside waiting: some Collection<Money>) -> Bool {
        guard waiting.count < maximumCount, maximumAmount.map({ amount.minorUnits <= $0 }) ?? true else { return false }
        let total = waiting.filter { $0.currency == amount.currency }.reduce(amount.minorUnits) { $0 + $1.minorUnits }
        return maximumTotal.map { total <= $0 } ?? true
    }
}
