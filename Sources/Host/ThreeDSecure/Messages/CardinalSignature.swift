internal import Bytes
internal import CardCryptography

/// The hash of a message's signature (`Algorithm`).
public enum CardinalAlgorithm: String, Sendable, Hashable, CaseIterable {
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"
}

extension CardinalAccount {
    /// How far in the past messages are dated, in milliseconds: with the exact time a lookup fails
    /// now and then.
    static let timestampOffset: Int64 = 10_000

    /// The signature of a message: base64 of the hash over the timestamp and the API key.
    ///
    /// - Parameter timestamp: 13 digits, milliseconds since 1970.
    package func signature(timestamp: String, _ algorithm: CardinalAlgorithm) -> String {
        var input = key.revealed()
        defer { wipe(&input) }
        let stamp = Array(timestamp.utf8)
        return switch algorithm {
        case .sha256: SHA256.hash(stamp, input).text(in: .standard)
        case .sha512: SHA512.hash(stamp, input).text(in: .standard)
        }
    }
}
