import Bytes
import MagneticStripe
import Testing

@Suite("The fields of track 3") struct Track3Tests {
    /// The Spanish card in L. Padilla, "Track format of magnetic stripe cards", with digits for
    /// what is starred there; the fields are his.
    @Test("The published example of track 3 is read") func publishedExample() throws {
        let published =
            "011234567890123445=724724100000000000030300XXXX040400099010=************************==1=0000000000000000"
        let track = try Track3(
            text(
                published.replacing("XXXX", with: "1234").replacing(
                    String(repeating: "*", count: 24), with: "432094329043209432904321"),
                .numeric))
        #expect(track.formatCode == "01")
        #expect(track.pan.map(shown) == "1234567890123445")
        let data = try #require(track.useAndSecurityData)
        #expect(data.countryCode == "724")
        #expect(data.currencyCode == "724")
        #expect(data.currencyExponent == 1)
        #expect(data.amountAuthorised == "0000")
        #expect(data.amountRemaining == "0000")
        #expect(data.cycleBegin == "0000")
        #expect(data.cycleLength == "30")
        #expect(data.retryCount == 3)
        #expect(data.pinParameters.map(shown) == "001234")
        #expect(data.interchangeControl == 0)
        #expect(data.accountTypes == ["40", "40", "00"])
        #expect(data.expiry == "9901")
        #expect(data.cardSequenceNumber == "0")
        #expect(data.cardSecurityNumber == nil)
        #expect(data.subsidiaryAccounts.map(shown) == ["432094329043209432904321", ""])
        #expect(data.relayMarker == "1")
        #expect(data.cryptoCheckDigits == nil)
        #expect(shown(data.additionalData) == "0000000000000000")
    }

    /// A separator in place of the PAN, the country code, the PIN parameters, the expiry date and
    /// all after it.
    private let bare = [
        "01", "=", "=", "978", "2", "0000", "0000", "0000", "00", "0", "=", "0", "400000", "=", "=", "=", "=", "=", "=",
        "=",
    ].joined()

    /// ISO/IEC 4909:2006: no country code any more, PAN on track 2.
    @Test func fieldsThatAreLeftOut() throws {
        let track = try Track3(text(bare, .numeric))
        #expect(track.pan == nil)
        let data = try #require(track.useAndSecurityData)
        #expect(data.countryCode == nil)
        #expect(data.currencyCode == "978")
        #expect(data.currencyExponent == 2)
        #expect(data.pinParameters == nil)
        #expect(data.expiry == nil)
        #expect(data.cardSequenceNumber == nil)
        #expect(data.cardSecurityNumber == nil)
        #expect(data.relayMarker == nil)
        #expect(data.subsidiaryAccounts.map(shown) == ["", ""])
    }

    @Test("Formats 02 and those of issuers: the account number alone") func otherFormats() throws {
        for format in ["02", "90", "99"] {
            let track = try Track3(text("\(format)1234567890123445=1", .numeric))
            #expect(track.formatCode == format)
            #expect(track.pan.map(shown) == "1234567890123445")
            #expect(track.useAndSecurityData == nil)
        }
    }

    @Test(
        "malformed tracks are refused",
        arguments: [
            ("", TrackFormatError.formatCode), ("0", .formatCode), ("=1", .formatCode), ("01", .pan),
            ("011234567890123445", .pan),
            ("01123=", .pan), ("011234567890123445=", .useAndSecurityData),
            ("011234567890123445=7247241000000000000303", .useAndSecurityData),
            ("011234567890123445=7247241000000000000303=04040009X", .expiry),
        ])
    func refuses(_ characters: String, _ error: TrackFormatError) {
        #expect(throws: error) { try Track3(text(characters, .numeric)) }
    }

    @Test func neverPrintsItself() throws {
        let track = try Track3(text(bare, .numeric))
        var dumped = ""
        dump(track, to: &dumped)
        #expect(!dumped.contains("978"))
        #expect(!"\(track)\(String(describing: track.useAndSecurityData))".contains("978"))
    }
}
