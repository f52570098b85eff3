private import TLV

/// The settings of a terminal at its host. Their texts are on one line, whatever the host says.
public struct HostSettings: Sendable, Equatable, Codable {
    /// The merchant's name at the host.
    public var merchantName: String { didSet { merchantName = Masking.plain(merchantName) } }
    /// The terminal's id at the host: ISO 8583 field 41.
    public var terminalID: String { didSet { terminalID = Masking.plain(terminalID) } }
    /// Nil if the host does not return them, like WorldNet's published settings.
    public var currencies: [Currency]?
    /// The custom fields that payments and secure cards may have.
    public var customFields: [String]
    /// The maximum amount of one payment; nil if the host returns no limit.
    public var maximumAmount: Money?

    /// Settings, created by a host's client from the host's answer.
    public init(
        merchantName: String, terminalID: String, currencies: [Currency]? = nil, customFields: [String] = [],
        maximumAmount: Money? = nil
    ) {
        self.merchantName = Masking.plain(merchantName)
        self.terminalID = Masking.plain(terminalID)
        self.currencies = currencies
        self.customFields = customFields.map(Masking.plain)
        self.maximumAmount = maximumAmount
    }
}
