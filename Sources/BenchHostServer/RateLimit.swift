import Synchronization

/// Counts the actions of each sender, and detects senders that exceed the rate.
final class RateLimit: Sendable {
    /// The maximum number of senders; the one that was inactive for longest is removed first.
    static let capacity = 1024

    private struct Account {
        var left: Double
        var seen: ContinuousClock.Instant
    }

    private let rate: ServerLimits.Rate?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[String: Account]>([:])

    /// - Parameter rate: nil for no limit.
    init(_ rate: ServerLimits.Rate?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.rate = rate
        self.now = now
    }

    /// Whether the sender is within the limit; does not count.
    func hasRoom(for sender: String) -> Bool { account(of: sender).map { $0.left >= 1 } ?? true }

    /// Counts one action; returns whether it is within the limit.
    @discardableResult
    func count(_ sender: String) -> Bool {
        guard var account = account(of: sender) else { return true }
        let isWithin = account.left >= 1
        account.left -= isWithin ? 1 : 0
        accounts.withLock { accounts in
            if accounts.count >= Self.capacity, accounts[sender] == nil,
                let quietest = accounts.min(by: { $0.value.seen < $1.value.seen })
            {
                accounts[quietest.key] = nil
            }
            accounts[sender] = account
        }
        return isWithin
    }

    /// The sender's account, refilled up to now; nil if there is no limit.
    private func account(of sender: String) -> Account? {
        guard let rate else { return nil }
        let moment = now()
        let burst = Double(rate.burst)
        guard let known = accounts.withLock({ $0[sender] }) else { return Account(left: burst, seen: moment) }
        let seconds = (moment - known.seen) / .seconds(1)
        return Account(left: min(burst, known.left + seconds * rate.perSecond), seen: moment)
    }
}
