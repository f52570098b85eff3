import Synchronization

/// Counts the actions of each sender, and detects senders that exceed the rate.
package final class RateLimit: Sendable {
    /// The maximum number of senders; the one that was inactive for longest is removed first.
    package static let capacity = 1024

    private struct Account {
        var left: Double
        var seen: ContinuousClock.Instant
    }

    private let rate: ServerLimits.Rate?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[String: Account]>([:])

    /// - Parameter rate: nil for no limit.
    package init(_ rate: ServerLimits.Rate?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.rate = rate
        self.now = now
    }

    /// Counts one action; returns whether it is within the limit. What is left is looked at and
    /// taken in one step, so that actions at once are within it together.
    package func count(_ sender: String) -> Bool {
        guard let rate else { return true }
        return accounts.withLock { accounts in
            var account = Self.account(accounts[sender], at: now(), rate)
            let isWithin = account.left >= 1
            account.left -= isWithin ? 1 : 0
            if accounts.count >= Self.capacity, accounts[sender] == nil,
                let quietest = accounts.min(by: { $0.value.seen < $1.value.seen })
            {
                accounts[quietest.key] = nil
            }
            accounts[sender] = account
            return isWithin
        }
    }

    /// The sender's account, refilled up to this moment.
    private static func account(_ known: Account?, at moment: ContinuousClock.Instant, _ rate: ServerLimits.Rate)
        -> Account
    {
        let burst = Double(rate.burst)
        guard let known else { return Account(left: burst, seen: moment) }
        // Senders at once may ask for the time in another order than they take the lock.
        let seconds = max(0, (moment - known.seen) / .seconds(1))
        return Account(left: min(burst, known.left + seconds * rate.perSecond), seen: max(moment, known.seen))
    }
}
