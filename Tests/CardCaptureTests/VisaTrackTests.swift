import Bytes
import CardCapture
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Virtual Visa cards in mag-stripe mode, at a reader that takes it. The codes are computed with
/// openssl, under the card's key by option A of EMV 4.4 Book 2 and sequence number 00, from the
/// profile's issuer key.
@Suite("Tracks of Visa cards") struct VisaTrackTests {
    private func bench(_ change: (inout VisaContactlessProfile) -> Void = { _ in }) throws -> TapBench {
        var bench = try TapBench.visa {
            $0.mode = .magstripe
            change(&$0)
        }
        bench.takesVisaTracks = true
        return bench
    }

    @Test("The host is sent a track with a new code at each tap, by entry mode 91") func track() async throws {
        let bench = try bench()
        for (counter, code) in [("0001", "995"), ("0002", "341")] {
            let run = try await bench.run()
            #expect(run.outcome.decision == .approvedOnline)
            #expect(run.commands.suffix(2) == ["80A80000", "00B2010C"])
            let card = try #require(run.asked.first)
            #expect(card.entryMode == .contactlessStripe)
            #expect(card.entryMode.rawValue == "91")
            #expect(card.chip == nil)
            #expect(card.maskedPAN == "476173******0119")
            #expect(card.expiry == "4912")
            #expect(card.cardholderName == "TEST/CARDHOLDER")
            #expect(card.track1 == nil)
            let track = String(decoding: try #require(card.track2).revealed(), as: UTF8.self)
            #expect(track == "4761739001010119=4912201\(counter)\(code)0")
        }
    }

    @Test("The issuer's decline is the end") func declined() async throws {
        var bench = try bench()
        bench.answer = .answered(.init(responseCode: "05"))
        let run = try await bench.run()
        #expect(run.outcome.decision == .declinedOnline)
        #expect(run.asked.count == 1)
    }

    @Test("A reader without mag-stripe mode is refused by the card") func notTaken() async throws {
        var bench = try bench()
        bench.takesVisaTracks = false
        let run = try await bench.run()
        #expect(run.asked.isEmpty)
        #expect(run.commands.last == "80A80000")
    }

    @Test("A card of qVSDC gives its cryptogram to such a reader, too") func qualifiedCard() async throws {
        let run = try await bench { $0.mode = .emv }.run()
        #expect(run.outcome.decision == .approvedOffline)
        var online = try bench { $0.mode = .emv }
        online.request.amount = 30_00
        #expect(try await online.run().asked.first?.entryMode == .contactlessChip)
    }

    @Test("Only the record of this tap can be read") func records() async throws {
        let bench = try bench()
        _ = try await bench.card.transmit(.select([0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]))
        #expect(try await bench.card.transmit(.readRecord(1, sfi: 1)).status != .success)
    }
}
