private import Bytes
private import TLV

/// The name of a delivery, chosen by who puts it: `receipt sale-17 mail`. Put again under the same
/// key, it is still delivered once.
///
/// It is stored in clear: 1 to 100 printable characters, no card number.
public struct DeliveryKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) throws(OutboxError) {
        guard (1...100).contains(text.unicodeScalars.count), !text.hasSteeringCharacters,
            !CardNumberScan.containsCardNumber(text)
        else { throw .invalidKey }
        self.text = text
    }

    public var description: String { text }
}

/// Why an outbox refuses. The texts have one line each, with the cure.
public enum OutboxError: Error, Sendable, Equatable {
    case invalidKey
    /// Another payload or kind was put under the key.
    case keyTaken
    /// In bytes, at most ``Outbox/maximumPayload``.
    case payloadTooLarge
    /// ``Outbox/maximumOpen`` deliveries are open.
    case full
    case notFound
    /// The delivery is being tried, has ended, or waits for a later time.
    case notDue
    /// The attempt is not in progress: it has ended, or another one has begun.
    case notAttempted
}

extension OutboxError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidKey: "a key has 1 to 100 printable characters, and no card number"
        case .keyTaken: "another delivery has this key: give each its own"
        case .payloadTooLarge: "a delivery has at most \(Outbox.maximumPayload >> 10) KiB: leave something out"
        case .full: "\(Outbox.maximumOpen) deliveries are open: find out why none of them ends"
        case .notFound: "no delivery has this key"
        case .notDue: "the delivery is being tried, has ended, or waits for a later time"
        case .notAttempted: "this attempt is not in progress any more"
        }
    }
}
