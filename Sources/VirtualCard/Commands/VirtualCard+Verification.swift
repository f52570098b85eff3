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

    /// P2 `80`: a plaintext PIN block; P2 `88`: one enciphered under the ICC public key (EMV 4.4 Book 3, table 24; Book 2, 7.2).
    func verify(_ command: CommandAPDU, challenge: [UInt8]?) throws(Refusal) -> [UInt8] {
        guard command.p1 == 0, command.p2 == 0x80 || command.p2 == 0x88 else { throw Refusal(.incorrectP1P2) }
        guard let reference = state.pin, session.transaction != nil else { throw Refusal(.conditionsNotSatisfied) }
        let isEnciphered = command.p2 == 0x88
        guard command.data.count == (isEnciphered ? card.iccKey.publicKey.modulus.count : 8) else { throw Refusal(.wrongLength) }
        guard pinTriesLeft > 0 else { throw Refusal(.authenticationMethodBlocked) }
        let entered: PIN
        do throws(PINBlockError) {
            if isEnciphered {
                guard let challenge else { throw .unpredictableNumber }
                entered = try OfflinePINEncipherment.decipher(command.data, unpredictableNumber: challenge, key: card.iccKey)
            } else {
                entered = try PINBlock.format2.decode(SecretBytes(command.data))
            }
        } catch {
            throw Refusal(.wrongData)
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
}
