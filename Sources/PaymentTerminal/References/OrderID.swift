/// What the integrator calls a transaction: unique on every call, 1 to 24 characters.
///
/// The host refuses one it has seen, so that a repeated request never charges twice.
public struct OrderID: Sendable, Hashable {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24)
        self.text = text
    }

    /// The order of an account verification, which the terminal makes itself: no sale's order begins this way by chance.
    init(verificationAt timestamp: Timestamp, sequenceCounter: UInt32) {
        text = "verify-\(timestamp.secondsSince1970)-\(sequenceCounter % 1_000_000)"
    }
}

extension OrderID: CustomStringConvertible {
    public var description: String { text }
}
