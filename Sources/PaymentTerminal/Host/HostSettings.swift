/// What a terminal is configured for at its host.
public struct HostSettings: Sendable, Equatable, Codable {
    /// The merchant as the host prints it.
    public var merchantName: String
    /// The terminal as the host knows it: ISO 8583 field 41.
    public var terminalID: String
    /// Nil if the host does not name them: WorldNet's published settings do not.
    public var currencies: [Currency]?
    /// The custom fields that payments and secure cards may have.
    public var customFields: [String]
    /// The most that one payment may be; nil if the host names no limit.
    public var maximumAmount: Money?

    /// Settings as a host's client takes them from the host's answer.
    public init(
        merchantName: String, terminalID: String, currencies: [Currency]? = nil, customFields: [String] = [], maximumAmount: Money? = nil
    ) {
        self.merchantName = merchantName
        self.terminalID = terminalID
        self.currencies = currencies
        self.customFields = customFields
        self.maximumAmount = maximumAmount
    }
}
