import Bytes
import CardCryptography
import SmartCard

/// GET CHALLENGE and VERIFY (EMV 4.4 Book 3, 6.5.6 and 6.5.12).
extension VirtualCard {
    func getChallenge(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard command.data.isEmpty else { throw Refusal(.wrongLength) }
        let challenge = random(8)
        session.challenge = challenge
        return challenge
    }

    /// P2 `80`: a plaintext PIN block; P2 `88` and `8A`: one enciphered under the card's RSA key,
    /// or under keys from a key agreement with its elliptic curve key (EMV 4.4 Book 3, table 24;
    /// Book 2, 7.2 and 13.3).
    func verify(_ command: CommandAPDU, challenge: [UInt8]?) throws(Refusal) -> [UInt8] {
        guard command.p1 == 0 else { throw Refusal(.incorrectP1P2) }
        guard let reference = state.pin, session.transaction != nil else { throw Refusal(.conditionsNotSatisfied) }
        guard pinTriesLeft > 0 else { throw Refusal(.authenticationMethodBlocked) }
        let entered: PIN
        switch command.p2 {
        case 0x80:
            guard command.data.count == 8 else { throw Refusal(.wrongLength) }
            guard let pin = try? PINBlock.format2.decode(SecretBytes(command.data)) else { throw Refusal(.wrongData) }
            entered = pin
        case 0x88, 0x8A:
            // Data that cannot be deciphered are refused with 6984 (Book 2, 7.2 and 13.3).
            guard let challenge, let pin = try decipher(command, challenge) else {
                throw Refusal(.referencedDataInvalidated)
            }
            entered = pin
        default: throw Refusal(.incorrectP1P2)
        }
        session.transaction?.pinPerformed = true
        session.transaction?.pinFailed = entered != reference
        guard entered == reference else {
            pinTriesLeft -= 1
            throw Refusal(.counter(pinTriesLeft))
        }
        pinTriesLeft = profile.pinTryLimit
        return []
    }

    /// The PIN, or nil if it cannot be deciphered.
    private func decipher(_ command: CommandAPDU, _ challenge: [UInt8]) throws(Refusal) -> PIN? {
        switch (command.p2, card.keys) {
        case (0x88, .rsa(let key, let pinKey)):
            let key = pinKey ?? key
            guard command.data.count == key.publicKey.modulus.count else { throw Refusal(.wrongLength) }
            return try? OfflinePINEncipherment.decipher(command.data, unpredictableNumber: challenge, key: key)
        case (0x8A, .ellipticCurve(_, _, let pinKey)):
            // There is one key agreement for each transaction.
            var decipherment = session.transaction?.pinDecipherment ?? ECPINDecipherment(key: pinKey)
            defer { session.transaction?.pinDecipherment = decipherment }
            return try? decipherment.decipher(command.data, unpredictableNumber: challenge)
        default: throw Refusal(.incorrectP1P2)
        }
    }
}
