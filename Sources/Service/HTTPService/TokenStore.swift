package import Bytes
import CardCryptography

/// The valid access tokens. They are lost when the server ends; clients must expect that at any
/// time.
package actor TokenStore<Account: Sendable> {
    private struct Entry {
        let account: Account
        let key: String
        let expiry: ContinuousClock.Instant
    }

    private var tokens: [String: Entry] = [:]
    private let lifetime: Duration
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter limit: the maximum for one API key; a new token replaces the oldest.
    package init(lifetime: Duration, limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.lifetime = lifetime
        self.limit = limit
        self.now = now
    }

    /// Rounded up, as reported to clients.
    package nonisolated var hours: Int { Int(clamping: (lifetime.components.seconds + 3599) / 3600) }

    /// - Parameter key: The name of the API key that the account belongs to.
    package func issue(for account: Account, of key: String) -> SecretBytes {
        let moment = now()
        tokens = tokens.filter { $0.value.expiry > moment }
        // All have the same lifetime, so the first to expire is the oldest.
        let own = tokens.filter { $0.value.key == key }.sorted { $0.value.expiry < $1.value.expiry }
        for (token, _) in own.dropLast(max(0, limit - 1)) { tokens[token] = nil }
        let token = SecureRandom.bytes(32).hex.lowercased()
        tokens[token] = Entry(account: account, key: key, expiry: moment + lifetime)
        return SecretBytes(token.utf8)
    }

    package func account(of token: String) -> Account? {
        guard let entry = tokens[token], entry.expiry > now() else { return nil }
        return entry.account
    }

    package func revokeAll() { tokens = [:] }
}
