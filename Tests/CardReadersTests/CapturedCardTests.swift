import Bytes
import CardCapture
import TLV
import Testing

@testable import EMVKernel

@Suite(.serialized) struct CapturedCardTests {
    /// What is handed on with the chip's data has no PAN, no track and no name in it; those lie in
    /// secrets of their own.
    @Test func chipDataHaveNoCardData() {
        var data = TransactionData()
        for tag in Redaction.sensitiveTags { data.card[tag] = [0x47, 0x61] }
        data.card[.applicationLabel] = Array("LABEL".utf8)
        #expect(data.merged.contains(.applicationPAN))
        #expect(Redaction.sensitiveTags.allSatisfy { !data.shareable.contains($0) })
        #expect(data.shareable.contains(.applicationLabel))
        data.wipe()
        #expect(data.merged.count == 0)
    }

    @Test func aCapturedCardPrintsItsMaskedNumberOnly() {
        let card = CapturedCard(
            entryMode: .chip, pan: SecretBytes("4761739001010119".utf8), expiry: "4912", cardholderName: "CANARY/NAME")
        var dumped = ""
        dump(card, to: &dumped)
        #expect("\(card)" == "chip, 476173******0119")
        #expect(!dumped.contains("CANARY"))
        #expect(!dumped.contains("4912"))
        #expect(!dumped.contains("4761739001010119"))
    }
}
