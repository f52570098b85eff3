import Foundation
import Testing

/// `cardpresent decode` against values worked out by hand from the tables of EMV 4.4.
@Suite(.timeLimit(.minutes(20))) struct DecodeTests {
    private func decode(_ arguments: String..., input: String? = nil) async throws -> [String] {
        let run = try await inWorkspace {
            try await $0.run(Executables.cardpresent, ["decode"] + arguments, input: input)
        }
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test("Book 3, annex C5: byte 1 bits 7 and 2, byte 2 bit 5, byte 3 bit 6, byte 4 bit 4, byte 5 bits 7 and 5")
    func terminalVerificationResults() async throws {
        #expect(
            try await decode("--tag", "95", "4210200850") == [
                "95 Terminal Verification Results (TVR), 5 bytes: 4210200850", "  SDA failed", "  SDA selected",
                "  Requested service not allowed for card product", "  PIN try limit exceeded",
                "  Merchant forced transaction online", "  Issuer authentication failed",
                "  Script processing failed after final GENERATE AC",
            ])
    }

    @Test("Book 3, annex C1: 7D is bits 7, 6, 5, 4, 3 and 1") func applicationInterchangeProfile() async throws {
        #expect(
            try await decode("--tag", "82", "7D00") == [
                "82 Application Interchange Profile (AIP), 2 bytes: 7D00", "  SDA supported", "  DDA supported",
                "  Cardholder verification is supported", "  Terminal risk management is to be performed",
                "  Issuer authentication using EXTERNAL AUTHENTICATE is supported", "  CDA supported",
            ])
    }

    @Test("Book 3, annex C6: bits 8 to 4 of byte 1; bit 3, script processing, is not set")
    func transactionStatusInformation() async throws {
        #expect(
            try await decode("--tag", "9B", "F800").dropFirst() == [
                "  Offline data authentication was performed", "  Cardholder verification was performed",
                "  Card risk management was performed", "  Issuer authentication was performed",
                "  Terminal risk management was performed",
            ])
    }

    /// Book 3, 10.5 and annex C3: amounts X and Y of 4 bytes each, then rules of two bytes; 44 is
    /// enciphered PIN (000100) with bit 7, condition 06.
    @Test func cardholderVerificationMethodList() async throws {
        let lines = try await decode("--tag", "8E", "000003E800000000440602035E031F00")
        #expect(
            lines.dropFirst() == [
                "  X = 1000, Y = 0",
                "  Enciphered PIN verification performed by ICC, if transaction is in the application currency and is under X value, else next rule",
                "  Enciphered PIN verified online, if terminal supports the CVM, else fail",
                "  Signature, if terminal supports the CVM, else next rule", "  No CVM required, always, else fail",
            ])
    }

    @Test("Book 3, 5.4: tags and lengths, no values") func dataObjectList() async throws {
        #expect(
            try await decode("--dol", "9F02069F370495059F1A02") == [
                "9F02 Amount, Authorised (Numeric), 6 bytes", "9F37 Unpredictable Number (UN), 4 bytes",
                "95 Terminal Verification Results (TVR), 5 bytes", "9F1A Terminal Country Code, 2 bytes",
            ])
    }

    @Test("Book 1, table 8: the answer to SELECT of 1PAY.SYS.DDF01, language English") func fileControlInformation()
        async throws
    {
        let lines = try await decode("6F1A840E315041592E5359532E4444463031A5088801025F2D02656E")
        #expect(
            lines == [
                "6F File Control Information (FCI) Template, 26 bytes",
                "  84 Dedicated File (DF) Name, 14 bytes: 315041592E5359532E4444463031",
                "    \"1PAY.SYS.DDF01\"", "  A5 FCI Proprietary Template, 8 bytes",
                "    88 Short File Identifier (SFI), 1 byte: 02", "      file 2",
                "    5F2D Language Preference, 2 bytes: 656E",
                "      \"en\": English",
            ])
    }

    /// The payment system of the AID says how tag 9F10 is coded: 06 key index version CVR; 0A is
    /// 10, A4 is "not requested", ARQC and offline PIN performed.
    @Test func issuerApplicationData() async throws {
        let lines = try await decode("--tag", "9F10", "--aid", "A0000000031010", "06010A03A40000")
        #expect(
            lines.prefix(2) == [
                "9F10 Issuer Application Data (IAD), 7 bytes: 06010A03A40000", "  Visa, cryptogram version 10",
            ])
        for words in [
            "Second GENERATE AC not requested", "First GENERATE AC returned ARQC", "Offline PIN verification performed",
        ] {
            #expect(lines.contains { $0.hasSuffix(words) }, "\(words)")
        }
    }

    /// Book 3, 6.5.8.5 and 9.2: 6985 sends the terminal back to the list of applications.
    @Test func commandsAndStatusWords() async throws {
        let answered = try await decode("--apdu", "--sw", "6985", "80A8000002830000")
        #expect(answered.first == "GET PROCESSING OPTIONS")
        #expect(answered.last?.contains("returns to the candidate list") == true)
        #expect(try await decode("--sw", "63C2").first == "63C2 verification failed, 2 tries left")
        #expect(try await decode("--sw", "6283").contains { $0 == "  to SELECT: the application is blocked" })
        let script = try await decode("72098607841E000004AABBCCDD".replacing("72098607", with: "720B8609"))
        #expect(script.contains { $0.contains("APPLICATION BLOCK") })
        #expect(try await decode("--apdu", "0020008008241234FFFFFFFFFF") == ["VERIFY plaintext PIN"])
    }

    // MARK: Card data

    private let card =
        "702D5A08476173900101011957114761739001010119D4912201000000000F5F200F544553542F43415244484F4C444552"

    @Test("Separators and prefixes of other programs are read; what is damaged is shown up to the damage") func pasted()
        async throws
    {
        try await inWorkspace { place in
            let plain = try await place.run("decode", "5003414243")
            for text in [
                "50:03:41:42:43", "0x50, 0x03, 0x41, 0x42, 0x43", "[50 03 41 42 43]", "\\x50\\x03\\x41\\x42\\x43",
            ] {
                let run = try await place.run("decode", text)
                #expect(run.status == 0, "\(text)")
                #expect(run.output == plain.output, "\(text)")
            }
            let damaged = try await place.run("decode", "6F0A" + "8405A000000003" + "50")
            #expect(damaged.status == 2)
            #expect(damaged.output.contains("84 Dedicated File (DF) Name, 5 bytes: A000000003"))
            #expect(damaged.errors.contains("data object 6F at byte 0 announces 10 bytes but 8 follow"))
            let padded = try await place.run("decode", "7008" + "5003414243" + "FFFFFF")
            #expect(padded.status == 0)
            #expect(padded.output.contains("\"ABC\""))
            let answer = try await place.run("decode", "3B:65:00:00:20:63:CB:66:00")
            #expect(answer.status == 0)
            #expect(answer.output.contains("protocols: T=0"))
        }
    }

    @Test func cardDataAreMasked() async throws {
        // 10 bytes of 5A, 19 of 57 and 18 of 5F20 are 47 = 2F.
        let lines = try await decode(card.replacing("702D", with: "702F"))
        #expect(
            lines == [
                "70 READ RECORD Response Message Template, 47 bytes",
                "  5A Application Primary Account Number (PAN), 8 bytes: 476173******0119",
                "  57 Track 2 Equivalent Data, 17 bytes: " + String(repeating: "*", count: 34),
                "  5F20 Cardholder Name, 15 bytes: " + String(repeating: "*", count: 30),
            ])
        #expect(Canary.hunt(lines.joined(separator: "\n")) == [])
    }

    @Test func cardDataAreMaskedAsValuesToo() async throws {
        #expect(
            try await decode("--tag", "5A", "4761739001010119") == [
                "5A Application Primary Account Number (PAN), 8 bytes: 476173******0119"
            ])
        #expect(
            try await decode("--tag", "57", "4761739001010119D4912201000000000F")[0].hasSuffix(
                String(repeating: "*", count: 34)))
        #expect(try await decode("--tag", "5F24", "491231") == ["5F24 Application Expiration Date, 3 bytes: ******"])
    }

    @Test func cardDataAreShownOnDemand() async throws {
        let lines = try await decode("--show-card-data", card.replacing("702D", with: "702F"))
        #expect(lines[1] == "  5A Application Primary Account Number (PAN), 8 bytes: 4761739001010119")
        #expect(lines.contains { $0.contains("TEST/CARDHOLDER") })
    }

    // MARK: Tracks of a stripe

    private let stripe = "%B4761739001010119^CARDHOLDER/TEST.MR^49122010000000000?;4761739001010119=49122010000000000?"

    @Test("ISO/IEC 7813: service code 201 is international, with chip, authorised normally, without restrictions")
    func tracksAreMasked()
        async throws
    {
        let words = "  Service code: 201, international, chip, normal authorisation, no restrictions"
        let lines = try await decode(stripe)
        #expect(
            lines == [
                "Track 1 of a payment card, 54 characters", "  PAN: 476173******0119, check digit right",
                "  Cardholder name: ******************", "  Expiry, YYMM: ****", words,
                "  Discretionary data: **********", "Track 2 of a payment card, 34 characters",
                "  PAN: 476173******0119, check digit right", "  Expiry, YYMM: ****", words,
                "  Discretionary data: **********",
            ])
        #expect(Canary.hunt(lines.joined(separator: "\n")) == [])
        #expect(try await decode("-", input: stripe + "\n") == lines)
    }

    @Test func tracksAreShownOnDemand() async throws {
        let lines = try await decode("--show-card-data", stripe)
        #expect(lines.contains("  PAN: 4761739001010119, check digit right"))
        #expect(lines.contains("  Cardholder name: MR TEST CARDHOLDER"))
    }

    @Test func tracksStandForThemselves() async throws {
        #expect(
            try await decode("%E?;4761739001010010===12?") == [
                "Track 1: the reader could not decode the track: swipe again",
                "Track 2 of a payment card, 21 characters",
                "  PAN: 476173******0010, check digit \(luhn("4761739001010010") ? "right" : "wrong")",
                "  Expiry: left out",
                "  Service code: left out", "  Discretionary data: **",
            ])
        let differing = try await decode("%B4761739001010119^A/B^4912201?;4761739001010119=4911201?")
        #expect(differing.last == "Tracks 1 and 2 differ in the expiry date")
    }

    @Test("text that a reader types before the tracks is passed over") func textBeforeTheTracks() async throws {
        let stripe = "%B4761739001010119^A/B^4912201?;4761739001010119=4912201?"
        #expect(try await decode("!STCARD A " + stripe) == decode(stripe))
    }

    /// ISO/IEC 7812-1, annex B.
    private func luhn(_ digits: String) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, place in
            let digit = (place.element.wholeNumberValue ?? 0) * (place.offset % 2 + 1)
            return sum + digit / 10 + digit % 10
        }
        return sum % 10 == 0
    }

    @Test("The example of aamva's format that the tests of MagneticStripe name") func licensesAreMasked() async throws {
        let lines = try await decode("%TXAUSTIN^DOE$JOHN^12345 SHERBOURNE ST^?;63601538774194=150819810101?")
        #expect(lines.first == "Track 1 of a driver's license, 38 characters")
        #expect(lines.contains("  Issuer: 636015"))
        #expect(lines.contains { $0.hasPrefix("  Expires at the end of the month, YYMM: ****") })
        let shown = try await decode("--show-card-data", ";63601538774194=150819810101?")
        #expect(shown.contains("  Expires at the end of the month, YYMM: 1508"))
        for word in ["AUSTIN", "DOE", "JOHN", "12345", "38774194", "1981"] { #expect(!lines.joined().contains(word)) }
    }

    // MARK: How digits come in and text goes out

    @Test func digitsComeByStandardInputAndInPieces() async throws {
        let expected = try await decode("95058000008000")
        #expect(expected.count == 3)
        #expect(try await decode("-", input: "9505\n 80 00 00\t80 00\n") == expected)
        #expect(try await decode("95 05 80 00 00 80 00") == expected)
        #expect(try await decode("9505", "8000", "0080", "00") == expected)
        #expect(try await decode("9505", "80000080", "00".lowercased()) == expected)
    }

    @Test func colorIsForTerminalsOnly() async throws {
        func shown(_ environment: [String: String?]) async throws -> String {
            try await inWorkspace { place in
                let terminal = try PseudoTerminal()
                defer { terminal.close() }
                let run = try await place.run(
                    "decode", "95058000008000", environment: environment, output: terminal.screen)
                #expect(run.status == 0)
                return terminal.text()
            }
        }
        let colored = try await shown([:])
        #expect(colored.hasPrefix("\u{1B}[36m95\u{1B}[0m Terminal"))
        let plain = try await shown(["NO_COLOR": "1"])
        #expect(plain.hasPrefix("95 Terminal"))
        #expect(!plain.contains("\u{1B}"))
        #expect(try await shown(["NO_COLOR": ""]) == colored, "no-color.org: an empty value does not count")
        #expect(try await !decode("95058000008000").joined().contains("\u{1B}"), "plain where nobody looks")
    }
}

