public import CardCapture

/// What the bench host allows, beside what its issuer decides.
public struct HostRules: Sendable {
    /// A limit of payments with one card.
    public struct Velocity: Sendable {
        public var count: Int
        /// Looked back at, by the terminal's clock.
        public var seconds: Int64

        public init(count: Int, seconds: Int64) {
            self.count = count
            self.seconds = seconds
        }
    }

    /// Also numbers that are not published for tests.
    public var takesAnyCard = false
    /// How much more than it set aside a pre-authorisation may be captured for, in percent: room for the tip.
    public var tipAllowance: Int64 = 20
    /// How close together, in seconds, two payments of the same amount with the same card look like one taken twice.
    public var duplicateWindow: Int64 = 300
    /// Nil for no limit.
    public var velocity: Velocity?
    /// Whether the amounts of ``HostFault`` make the host fail.
    public var playsFaults = true
    /// Opens the tracks of readers that encipher; nil refuses their cards.
    public var swipeKeys: SwipeDecryption?

    public init() {}
}
