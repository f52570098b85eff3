import Bytes
import CardCryptography
import EMVKernel
import SmartCard

/// Enters the test cards' PIN, 1234, however often it is asked.
struct PINKnowingPad: PINPad {
    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry { .bypassed }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        let challenge = try await card.transmit(.getChallenge)
        guard challenge.status == .success, challenge.data.count == 8 else { return .noChallenge }
        guard let pin = PIN(ascii: "1234".utf8) else { return .failed }
        switch form {
        case .plaintext: return .failed
        case .enciphered(let key):
            guard let data = try? OfflinePINEncipherment.encipher(pin, unpredictableNumber: challenge.data, key: key)
            else {
                return .failed
            }
            return .answered(try await card.transmit(.verify(qualifier: 0x88, data)).status)
        case .encipheredByECC(let encipherment):
            guard let data = try? encipherment.encipher(pin, unpredictableNumber: challenge.data) else {
                return .failed
            }
            return .answered(try await card.transmit(.verify(qualifier: 0x8A, data)).status)
        }
    }
}
