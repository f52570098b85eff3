import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Foundation
import KernelDoubles
import SmartCard
import TLV
import Testing

/// The public captures of Visa cards: commands as the kernel builds them, signatures as it checks
/// them.
@Suite struct RecordedCardTests {
    private func authorities() throws -> [CAPublicKey] {
        let keys = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Vectors/keys/ca-test-keys.tsv")
        return try CAPublicKeyFile.parse(String(contentsOf: keys, encoding: .utf8))
    }

    /// `Vectors/contactless/visa-qvsdc-fdda01.apdu` and its terminal.
    private func offlineTap() throws -> Tap {
        var tap = Tap()
        tap.qualifiers = [.emvMode, .onlinePIN, .consumerDeviceCVM]
        tap.limits = TransactionLimits()
        tap.request = TransactionRequest(
            amount: 2_00, currencyCode: 840, date: [0x19, 0x08, 0x19], time: [0x12, 0x00, 0x00])
        tap.terminal.countryCode = 840
        tap.terminal.caKeys = try authorities()
        tap.environment.number = [0xAB, 0xAB, 0xAB, 0xAB]
        return tap
    }

    @Test func offlineWithFastDDA() throws {
        let exchanges = try RecordedCard.read("visa-qvsdc-fdda01.apdu")
        let run = try offlineTap().run(RecordedCard.card(exchanges))
        #expect(run.sent == exchanges.map(\.command))
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.outcome.reason == nil)
        #expect(run.shown.last?.message == .approved)
        #expect(run.outcome.data?[.applicationCryptogram]?.hex == "20261203C3227D26")
    }

    /// The signature covers unpredictable number, amount and currency; another value of one fails
    /// it.
    @Test(arguments: [(2_01 as UInt64, 840 as UInt16, "ABABABAB"), (2_00, 978, "ABABABAB"), (2_00, 840, "ABABABAC")])
    func theSignatureIsForThisTransaction(amount: UInt64, currency: UInt16, number: String) throws {
        var exchanges = try RecordedCard.read("visa-qvsdc-fdda01.apdu")
        exchanges[2].command = "80A8"
        var tap = try offlineTap()
        tap.request.amount = amount
        tap.request.currencyCode = currency
        tap.environment.number = try [UInt8](hex: number)
        let run = try tap.run(RecordedCard.card(exchanges))
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .dataAuthentication(.signature(.hash)))
    }

    @Test func everyByteOfWhatIsSignedCounts() throws {
        let exchanges = try RecordedCard.read("visa-qvsdc-fdda01.apdu")
        let related = "9F69050169C16C99"
        for position in stride(from: 8, to: related.count, by: 2) {
            var changed = exchanges
            let start = related.index(related.startIndex, offsetBy: position)
            let end = related.index(start, offsetBy: 2)
            let byte = try #require(UInt8(related[start..<end], radix: 16))
            let other = related.replacingCharacters(in: start..<end, with: [byte ^ 0x01].hex)
            changed[5].answer = changed[5].answer.replacing(related, with: other)
            let run = try offlineTap().run(RecordedCard.card(changed))
            #expect(run.outcome.status == .declined, "byte \(position / 2)")
        }
    }

    @Test("Version 00 signs neither amount nor CTQ: it is refused") func olderVersion() throws {
        var exchanges = try RecordedCard.read("visa-qvsdc-fdda01.apdu")
        exchanges[5].answer = exchanges[5].answer.replacing("9F690501", with: "9F690500")
        let run = try offlineTap().run(RecordedCard.card(exchanges))
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .dataAuthenticationVersion)
    }

    @Test func withoutTheAuthoritysKeyNothingIsApproved() throws {
        var tap = try offlineTap()
        tap.terminal.caKeys.removeAll { $0.index == 0x92 }
        let run = try tap.run(RecordedCard.card(try RecordedCard.read("visa-qvsdc-fdda01.apdu")))
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .dataAuthentication(.unknownCAKey(rid: Array(visaAID.prefix(5)), index: 0x92)))
    }

    /// `Vectors/contactless/visa-qvsdc-online.apdu`: no key and no signature, so that only commands
    /// and decisions are checked.
    @Test func onlineWithPIN() throws {
        let exchanges = try RecordedCard.read("visa-qvsdc-online.apdu")
        var tap = Tap()
        tap.qualifiers = [.emvMode, .onlinePIN, .consumerDeviceCVM]
        tap.limits = TransactionLimits(floorLimit: 0, cvmRequiredLimit: 0)
        tap.request = TransactionRequest(
            amount: 90_00, currencyCode: 840, date: [0x20, 0x03, 0x16], time: [0x12, 0x00, 0x00])
        tap.terminal.countryCode = 840
        tap.environment.number = [0xAB, 0xAB, 0xAB, 0xAB]
        let run = try tap.run(RecordedCard.card(exchanges))
        #expect(run.sent == exchanges.map(\.command))
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .onlinePIN)
        #expect(run.outcome.start == nil)
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .authorizing])
    }
}
