import CardPresent

struct StrangersHost: PaymentHost {
    private let down = HostError(.unreachable, "down")

    func settings() async throws(HostError) -> HostSettings { throw down }
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse { throw down }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw down }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw down }
    func advise(_ advice: Advice) async throws(HostError) { throw down }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { throw down }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page { throw down }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard { throw down }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard { throw down }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard { throw down }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw down
    }
}

actor StrangersJournal: TransactionJournal {
    func insert(_ entry: JournalEntry) async throws(JournalError) {}
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {}
    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? { nil }
    func openEntries() async throws(JournalError) -> [JournalEntry] { [] }
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] { [] }
    func count(date: Int64) async throws(JournalError) {}
    func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int { 0 }
    func takeSequenceCounter() async throws(JournalError) -> UInt32 { 1 }
    nonisolated func digest(of request: SecretBytes) -> [UInt8] { [] }
}

struct StrangersKey: JournalKeySource {
    func key() async throws -> SecretBytes { SecretBytes([UInt8](repeating: 0, count: 32)) }
}

/// A till whose amounts and order ids are variables.
func pay(_ terminal: Terminal, order: String, amount: String) async throws -> String {
    let response = try await terminal.processSale(Sale(orderID: order, amount: amount))
    return response.description
}

func observe(_ terminal: Terminal) async throws {
    await terminal.add(StrangersListener())
    try await terminal.connect(StrangersReader())
    try await terminal.connect(StrangersSlot())
    for await event in terminal.eventStream() { if case .failed(let error) = event.content { throw error } }
}
