internal import FormDocument

/// A callback that is to be sent: what an outbox carries. It has no secret and no signature, which
/// each try makes for its own time.
public struct Callback: Sendable, Equatable, Codable {
    /// Of one change of one transaction: an outbox sends it once.
    public let key: String
    /// A valid ``CallbackAddress``.
    public let url: String
    /// The form, at most 64 KiB.
    public let body: [UInt8]

    /// Of the header `Content-Type`.
    public static let contentType = "application/x-www-form-urlencoded"

    /// - Parameter change: The number of the change of the transaction's state, from 0 for its first
    ///   state on.
    public init(_ fields: CallbackFields, change: Int, to address: CallbackAddress) {
        key = "callback \(fields.row.id) \(change)"
        url = address.url
        body = fields.form.body
    }

    /// How often a callback is tried at most.
    public static let maximumAttempts = 12

    /// The seconds until the next try; nil after the last one. 10 s, twice as long each time, an
    /// hour at most: 12,310 s in all.
    ///
    /// - Parameter failed: How many tries have failed.
    public static func delay(after failed: Int) -> Int64? {
        guard failed < maximumAttempts else { return nil }
        return failed < 1 ? 0 : min(3600, 10 << Int64(min(failed - 1, 9)))
    }

    /// What an answer says. Anything but 2xx is a failure, also a redirection: it could lead into
    /// the sender's own network.
    public static func isDelivered(status: Int) -> Bool { (200...299).contains(status) }
}
