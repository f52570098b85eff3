import Bytes
import MagneticStripe
import Testing

@Suite struct Track2Tests {
    private func text(_ secret: SecretBytes) -> String { String(decoding: secret.revealed(), as: UTF8.self) }

    /// Tag 57 of the Visa test card in Vectors/traces.
    @Test func readsTheChipsEquivalent() throws {
        let bytes = try [UInt8](hex: "4761340000000050D1712201125234515F")
        let parsed = Track2(equivalentData: bytes.span)
        let track = try #require(parsed)
        #expect(text(track.pan) == "4761340000000050")
        #expect(track.expiry == "1712")
        #expect(track.serviceCode == "201")
        #expect(text(track.discretionaryData) == "125234515")
    }

    /// ISO/IEC 7813, 4.2: a separator stands for a missing expiry or service code.
    @Test func readsAStripeWithAndWithoutFields() throws {
        let track = try #require(Track2(text: ";4761340000000050=17122011234?"))
        #expect(track.expiry == "1712" && track.serviceCode == "201" && text(track.discretionaryData) == "1234")
        let bare = try #require(Track2(text: "4761340000000050===77"))
        #expect(bare.expiry == nil && bare.serviceCode == nil && text(bare.discretionaryData) == "77")
    }

    @Test(arguments: ["", "=1712", "4761", "47613400000000501234=1712", "4761x=1712", ";4761=17a2?"])
    func refuses(text: String) {
        #expect(Track2(text: text) == nil)
    }

    @Test func neverPrintsItself() throws {
        let track = try #require(Track2(text: ";4761340000000050=17122011234?"))
        var dumped = ""
        dump(track, to: &dumped)
        #expect(!dumped.contains("4761") && !"\(track)".contains("4761"))
    }
}

@Suite struct LuhnTests {
    /// ISO/IEC 7812-1 annex B works the number 4992739871 out to check digit 6.
    @Test func checksTheLastDigit() {
        #expect(Luhn.isValid("49927398716".utf8))
        #expect(!Luhn.isValid("49927398717".utf8))
        #expect(Luhn.checkDigit(for: "4992739871".utf8) == UInt8(ascii: "6"))
        #expect(!Luhn.isValid("".utf8) && !Luhn.isValid("4x".utf8))
    }
}
