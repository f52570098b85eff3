private import Bytes

/// The virtual terminal of a merchant (`MID`): 15 digits.
public struct MerchantID: Sendable, Hashable {
    public let text: String

    /// - Parameter text: 1 to 15 digits; a shorter one gets zeros in front, as `112` is
    ///   `000000000000112`. Nil for another text.
    public init?(_ text: String) {
        let digits = text.utf8.count
        guard (1...15).contains(digits), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.text = String(repeating: "0", count: max(0, 15 - digits)) + text
    }
}

extension MerchantID: CustomStringConvertible {
    public var description: String { text }
}

/// The merchant's id of an order (`OrderID`), 1 to 50 characters. The gateway refuses one that the
/// merchant has used before.
public struct IPGOrderID: Sendable, Hashable {
    public let text: String

    /// Nil for an empty text, one of more than 50 characters, and one with control characters.
    public init?(_ text: String) {
        guard (1...50).contains(text.unicodeScalars.count), !text.hasSteeringCharacters else { return nil }
        self.text = text
    }
}

extension IPGOrderID: CustomStringConvertible {
    public var description: String { text }
}

extension IPGOrderID: Codable {
    /// As its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = IPGOrderID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an order id of the gateway")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
