/// Why a certificate or signature cannot be made.
public enum IssuingError: Error, Equatable, Sendable {
    /// The signer's modulus of `modulusCount` bytes is too short for the format's fields.
    case modulusTooShort(modulusCount: Int)
    /// A field has `count` bytes instead of `expected`.
    case fieldLength(count: Int, expected: Int)
    /// The signature itself fails.
    case key(RSAError)
    /// The signer's key is on another curve than its suite.
    case curveKey(EllipticCurveError)
}

extension IssuingError {
    static func check(_ field: [UInt8], count: Int) throws(IssuingError) {
        guard field.count == count else { throw .fieldLength(count: field.count, expected: count) }
    }
}

extension IssuingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .modulusTooShort(let count): "the signer's modulus of \(count) bytes is too short for what it has to sign"
        case .fieldLength(let count, let expected): "a field has \(count) bytes and not \(expected)"
        case .key(let error): "\(error)"
        case .curveKey(let error): "\(error)"
        }
    }
}
