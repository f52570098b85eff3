import BenchHost
import Bytes
import CardCryptography

/// The access tokens that are good. They are lost when the server ends, as they may be at any time.
actor TokenStore {
    private var tokens: [String: (account: APIKeyAccount, expiry: ContinuousClock.Instant)] = [:]
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    init(lifetime: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.lifetime = lifetime
        self.now = now
    }

    /// Rounded up, as clients are told it.
    nonisolated var hours: Int { Int((lifetime.components.seconds + 3599) / 3600) }

    func issue(for account: APIKeyAccount) -> SecretBytes {
        let moment = now()
        tokens = tokens.filter { $0.value.expiry > moment }
        let token = SecureRandom.bytes(32).hex.lowercased()
        tokens[token] = (account, moment + lifetime)
        return SecretBytes(token.utf8)
    }

    func account(of token: String) -> APIKeyAccount? {
        guard let entry = tokens[token], entry.expiry > now() else { return nil }
        return entry.account
    }

    func revokeAll() { tokens = [:] }
}