@Suite(.timeLimit(.minutes(20))) struct HelpTests {
    @Test(arguments: [
        [], ["demo"], ["sale"], ["secure-card"], ["secure-card", "register"], ["secure-card", "show"],
        ["secure-card", "edit"],
        ["secure-card", "delete"], ["replay"], ["explain"], ["decode"],
    ]) func everyCommandExplainsItself(_ command: [String]) async throws {
        try await inWorkspace { place in
            for flag in ["--help", "-h"] {
                let run = try await place.run(Executables.cardpresent, command + [flag])
                #expect(run.status == 0)
                #expect(run.errors.isEmpty)
                #expect(run.output.hasPrefix("OVERVIEW: "))
                #expect(run.output.contains("USAGE: " + (["cardpresent"] + command).joined(separator: " ")))
                #expect(run.output.contains("EXIT STATUS"))
                #expect(run.output.contains("  64  wrong usage"))
            }
            #expect(try place.files().keys.allSatisfy { $0.hasPrefix("run-") }, "asking for help leaves nothing behind")
        }
    }

    @Test(
        "An answer to reset is taken apart, and what is wrong with one is said",
        arguments: [
            ("3B6500002063CB6600", "TB1 00, TC1 00", 0), ("3B6500002063CB6600", "historical bytes: 2063CB6600", 0),
            ("ATR: 3B 65 00 00 20 63 CB 66 00", "TB1 00, TC1 00", 0),
            ("3BE000008131FE45EB", "protocols: T=1", 0), ("3B65", "ends too early", 2),
            ("3BE000008131FE4500", "check byte", 2),
        ])
    func answersToReset(_ digits: String, _ text: String, _ status: Int32) async throws {
        let run = try await inWorkspace { try await $0.run("decode", digits) }
        #expect(run.status == status)
        #expect((status == 0 ? run.output : run.errors).contains(text), "\(run.output)\(run.errors)")
    }

    @Test(
        "What is decoded as JSON has a version and its lines, masked",
        arguments: [
            (["6F068404A0000000"], "84"), (["3B6500002063CB6600"], "Answer to reset"),
            ([";4761739001010119=49122010000000000?"], "Track 2"),
        ])
    func json(_ arguments: [String], _ part: String) async throws {
        let run = try await inWorkspace { try await $0.run(Executables.cardpresent, ["decode", "--json"] + arguments) }
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(document["version"] as? Int == 1)
        #expect((document["lines"] as? [[String: Any]])?.isEmpty == false)
        #expect(run.output.lowercased().contains(part.lowercased()))
        #expect(Canary.hunt(run.output) == [])
    }

    @Test("The version is three numbers") func version() async throws {
        let run = try await inWorkspace { try await $0.run("--version") }
        #expect(run.status == 0)
        #expect(run.output.wholeMatch(of: #/\d+\.\d+\.\d+\n/#) != nil)
    }
}
