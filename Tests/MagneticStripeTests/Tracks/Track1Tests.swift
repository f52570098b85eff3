import Bytes
import MagneticStripe
import Testing

@Suite("The fields of track 1") struct Track1Tests {
    @Test(
        "The Visa card in L. Padilla, \"Track format of magnetic stripe cards\", with digits for what is starred there")
    func publishedExample() throws {
        let track = try Track1(
            text("B1234567890123445^PADILLA/L.                ^99011200000000000000001230000000", .alphanumeric))
        #expect(shown(track.pan) == "1234567890123445")
        #expect(Luhn.isValid(track.pan.revealed()))
        #expect(track.name.surname == "PADILLA")
        #expect(track.name.givenNames == ["L"])
        #expect(track.name.title == nil)
        #expect(track.expiry == "9901")
        #expect(track.serviceCode == ServiceCode("120"))
        #expect(shown(track.discretionaryData) == "0000000000000001230000000")
    }

    /// ISO/IEC 7813: a separator stands for a missing expiry or service code; discretionary data
    /// may hold blanks, as in Wikipedia's second example of the standard.
    @Test("Missing expiry and service code are nil") func missingFields() throws {
        let track = try Track1(
            text("B4761739001010119^DOE/JOHN L                ^^^0000000      00998000000", .alphanumeric))
        #expect(track.expiry == nil)
        #expect(track.serviceCode == nil)
        #expect(shown(track.discretionaryData) == "0000000      00998000000")
        #expect(track.name.spoken == "JOHN L DOE")
        let short = try Track1(text("B4761739001010119^DOE/J^", .alphanumeric))
        #expect(short.expiry == nil)
        #expect(short.serviceCode == nil)
        #expect(short.discretionaryData.isEmpty)
        let noName = try Track1(text("B4761739001010119^^4912201", .alphanumeric))
        #expect(noName.name.text.isEmpty)
        #expect(noName.expiry == "4912")
    }

    @Test func blanksWithinThePAN() throws {
        let track = try Track1(text("B3742 454554 00126^DOE/JANE^4912201", .alphanumeric))
        #expect(shown(track.pan) == "374245455400126")
    }

    @Test(
        "malformed tracks are refused",
        arguments: [
            ("", TrackFormatError.formatCode), ("A4761739001010119^DOE/J^4912201", .formatCode),
            ("b4761739001010119^DOE/J^4912201", .formatCode),
            ("B^DOE/J^4912201", .pan), ("B47617390^", .name), ("B4761739^DOE/J", .pan), ("B4761739001010119", .pan),
            ("B47617390010101191234^DOE/J^4912201", .pan),
            ("B4761X39001010119^DOE/J^4912201", .pan), ("B4761739001010119^DOE/J", .name),
            ("B4761739001010119^DOE/J^49X2201", .expiry),
            ("B4761739001010119^DOE/J^491", .expiry), ("B4761739001010119^DOE/J^49122", .serviceCode),
        ])
    func refuses(_ characters: String, _ error: TrackFormatError) {
        #expect(throws: error) { try Track1(text(characters, .alphanumeric)) }
    }

    @Test("ISO/IEC 7813: A for the issuer's use, B for banks, C to M kept back, N to Z for individual use")
    func formatCodes() {
        #expect(Track1.FormatCode(UInt8(ascii: "A")) == .issuer)
        #expect(Track1.FormatCode(UInt8(ascii: "B")) == .bank)
        #expect("CDEFGHIJKLM".utf8.allSatisfy { Track1.FormatCode($0) == .reserved })
        #expect("NOPQRSTUVWXYZ".utf8.allSatisfy { Track1.FormatCode($0) == .individual })
        #expect("1 @[b".utf8.allSatisfy { Track1.FormatCode($0) == nil })
    }

