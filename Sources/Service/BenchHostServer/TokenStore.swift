import BenchHost
import Bytes
import CardCryptography

/// The valid access tokens. They are lost when the server ends; clients must expect that at any
/// time.
actor TokenStore {
    private struct Entry {
        let account: APIKeyAccount
        let expiry: ContinuousClock.Instant
    }

    private var tokens: [String: Entry] = [:]
    private let lifetime: Duration
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter limit: the maximum for one API key; a new token replaces the oldest.
    init(lifetime: Duration, limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.lifetime = lifetime
        self.limit = limit
        self.now = now
    }

    /// Rounded up, as reported to clients.
    nonisolated var hours: Int { Int(clamping: (lifetime.components.seconds + 3599) / 3600) }

    func issue(for account: APIKeyAccount) -> SecretBytes {
        let moment = now()
        tokens = tokens.filter { $0.value.expiry > moment }
        // All have the same lifetime, so the first to expire is the oldest.
        let own = tokens.filter { $0.value.account.alias == account.alias }.sorted { $0.value.expiry < $1.value.expiry }
        for (token, _) in own.dropLast(max(0, limit - 1)) { tokens[token] = nil }
        let token = SecureRandom.bytes(32).hex.lowercased()
        tokens[token] = Entry(account: account, expiry: moment + lifetime)
        return SecretBytes(token.utf8)
    }

    func account(of token: String) -> APIKeyAccount? {
        guard let entry = tokens[token], entry.expiry > now() else { return nil }
        return entry.account
    }

    func revokeAll() { tokens = [:] }
}
