public import CardCapture

/// The rules of the bench host, in addition to the issuer's decisions.
public struct HostRules: Sendable {
    /// A limit of payments with one card.
    public struct Velocity: Sendable {
        public var count: Int
        /// The period before the payment, by the terminal's clock.
        public var seconds: Int64

        public init(count: Int, seconds: Int64) {
            self.count = count
            self.seconds = seconds
        }
    }

    /// Whether numbers that are not published test numbers are accepted.
    public var takesAnyCard = false
    /// How far a capture may exceed its pre-authorisation, in percent: room for a tip.
    public var tipAllowance: Int64 = 20
    /// The time in seconds within which two payments of the same amount with the same card count as
    /// duplicates; nil for a host without that check, on which a bench can sell the same thing again
    /// and again.
    public var duplicateWindow: Int64?
    /// Nil for no limit.
    public var velocity: Velocity?
    /// Whether a chip may begin again: a virtual card whose process ended has its first transaction
    /// counter once more. Taken is one of the first four, with an ARQC that was never seen; the
    /// counter goes on from there. Every other counter that does not increase is declined with 63.
    public var takesCardsThatBeganAgain = true
    /// Whether the amounts of ``HostFault`` cause failures.
    public var playsFaults = true
    /// Decrypts the tracks, or data objects, of readers that encrypt; nil refuses their cards.
    public var swipeKeys: SwipeDecryption?

    public init() {}
}
