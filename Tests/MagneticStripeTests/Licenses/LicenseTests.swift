import Bytes
import MagneticStripe
import Testing

/// The examples are those of the documentation of Parser::AAMVA::License 0.55 (CPAN), of aamvajs
/// 0.0.1 (npm), and of AAMVA's recommended format as exeba.com has it.
@Suite("Stripes of North American licenses") struct LicenseTests {
    @Test("Track 1 of a licence gives its fields") func track1() throws {
        let oregon = try LicenseTrack1(text("ORSPRINGFIELD  ^ SIMPSON $HOMER$J ^ 742 EVERGREEN TERR ^", .alphanumeric))
        #expect(oregon.jurisdiction == "OR")
        #expect(oregon.city == "SPRINGFIELD")
        #expect(oregon.surname == "SIMPSON")
        #expect(oregon.givenNames == ["HOMER", "J"])
        #expect(oregon.address == ["742 EVERGREEN TERR"])
        let florida = try LicenseTrack1(text("FLDELRAY BEACH^DOE$JOHN$^4818 S FEDERAL BLVD^           ", .alphanumeric))
        #expect(florida.city == "DELRAY BEACH")
        #expect(florida.surname == "DOE")
        #expect(florida.givenNames == ["JOHN"])
        #expect(florida.address == ["4818 S FEDERAL BLVD"])
    }

    /// City 13 and name 35 characters: at their full length they need no separator.
    @Test func fullLengthNeedsNoSeparator() throws {
        let name = "WOLFESCHLEGELSTEINHAUSEN$HUBERT$BLA"
        #expect(name.utf8.count == 35)
        for separator in ["", "^"] {
            let track = try LicenseTrack1(
                text("CASAN FRANCISCO\(separator)\(name)\(separator)1 A ST$APT 2", .alphanumeric))
            #expect(track.city == "SAN FRANCISCO")
            #expect(track.surname == "WOLFESCHLEGELSTEINHAUSEN")
            #expect(track.givenNames == ["HUBERT", "BLA"])
            #expect(track.address == ["1 A ST", "APT 2"])
        }
    }

    @Test("Track 2 of a licence gives its fields") func track2() throws {
        let oregon = try LicenseTrack2(text("6360291234567890123=180119550512=", .numeric))
        #expect(oregon.issuer == "636029")
        #expect(shown(oregon.number) == "1234567890123")
        #expect(oregon.expiry == .month(yymm: "1801"))
        #expect(oregon.birthDate == "19550512")
        let florida = try LicenseTrack2(text("6360100462172082009=2101198299090=", .numeric))
        #expect(shown(florida.number) == "04621720820090", "the end of the number stands at the track's end")
        #expect(florida.birthDate == "19829909", "the end of the number stands at the track's end")
        let california = try LicenseTrack2(text("636014012345678=1801=19550512", .numeric))
        #expect(shown(california.number) == "012345678")
        #expect(california.birthDate == "19550512")
    }

    @Test(
        "AAMVA: months 77, 88 and 99 of the expiry date",
        arguments: [
            ("0177", LicenseTrack2.Expiry.never), ("2688", .monthOfBirth(yy: "26")), ("2699", .birthday(yy: "26")),
            ("2612", .month(yymm: "2612")),
        ])
    func expiry(_ digits: String, _ expiry: LicenseTrack2.Expiry) throws {
        #expect(try LicenseTrack2(text("6360291234=\(digits)19550512=", .numeric)).expiry == expiry)
    }

    @Test("Track 3 of a licence gives its fields") func track3() throws {
        let texas = try LicenseTrack3(text("\" 78729      C               1505130BLKBLK", .alphanumeric))
        #expect(texas.version == "\"")
        #expect(texas.jurisdictionVersion == "")
        #expect(texas.postalCode == "78729")
        #expect(texas.vehicleClass == "C")
        #expect(texas.restrictions == "")
        #expect(texas.endorsements == "")
        #expect(texas.sex == .male)
        #expect(texas.height == "505")
        #expect(texas.weight == "130")
        #expect(texas.hairColor == "BLK")
        #expect(texas.eyeColor == "BLK")
        let florida = try LicenseTrack3(
            text("! 33435      I               1600                                   ECCECC00000", .alphanumeric))
        #expect(florida.postalCode == "33435")
        #expect(florida.vehicleClass == "I")
        #expect(florida.sex == .male)
        #expect(florida.height == "600")
        #expect(florida.weight == "")
        #expect(shown(florida.discretionaryData).hasSuffix("ECCECC00000"))
    }

    @Test("malformed tracks are refused") func refuses() {
        #expect(throws: TrackFormatError.jurisdiction) {
            try LicenseTrack1(text("B4761739001010119^DOE/J^", .alphanumeric))
        }
        #expect(throws: TrackFormatError.tooShort) { try LicenseTrack1(text("TXAUSTIN", .alphanumeric)) }
        #expect(throws: TrackFormatError.name) { try LicenseTrack1(text("TXAUSTIN^^1 A ST", .alphanumeric)) }
        #expect(throws: TrackFormatError.issuer) { try LicenseTrack2(text("4761739001010119=4912201", .numeric)) }
        #expect(throws: TrackFormatError.licenseNumber) { try LicenseTrack2(text("636029=180119550512=", .numeric)) }
        #expect(throws: TrackFormatError.licenseNumber) {
            try LicenseTrack2(text("63602912345678901234=180119550512=", .numeric))
        }
        #expect(throws: TrackFormatError.expiry) { try LicenseTrack2(text("6360291234=181319550512=", .numeric)) }
        #expect(throws: TrackFormatError.birthDate) { try LicenseTrack2(text("6360291234=18011955", .numeric)) }
        #expect(throws: TrackFormatError.tooShort) { try LicenseTrack3(text("\" 78729", .alphanumeric)) }
    }

    @Test func nothingPrintsAPerson() throws {
        let one = try LicenseTrack1(text("TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^", .alphanumeric))
        let two = try LicenseTrack2(text("63601538774194=150819810101", .numeric))
        let three = try LicenseTrack3(text("\" 78729      C               1505130BLKBLK", .alphanumeric))
        var dumped = "\(one)\(two)\(three)"
        dump(one, to: &dumped)
        dump(two, to: &dumped)
        dump(three, to: &dumped)
        for word in ["AUSTIN", "DOE", "38774194", "1981", "78729", "505"] { #expect(!dumped.contains(word)) }
    }
}
