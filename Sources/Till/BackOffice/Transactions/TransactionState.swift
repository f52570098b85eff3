/// The state of a transaction in a back office, by the name in its queries and statistics.
public enum TransactionState: String, Sendable, Hashable, Codable, CaseIterable {
    case approved, pending, refunded, rejected, reversed, new, authorized
    case preAuthorized = "preauthorized"
    case bookedBack = "bookbacked"
    case chargedBack = "chargebacked"
    case canceled

    /// Whether the merchant has the money: what a turnover adds up.
    public var isTurnover: Bool { self == .approved }
}

/// What a transaction asks for.
public enum TransactionKind: String, Sendable, Hashable, Codable, CaseIterable {
    case purchase, authorize
    case preAuthorize = "preauthorize"
    case sepa
}
