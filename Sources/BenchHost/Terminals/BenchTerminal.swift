public import Bytes
public import PaymentTerminal

/// A terminal as the bench host has it.
public struct BenchTerminal: Sendable {
    public var settings: HostSettings
    /// Shared with the terminal, for the hashes of the XML interface. UTF-8.
    public var secret: SecretBytes

    public init(settings: HostSettings, secret: SecretBytes) {
        self.settings = settings
        self.secret = secret
    }
}

/// What an API key may do.
public struct APIKeyAccount: Sendable, Equatable {
    public let alias: String
    /// The terminals that it may speak for.
    public let terminals: [String]
}

/// A batch that was closed: what will be settled.
public struct ClosedBatch: Sendable, Equatable {
    public let number: Int64
    public let terminalID: String
    public let transactions: Int
    /// Sales and captures less refunds, by currency, in the order of the currencies' codes.
    public let totals: [Money]
}

/// A transaction with the answer that was given for it.
public struct BenchTransaction: Sendable {
    public let record: TransactionRecord
    public let answer: AuthorizationResponse
    /// Nil for a reversal that came before its order, up to version 4 of the vault.
    public let terminalID: String?
    /// What the cardholder signed on a screen or pad; nil if nothing has arrived.
    public let signature: Signature?

    init(_ order: StoredOrder) {
        record = order.record
        answer = order.response
        terminalID = order.terminalID
        signature = order.signature
    }
}
