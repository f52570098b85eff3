public import CardCapture

/// The payments that a terminal accepts while its host is unreachable, at the merchant's risk.
public struct OfflinePolicy: Sendable, Equatable {
    /// The maximum number of payments that wait for the host.
    public var maximumCount: Int
    /// The maximum amount of each, in minor units; nil for no limit.
    public var maximumAmount: Int64?
    /// The maximum total amount, in minor units; nil for no limit.
    public var maximumTotal: Int64?
    /// The entry modes of cards that the terminal accepts without any approval, for a later
    /// authorisation: none by default. Chips have no effect here, they decide themselves, and a
    /// token cannot be used without the host.
    public var deferredAuthorization: Set<CapturedCard.EntryMode>
    /// How many hours the terminal remembers the payments of a card, so that split sales cannot
    /// stay below the floor limit (EMV 4.4 Book 3, 10.6.1); nil, the default, remembers nothing.
    public var splitSaleHours: Int?

    package static let deferrable: Set<CapturedCard.EntryMode> = [
        .keyed, .stripeFallback, .magneticStripe, .contactlessStripe,
    ]

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

    /// Whether another payment of `amount` may be accepted in addition to the waiting ones.
    func takes(_ amount: Money, beside waiting: some Collection<Money>) -> Bool {
        guard waiting.count < maximumCount, maximumAmount.map({ amount.minorUnits <= $0 }) ?? true else { return false }
        let total = waiting.filter { $0.currency == amount.currency }.reduce(amount.minorUnits) { $0 + $1.minorUnits }
        return maximumTotal.map { total <= $0 } ?? true
    }
}
