/// Why a cryptogram cannot be computed.
public enum CryptogramError: Error, Equatable, Sendable {
    /// A field has `count` bytes instead of `expected`.
    case fieldLength(count: Int, expected: Int)
    /// The proprietary authentication data have `count` bytes; 0 to 8 are allowed (EMV 4.4 Book 2,
    /// 8.2.2).
    case proprietaryDataLength(Int)
    /// The derivation is for the other block cipher.
    case cipher
    /// The issuer application data ends before the fields that the cryptogram version
    /// authenticates.
    case issuerApplicationDataTooShort
}

extension CryptogramError {
    static func check(_ field: [UInt8], count: Int) throws(CryptogramError) {
        guard field.count == count else { throw .fieldLength(count: field.count, expected: count) }
    }
}

extension CryptogramError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fieldLength(let count, let expected): "a field of the cryptogram has \(count) bytes and not \(expected)"
        case .proprietaryDataLength(let count): "the proprietary authentication data have \(count) bytes: 0 to 8 are allowed"
        case .cipher: "the derivation is for the other block cipher"
        case .issuerApplicationDataTooShort:
            "the issuer application data end before the fields that this cryptogram version authenticates"
        }
    }
}
