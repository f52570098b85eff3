internal import Bytes

/// EC-SDSA, Schnorr's signature on a curve, in the form that hashes the x-coordinate only (EMV 4.4
/// Book 2, A2.2; ISO/IEC 14888-3): a hash r and a number s, NHASH + NFIELD bytes.
extension SignatureSuite {
    /// - Parameter key: A key on the suite's curve.
    public func sign(_ message: [UInt8], by key: ECPrivateKey) throws(EllipticCurveError) -> [UInt8] {
        try sign(message, by: key, nonce: curve.group.randomScalar())
    }

    /// - Parameter nonce: k. It must be secret, and different for each signature.
    func sign(_ message: [UInt8], by key: ECPrivateKey, nonce: SecretInteger) throws(EllipticCurveError) -> [UInt8] {
        guard key.curve == curve else { throw .lengthMismatch(count: key.curve.fieldCount, expected: curve.fieldCount) }
        let group = curve.group
        let r = hash(group.basePoint(times: nonce).x, message)
        let s = nonce.plus(SecretInteger(r), times: key.scalar, modulo: group.order)
        return r + s.bytes(count: group.fieldCount)
    }

    /// Whether `signature` is valid for `key` and `message`; false for another length or curve.
    public func isValid(_ signature: [UInt8], on message: [UInt8], by key: ECPublicKey) -> Bool {
        guard signature.count == signatureCount, key.curve == curve else { return false }
        let group = curve.group
        let r = Array(signature.prefix(digest.count))
        let s = SecretInteger(Array(signature.dropFirst(digest.count)))
        let reduced = SecretInteger(r).modulo(group.order)
        guard !reduced.isZero, !s.isZero, s.isBelow(group.order) else { return false }
        // s·G − r·P; the order minus r is the same scalar as −r.
        guard let x = group.combine(base: s, key.point, group.order.minus(reduced)) else { return false }
        return constantTimeEqual(hash(x, message).span, r.span)
    }
}
