import CardCapture

/// The recent payments of cards at this terminal, by keyed digests of their numbers (EMV 4.4 Book
/// 3, 10.6.1).
///
/// A payment that is undone later remains in it: the next payment with the card may then go online
/// unnecessarily.
struct CardHistory: Sendable {
    private struct Payment {
        let amount: UInt64
        let seconds: Int64
    }

    /// The maximum number of cards; those that paid last are kept.
    static let capacity = 1000
    private var payments: [[UInt8]: Payment] = [:]

    /// Adds an accepted payment, unless a later one of the card is known.
    mutating func note(_ entry: JournalEntry) {
        guard let digest = entry.cardDigest, let outcome = entry.response?.outcome, outcome.isTaken else { return }
        let seconds = entry.timestamp.secondsSince1970
        guard payments[digest].map({ $0.seconds <= seconds }) ?? true else { return }
        payments[digest] = Payment(amount: UInt64(clamping: entry.amount.minorUnits), seconds: seconds)
        guard payments.count > Self.capacity, let oldest = payments.min(by: { $0.value.seconds < $1.value.seconds })
        else { return }
        payments[oldest.key] = nil
    }

    /// In minor units; 0 for a card that has not paid since `seconds`.
    func amount(of digest: [UInt8], since seconds: Int64) -> UInt64 {
        guard let payment = payments[digest], payment.seconds >= seconds else { return 0 }
        return payment.amount
    }
}
