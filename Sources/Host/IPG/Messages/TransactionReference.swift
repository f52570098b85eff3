private import Bytes

/// The gateway's reference of a transaction (`IPG_Trnref`).
public struct TransactionReference: Sendable, Hashable {
    public let text: String

    /// Nil for an empty text, one of more than 64 characters, and one with control characters.
    public init?(_ text: String) {
        guard (1...64).contains(text.unicodeScalars.count), !text.hasSteeringCharacters else { return nil }
        self.text = text
    }
}

extension TransactionReference: CustomStringConvertible {
    public var description: String { text }
}

extension TransactionReference: Codable {
    /// As its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let reference = TransactionReference(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a transaction reference")
        }
        self = reference
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
