public import Bytes
public import CardCapture
import CardCryptography
public import PaymentTerminal
import Synchronization

extension BenchHost {
    /// Adds a terminal, or changes the one with the same id.
    public func save(_ terminal: BenchTerminal) async throws(HostError) {
        try await transaction { try $0.save(terminal) }
        knownTerminals.withLock { $0[terminal.settings.terminalID] = terminal }
    }

    public func terminal(_ terminalID: String) async throws(HostError) -> BenchTerminal? {
        if let known = knownTerminals.withLock({ $0[terminalID] }) { return known }
        let terminal = try await transaction { try $0.terminal(terminalID) }
        if let terminal { knownTerminals.withLock { $0[terminalID] = terminal } }
        return terminal
    }

    func settings(of terminalID: String) async throws(HostError) -> HostSettings {
        try await terminal(terminalID)?.settings ?? hostSettings
    }

    public func terminals() async throws(HostError) -> [BenchTerminal] {
        try await transaction { try $0.terminals() }
    }

    /// Creates an API key, replacing the one with the same alias.
    ///
    /// - Returns: the key, 64 hexadecimal digits. It is returned only once; the vault keeps a hash.
    public func makeAPIKey(alias: String, terminals: [String]) async throws(HostError) -> SecretBytes {
        let key = SecretBytes(SecureRandom.bytes(32).hex.lowercased().utf8)
        try await transaction { try $0.saveAPIKey(key, alias: alias, terminals: terminals) }
        return key
    }

    /// The permissions of the key; nil for an unknown key.
    public func account(of key: SecretBytes) async throws(HostError) -> APIKeyAccount? {
        try await transaction { try $0.account(of: key) }
    }

    /// Closes the terminal's open batch: its approved sales, captures and refunds are settled and
    /// can no longer be reversed.
    ///
    /// - Returns: Nil if there was nothing to settle.
    public func closeBatch(of terminalID: String, at moment: Timestamp) async throws(HostError) -> ClosedBatch? {
        try await transaction { try $0.closeBatch(of: terminalID, at: moment) }
    }

    /// The transactions of one terminal that match the query.
    public func transactions(_ query: TransactionQuery, of terminalID: String) async throws(HostError)
        -> TransactionQuery.Page
    {
        try await transaction { try $0.transactions(query, terminalID: terminalID) }
    }

    /// The transaction with the host's reference.
    public func transaction(_ uniqueReference: String) async throws(HostError) -> BenchTransaction? {
        try await transaction { try $0.order(uniqueReference: uniqueReference).map { BenchTransaction($0) } }
    }

    /// The transaction with the merchant's order id.
    ///
    /// - Parameter terminals: nil for all of them. An order of another is unknown.
    /// - Throws: ``PaymentTerminal/HostError/Refusal/notAllowed`` if several of them have an order
    ///   with this id.
    public func transaction(of orderID: OrderID, for terminals: [String]? = nil) async throws(HostError)
        -> BenchTransaction?
    {
        try await transaction { try $0.order(orderID, of: terminals).map { BenchTransaction($0) } }
    }

    /// Deletes everything that is no longer needed: settled, declined, reversed, voided and
    /// captured orders from before `moment`, and the marks of deleted cards.
    ///
    /// - Returns: The number of deleted orders.
    public func purge(before moment: Int64) async throws(HostError) -> Int {
        try await transaction { try $0.purge(before: moment) }
    }
}
