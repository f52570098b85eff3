internal import Bytes
internal import Synchronization

/// Encipherment of a PIN for a card with an elliptic curve key: the terminal's side, for one
/// transaction (EMV 4.4 Book 2, 13.2): 7F ‖ PIN block (format 2, 8 bytes) ‖ ICC unpredictable
/// number (8), sealed under keys that both sides derive at the first PIN.
///
/// All tries of a PIN use the same keys, so use one object for all of them.
public final class ECPINEncipherment: Sendable {
    public let suite: EnciphermentSuite
    /// The card's key, from its certificate for offline data encipherment, tag 9F2D.
    public let cardKey: ECPublicKey
    private let agreement = Mutex<(terminalX: [UInt8], channel: SecureChannel)?>(nil)

    /// - Parameter cardKey: on the curve of `suite`.
    public init(suite: EnciphermentSuite, cardKey: ECPublicKey) {
        self.suite = suite
        self.cardKey = cardKey
    }

    /// The enciphered data for VERIFY: the terminal's x-coordinate ‖ ciphertext ‖ MAC, NFIELD + 25
    /// bytes.
    ///
    /// - Parameter unpredictableNumber: the card's answer to GET CHALLENGE, 8 bytes.
    public func encipher(_ pin: PIN, unpredictableNumber: [UInt8]) throws(PINBlockError) -> [UInt8] {
        guard unpredictableNumber.count == 8 else { throw .length(count: unpredictableNumber.count, expected: 8) }
        var message = try PINBlock.format2.encode(pin).withBytes { block in [0x7F] + block.indices.map { block[$0] } }
        message += unpredictableNumber
        defer { wipe(&message) }
        return try agreement.withLock { state throws(PINBlockError) in
            if state == nil { state = agree(unpredictableNumber) }
            guard let terminalX = state?.terminalX, let sealed = state?.channel.seal(message) else { throw .key }
            return terminalX + sealed
        }
    }

    private func agree(_ unpredictableNumber: [UInt8]) -> (terminalX: [UInt8], channel: SecureChannel)? {
        guard cardKey.curve == suite.curve else { return nil }
        let own = ECPrivateKey.ephemeral(suite.curve)
        guard let shared = suite.curve.group.multiply(cardKey.point, by: own.scalar) else { return nil }
        return (own.publicKey.x, SecureChannel(sharedX: shared, unpredictableNumber: unpredictableNumber))
    }
}

/// The card's side of ``ECPINEncipherment``, for one transaction (EMV 4.4 Book 2, 13.3).
public struct ECPINDecipherment: Sendable {
    private let key: ECPrivateKey
    private var agreement: (terminalX: [UInt8], channel: SecureChannel)?

    public init(key: ECPrivateKey) { self.key = key }

    /// The PIN in the data of VERIFY.
    ///
    /// - Parameter unpredictableNumber: the card's answer to the last GET CHALLENGE, 8 bytes.
    public mutating func decipher(_ data: [UInt8], unpredictableNumber: [UInt8]) throws(PINBlockError) -> PIN {
        let fieldCount = key.curve.fieldCount
        guard data.count >= fieldCount + 8 else { throw .length(count: data.count, expected: fieldCount + 25) }
        let terminalX = Array(data.prefix(fieldCount))
        if agreement?.terminalX != terminalX {
            guard let point = key.curve.group.point(x: terminalX),
                let shared = key.curve.group.multiply(point, by: key.scalar)
            else {
                throw .key
            }
            agreement = (terminalX, SecureChannel(sharedX: shared, unpredictableNumber: unpredictableNumber))
        }
        guard var message = agreement?.channel.open(Array(data.dropFirst(fieldCount))) else { throw .malformed }
        defer { wipe(&message) }
        guard message.count == 17 else { throw .malformed }
        guard constantTimeEqual(message.span.extracting(9..<17), unpredictableNumber.span) else {
            throw .unpredictableNumber
        }
        guard message[0] == 0x7F else { throw .malformed }
        return try PINBlock.format2.decode(SecretBytes(message[1..<9]))
    }
}
