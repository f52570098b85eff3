/// Why an RSA key or an operand is refused. No case carries key bytes.
public enum RSAError: Error, Equatable, Sendable {
    /// The modulus is empty, zero, one or even.
    case invalidModulus
    /// The modulus has `count` bytes, more than EMV's 248 (EMV 4.4 Book 2, B2.1 and table 43).
    case modulusTooLong(Int)
    /// The public exponent is neither 3 nor 2¹⁶ + 1 (EMV 4.4 Book 2, B2.1 and table 43).
    case unsupportedExponent
    /// An operand has `count` bytes, the modulus `modulusCount`.
    case lengthMismatch(count: Int, modulusCount: Int)
    /// The operand is not less than the modulus.
    case notBelowModulus
    /// A key of `bits` bits cannot be generated: only whole bytes, 512 to 1984 bits.
    case unsupportedModulusLength(bits: Int)
    /// The parts of a private key do not match.
    case invalidPrivateKey
}

extension RSAError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidModulus: "the RSA modulus is empty, zero, one or even"
        case .modulusTooLong(let count): "the RSA modulus has \(count) bytes, EMV allows 248"
        case .unsupportedExponent: "the RSA public exponent is neither 3 nor 65537"
        case .lengthMismatch(let count, let modulusCount): "\(count) bytes for an RSA modulus of \(modulusCount) bytes"
        case .notBelowModulus: "the RSA operand is not less than the modulus"
        case .unsupportedModulusLength(let bits): "an RSA modulus of \(bits) bits cannot be made"
        case .invalidPrivateKey: "the parts of the RSA private key do not belong together"
        }
    }
}
