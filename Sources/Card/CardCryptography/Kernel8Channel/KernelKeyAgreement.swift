package import Bytes

/// Blinded Diffie-Hellman, the kernel's side (EMV Contactless Book E, 7): the card answers with its
/// public key times a random factor, so that only holders of its certificate can recognise it, and
/// sends the factor encrypted.
package struct KernelKeyAgreement: Sendable {
    package let suite: EnciphermentSuite
    /// Tag `9E`, kernel key data: x ‖ y of the ephemeral key, each as long as a coordinate.
    package let kernelKeyData: [UInt8]
    private let scalar: SecretInteger

    /// A new ephemeral key from libcrypto's generator.
    package init(_ suite: EnciphermentSuite) { self.init(suite, scalar: suite.curve.group.randomScalar()) }

    /// A given key, for vectors.
    ///
    /// - Parameter scalar: As long as a coordinate.
    package init(_ suite: EnciphermentSuite, scalar: SecretBytes) throws(EllipticCurveError) {
        guard let number = suite.curve.group.scalar(scalar) else { throw .invalidPrivateKey }
        self.init(suite, scalar: number)
    }

    private init(_ suite: EnciphermentSuite, scalar: SecretInteger) {
        self.suite = suite
        self.scalar = scalar
        let point = suite.curve.group.basePoint(times: scalar)
        kernelKeyData = point.x + point.y
    }

    /// The channel, and the card's blinded key; nil if `cardKeyData` have a wrong length or are not
    /// a point of the curve.
    ///
    /// - Parameter cardKeyData: Tag `9F8103`: the blinded key's x ‖ the encrypted factor, each as
    ///   long as a coordinate.
    package func channel(cardKeyData: [UInt8]) -> (BlindedChannel, BlindedCardKey)? {
        let count = suite.curve.fieldCount
        guard cardKeyData.count == 2 * count else { return nil }
        let blindedX = Array(cardKeyData.prefix(count))
        guard let blinded = suite.curve.group.point(x: blindedX),
            let sharedX = suite.curve.group.multiply(blinded, by: scalar)
        else {
            return nil
        }
        var channel = BlindedChannel(sharedX: sharedX)
        guard let factor = channel.combineCardMessage(Array(cardKeyData.dropFirst(count))) else { return nil }
        return (channel, BlindedCardKey(suite: suite, x: blindedX, factor: factor))
    }
}

/// A card's blinded key, as known before its certificate is read.
package struct BlindedCardKey: Sendable {
    private let suite: EnciphermentSuite
    /// PC.
    private let x: [UInt8]
    /// r, as the card sent it.
    package let factor: [UInt8]

    fileprivate init(suite: EnciphermentSuite, x: [UInt8], factor: [UInt8]) {
        self.suite = suite
        self.x = x
        self.factor = factor
    }

    /// Whether it is `key` times the factor (EMV Contactless Book E, 7.3): the card then has the
    /// private key.
    package func isBlinded(_ key: ECPublicKey) -> Bool {
        guard key.curve == suite.curve, let number = suite.curve.group.scalar(SecretBytes(factor)),
            let product = suite.curve.group.multiply(key.point, by: number)
        else { return false }
        return constantTimeEqual(product.span, x.span)
    }
}

/// Blinded Diffie-Hellman, the card's side (EMV Contactless Book E, 7.1 and 7.2).
package enum CardKeyAgreement {
    /// The card's answer, and the channel; nil if the kernel's key is not a point of the curve, or
    /// `random` returns no factor in range.
    ///
    /// - Parameters:
    ///   - key: The card's key, on the curve of its certificate.
    ///   - kernelKeyData: Tag `9E`.
    ///   - random: Returns the requested number of random bytes.
    /// - Returns: Tag `9F8103`, and the channel after its first message.
    package static func answer(
        key: ECPrivateKey, kernelKeyData: [UInt8], random: (Int) -> [UInt8]
    ) -> (cardKeyData: [UInt8], channel: BlindedChannel)? {
        let (group, count) = (key.curve.group, key.curve.fieldCount)
        guard kernelKeyData.count == 2 * count,
            let kernelKey = group.point(
                x: Array(kernelKeyData.prefix(count)), y: Array(kernelKeyData.dropFirst(count))),
            let (bytes, factor) = blindingFactor(key.curve, random)
        else { return nil }
        // Factor and key as one scalar: the book multiplies each point twice.
        let scalar = factor.times(key.scalar, modulo: group.order)
        guard let sharedX = group.multiply(kernelKey, by: scalar) else { return nil }
        let blindedX = group.basePoint(times: scalar).x
        var channel = BlindedChannel(sharedX: sharedX)
        guard let enciphered = channel.combineCardMessage(bytes) else { return nil }
        return (blindedX + enciphered, channel)
    }

    /// r with 1 < r < n − 1: for P-521 the first seven bits are cleared. If the number is out of
    /// range, another is drawn.
    private static func blindingFactor(_ curve: EllipticCurve, _ random: (Int) -> [UInt8]) -> ([UInt8], SecretInteger)?
    {
        for _ in 0..<64 {
            var bytes = random(curve.fieldCount)
            if curve == .p521, let first = bytes.first { bytes[0] = first & 0x01 }
            if let number = curve.group.scalar(SecretBytes(bytes)) { return (bytes, number) }
        }
        return nil
    }
}
