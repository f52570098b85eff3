public import Bytes
public import PaymentTerminal

/// A terminal of the bench host.
public struct BenchTerminal: Sendable {
    public var settings: HostSettings
    /// Shared with the terminal, for the hashes of the XML interface. UTF-8.
    public var secret: SecretBytes
    /// Whether the hash of its payments over XML covers the currency.
    public var hashCoversCurrency: Bool

    public init(settings: HostSettings, secret: SecretBytes, hashCoversCurrency: Bool = false) {
        self.settings = settings
        self.secret = secret
        self.hashCoversCurrency = hashCoversCurrency
    }
}

/// The permissions of an API key.
public struct APIKeyAccount: Sendable, Equatable {
    public let alias: String
    /// The terminals that it may act for.
    public let terminals: [String]
}

/// A closed batch with the amounts to settle.
public struct ClosedBatch: Sendable, Equatable {
    public let number: Int64
    public let terminalID: String
    public let transactions: Int
    /// Sales and captures less refunds, by currency, in the order of the currencies' codes.
    public let totals: [Money]
}

/// A transaction with its original answer.
public struct BenchTransaction: Sendable {
    public let record: TransactionRecord
    public let answer: AuthorizationResponse
    public let terminalID: String
    /// The cardholder's signature on a screen or pad; nil if none has arrived.
    public let signature: Signature?

    init(_ order: StoredOrder) {
        record = order.record
        answer = order.response
        terminalID = order.terminalID
        signature = order.signature
    }
}
