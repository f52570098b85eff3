import Bytes
import Testing

@testable import CardCapture

@Suite struct SwipeOutcomeTests {
    @Test("A58: a swipe is signed unless a PIN was entered, and a declined one is not", arguments: [true, false])
    func signature(_ hasPIN: Bool) async {
        var card = CapturedCard(entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
        if hasPIN { card.pin = EncipheredPINBlock(format: .iso0, block: [1, 2, 3, 4, 5, 6, 7, 8], ksn: [9]) }
        let request = CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1)
        for (answer, isSigned) in [
            (IssuerAnswer.answered(.init(responseCode: "00")), !hasPIN), (.answered(.init(responseCode: "05")), false),
            (.unreachable, !hasPIN),
        ] {
            #expect(await CaptureOutcome.decided(card, request) { _ in answer }.requiresSignature == isSigned)
        }
    }
}
