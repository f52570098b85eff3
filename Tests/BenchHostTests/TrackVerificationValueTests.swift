import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import Testing
import VirtualCard

@testable import BenchHost

/// The issuer's side of dCVV. The codes are those that openssl computes
/// (`DynamicVerificationValueTests`), under the key that option A derives for sequence number 00.
@Suite("dCVV at the issuer") struct TrackVerificationValueTests {
    private func value(_ track: String, key: CardKey? = nil) throws -> TrackVerificationValue? {
        TrackVerificationValue(track: SecretBytes(track.utf8), masterKey: try key ?? TestCard.issuerKey)
    }

    @Test("The code is that of the next counter with the track's digits") func counters() throws {
        #expect(try value("4761739001010010=201220100010400")?.counter(after: nil) == 1)
        #expect(try value("4761739001010010=201220100027290")?.counter(after: 1) == 2)
        #expect(try value("4761739001010010=20122010059624")?.counter(after: 2) == 59)
        // 12,345 is what the track's 2345 means after 12,000.
        #expect(try value("4761739001010010=20122012345779")?.counter(after: 12_000) == 12_345)
        #expect(try value("4761739001010010=20122012345779")?.counter(after: nil) == 2_345)
    }

    @Test("A track that is sent again is refused, and so is a counter that is far ahead, or that no counter can be")
    func replayed() throws {
        #expect(try value("4761739001010010=201220100010400")?.counter(after: 1) == nil)
        #expect(try value("4761739001010010=201220100010400")?.counter(after: 2) == nil)
        #expect(try value("4761739001010010=20122012345779")?.counter(after: 1_344) == nil)
        #expect(try value("4761739001010010=20122012345779")?.counter(after: 1_345) == 2_345)
        #expect(try value("4761739001010010=20122010059624")?.counter(after: .max) == nil)
    }

    @Test("One digit of code, counter, account or expiry, or of the key, makes it another's") func everyDigitCounts()
        throws
    {
        for track in [
            "4761739001010010=201220100010410", "4761739001010010=201220100030400", "4761739001010119=201220100010400",
            "4761739001010010=201320100010400",
        ] { #expect(try value(track)?.counter(after: nil) == nil, "\(track)") }
        let other = try CardKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")), .tdes)
        #expect(try value("4761739001010010=201220100010400", key: other)?.counter(after: nil) == nil)
    }

    @Test("A track without room for counter and code, or with letters, has none") func malformed() throws {
        for track in [
            "4761739001010010=2012201000104", "4761739001010010", "=20122010001040", "4761739001010010=2012201000104A",
            "4761739001010010=201220=0001040",
        ] { #expect(try value(track) == nil, "\(track)") }
    }

    @Test("The test issuer approves the tracks of a virtual Visa card once each, and declines a changed one with 88")
    func virtualCard() async throws {
        var profile = CardProfile.visaStyle()
        var contactless = VisaContactlessProfile()
        contactless.mode = .magstripe
        profile.contactless = .visa(contactless)
        let bench = try Bench(issuer: BenchIssuer.make([profile]))
        // As the card at a reader has them (`VisaTrackTests/track`).
        for (order, track, code) in [
            ("o1", "4761739001010119=491220100019950", "00"), ("o2", "4761739001010119=491220100019950", "88"),
            ("o3", "4761739001010119=491220100023410", "00"), ("o4", "4761739001010119=491220100036580", "88"),
            ("o5", "4761739001010119=4912201", "88"),
        ] {
            let card = CapturedCard(
                entryMode: .contactlessStripe, pan: SecretBytes("4761739001010119".utf8), expiry: "4912",
                track2: SecretBytes(track.utf8))
            let response = try await bench.host.authorize(request(order, "10.00", .captured(card)))
            #expect(response.issuer.responseCode == code, "\(order)")
        }
    }
}
