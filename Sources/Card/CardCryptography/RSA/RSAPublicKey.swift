/// An RSA public key as EMV uses it: the bare operation x ↦ xᵉ mod n, without padding (EMV 4.4 Book
/// 2, A2.1 and B2.1).
public struct RSAPublicKey: Sendable, Equatable {
    /// The modulus n, most significant byte first, at most 248 bytes.
    public let modulus: [UInt8]
    /// The exponent e, most significant byte first, of value 3 or 2¹⁶ + 1, as long as it was given:
    /// certificates hash it so.
    public let exponent: [UInt8]
    private let exponentValue: ModularPower.Exponent
    /// Set for a key that many cards' certificates are recovered with.
    private var lasting: LastingModulus?

    /// The longest modulus of EMV 4.4 Book 2, B2.1: 1984 bits.
    public static let maximumModulusCount = 248

    public init(modulus: [UInt8], exponent: [UInt8]) throws(RSAError) {
        guard modulus.count <= RSAPublicKey.maximumModulusCount else { throw .modulusTooLong(modulus.count) }
        guard let last = modulus.last, last & 1 == 1, last > 1 || modulus.dropLast().contains(where: { $0 != 0 }) else {
            throw .invalidModulus
        }
        switch Array(exponent.drop { $0 == 0 }) {
        case [3]: exponentValue = .three
        case [1, 0, 1]: exponentValue = .f4
        default: throw .unsupportedExponent
        }
        self.modulus = modulus
        self.exponent = exponent
    }

    /// The same key, to be used for many signatures: what can be worked out once for all of them is
    /// kept.
    package var kept: RSAPublicKey {
        var key = self
        key.lasting = lasting ?? LastingModulus()
        return key
    }

    public static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
        left.modulus == right.modulus && left.exponent == right.exponent
    }

    /// The block that `signature`, a number below the modulus and as long, was made from. As long
    /// as the modulus.
    public func recover(_ signature: Span<UInt8>) throws(RSAError) -> [UInt8] {
        try recover(signature, isSecret: false)
    }

    /// - Parameter isSecret: Whether the block must not stay in memory.
    func recover(_ signature: Span<UInt8>, isSecret: Bool) throws(RSAError) -> [UInt8] {
        try power(signature, isSecret: isSecret)
    }

    private func power(_ signature: Span<UInt8>, isSecret: Bool) throws(RSAError) -> [UInt8] {
        guard signature.count == modulus.count else {
            throw .lengthMismatch(count: signature.count, modulusCount: modulus.count)
        }
        guard signature.isBelow(modulus.span) else { throw .notBelowModulus }
        return ModularPower.compute(
            signature, exponentValue, modulus: modulus.span, isSecret: isSecret, form: lasting?.form(modulus.span))
    }

    /// The block that `signature` was made from.
    public func recover(_ signature: [UInt8]) throws(RSAError) -> [UInt8] {
        try recover(signature.span)
    }

    /// The same operation in its other use, enciphering for the holder of the private key (EMV 4.4
    /// Book 2, 7.2).
    public func encipher(_ block: [UInt8]) throws(RSAError) -> [UInt8] {
        try power(block.span, isSecret: true)
    }
}

extension Span<UInt8> {
    /// Whether this number is less than `other`, of the same length, both most significant byte
    /// first.
    func isBelow(_ other: Span<UInt8>) -> Bool {
        for index in indices where self[index] != other[index] { return self[index] < other[index] }
        return false
    }
}

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
