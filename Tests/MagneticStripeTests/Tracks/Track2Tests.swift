import Bytes
import MagneticStripe
import Testing

@Suite("The fields of track 2") struct Track2Tests {
    /// Tag 57 of the Visa test card in Vectors/traces.
    @Test func readsTheChipsEquivalent() throws {
        let bytes = try [UInt8](hex: "4761340000000050D1712201125234515F")
        let track = try Track2(equivalentData: bytes.span)
        #expect(shown(track.pan) == "4761340000000050")
        #expect(track.expiry == "1712")
        #expect(track.serviceCode == ServiceCode("201"))
        #expect(shown(track.discretionaryData) == "125234515")
    }

    /// ISO/IEC 7813: a separator stands for a missing expiry or service code.
    @Test func readsAStripeWithAndWithoutFields() throws {
        let track = try Track2(text("4761340000000050=17122011234", .numeric))
        #expect(track.expiry == "1712")
        #expect(track.serviceCode == ServiceCode("201"))
        #expect(shown(track.discretionaryData) == "1234")
        let bare = try Track2(text("4761340000000050===77", .numeric))
        #expect(bare.expiry == nil)
        #expect(bare.serviceCode == nil)
        #expect(shown(bare.discretionaryData) == "77")
        let noExpiry = try Track2(text("4761340000000050==20177", .numeric))
        #expect(noExpiry.expiry == nil)
        #expect(noExpiry.serviceCode == ServiceCode("201"))
        #expect(shown(noExpiry.discretionaryData) == "77")
        let noCode = try Track2(text("4761340000000050=1712=77", .numeric))
        #expect(noCode.expiry == "1712")
        #expect(noCode.serviceCode == nil)
        #expect(shown(noCode.discretionaryData) == "77")
        let short = try Track2(text("4761340000000050=", .numeric))
        #expect(short.expiry == nil)
        #expect(short.serviceCode == nil)
        #expect(short.discretionaryData.isEmpty)
    }

    /// ISO/IEC 7812-1: 8 to 19 digits.
    @Test func lengthsOfThePAN() throws {
        for count in 0...24 {
            let track = try? Track2(text(String(repeating: "1", count: count) + "=1712201", .numeric))
            #expect((track != nil) == (8...19).contains(count), "\(count)")
        }
    }

    @Test(
        "malformed tracks are refused",
        arguments: [
            ("", TrackFormatError.pan), ("=1712", .pan), ("4761", .pan), ("47613400000000501234=1712", .pan),
            ("4761340000000050", .pan),
            ("4761:40000000050=1712", .pan), ("4761340000000050=17:2201", .expiry), ("4761340000000050=17", .expiry),
            ("4761340000000050=17122", .serviceCode), ("4761340000000050=1712201:", .discretionaryData),
            ("4761340000000050=1712201=", .discretionaryData),
        ])
    func refuses(_ characters: String, _ error: TrackFormatError) {
        #expect(throws: error) { try Track2(text(characters, .numeric)) }
        #expect(throws: TrackFormatError.code) { try Track2(text(characters, .alphanumeric)) }
    }

    @Test func neverPrintsItself() throws {
        let track = try Track2(text("4761340000000050=17122011234", .numeric))
        var dumped = ""
        dump(track, to: &dumped)
        #expect(!dumped.contains("4761"))
        #expect(!"\(track)".contains("4761"))
    }
}

@Suite("Luhn's check digit") struct LuhnTests {
    /// ISO/IEC 7812-1 annex B works the number 4992739871 out to check digit 6.
    @Test func checksTheLastDigit() {
        #expect(Luhn.isValid("49927398716".utf8))
        #expect(!Luhn.isValid("49927398717".utf8))
        #expect(Luhn.checkDigit(for: "4992739871".utf8) == UInt8(ascii: "6"))
        #expect(!Luhn.isValid("".utf8))
        #expect(!Luhn.isValid("4x".utf8))
    }
}