    @Test func neverPrintsItself() throws {
        let track = try Track1(text("B4761739001010119^DOE/JANE^4912201", .alphanumeric))
        var dumped = ""
        dump(track, to: &dumped)
        dump(track.name, to: &dumped)
        for word in ["4761", "DOE", "JANE"] { #expect(!(dumped + "\(track)\(track.name)").contains(word)) }
    }
}

@Suite struct CardholderNameTests {
    @Test(
        "ISO/IEC 7813: surname, slash, given names with blanks between them, point, title",
        arguments: [
            ("DOE/JOHN", "DOE", ["JOHN"], nil, nil, "JOHN DOE"),
            ("DOE/JOHN QUINCY ADAM.DR", "DOE", ["JOHN", "QUINCY", "ADAM"], nil, "DR", "DR JOHN QUINCY ADAM DOE"),
            ("DOE JR/JOHN Q.MR", "DOE", ["JOHN", "Q"], "JR", "MR", "MR JOHN Q DOE JR"),
            ("DOE/JOHN III", "DOE", ["JOHN"], "III", nil, "JOHN DOE III"),
            (
                "  VAN DER BERG /  ANNA   MARIA  ", "VAN DER BERG", ["ANNA", "MARIA"], nil, nil,
                "ANNA MARIA VAN DER BERG"
            ),
            ("O'NEIL-SMITH/J. ALFRED", "O'NEIL-SMITH", ["J", "ALFRED"], nil, nil, "J ALFRED O'NEIL-SMITH"),
            ("PADILLA/L.", "PADILLA", ["L"], nil, nil, "L PADILLA"),
            ("DOE/", "DOE", [], nil, nil, "DOE"), ("/JOHN", nil, ["JOHN"], nil, nil, "JOHN"),
            ("SMITH/JOHN/PAUL", "SMITH", ["JOHN", "PAUL"], nil, nil, "JOHN PAUL SMITH"),
            ("JR/JOHN", "JR", ["JOHN"], nil, nil, "JOHN JR"),
            ("MÜLLER/JÜRGEN", "MÜLLER", ["JÜRGEN"], nil, nil, "JÜRGEN MÜLLER"),
            (" GIFT CARD ", nil, [], nil, nil, "GIFT CARD"), ("", nil, [], nil, nil, ""), (" /", nil, [], nil, nil, ""),
            ("/ ", nil, [], nil, nil, ""),
        ] as [(String, String?, [String], String?, String?, String)])
    func takesNamesApart(
        _ written: String, surname: String?, given: [String], suffix: String?, title: String?, spoken: String
    ) {
        let name = CardholderName(written)
        #expect(name.surname == surname)
        #expect(name.givenNames == given)
        #expect(name.suffix == suffix)
        #expect(name.title == title)
        #expect(name.spoken == spoken)
    }
}

@Suite struct ServiceCodeTests {
    @Test("ISO/IEC 7813, the three digits of the service code") func everyDigit() throws {
        let interchange: [ServiceCode.Interchange] = [
            .reserved, .international, .international, .reserved, .reserved, .national, .national, .byAgreementOnly,
            .reserved, .test,
        ]
        let authorization: [ServiceCode.Authorization] = [
            .normal, .reserved, .online, .reserved, .onlineExceptByAgreement, .reserved, .reserved, .reserved,
            .reserved, .reserved,
        ]
        let services: [ServiceCode.Services] = [
            .noRestrictions, .noRestrictions, .goodsAndServices, .atmOnly, .cashOnly, .goodsAndServices,
            .noRestrictions, .goodsAndServices, .reserved, .reserved,
        ]
        let pin: [ServiceCode.PIN] = [
            .required, .notAskedFor, .notAskedFor, .required, .notAskedFor, .required, .whereFeasible, .whereFeasible,
            .notAskedFor, .notAskedFor,
        ]
        for digit in 0...9 {
            let first = try #require(ServiceCode("\(digit)01"))
            #expect(first.interchange == interchange[digit])
            #expect(first.hasChip == [2, 6].contains(digit))
            #expect(ServiceCode("1\(digit)1")?.authorization == authorization[digit])
            let third = try #require(ServiceCode("10\(digit)"))
            #expect(third.services == services[digit])
            #expect(third.pin == pin[digit])
        }
    }

    @Test("malformed tracks are refused", arguments: ["", "20", "2011", "2x1", "２01"]) func refuses(_ digits: String) {
        #expect(ServiceCode(digits) == nil)
    }
}
