import Foundation
import Testing

/// `cardpresent card show`, and sales with a card from a file.
@Suite(.timeLimit(.minutes(20))) struct CardCommandTests {
    static func card(_ name: String) -> String {
        Vectors.folder.appending(path: "cards/\(name).json").path(percentEncoded: false)
    }

    @Test func showsACard() async throws {
        try await inWorkspace { place in
            let run = try await place.run("card", "show", Self.card("maestro"))
            #expect(run.status == 0)
            #expect(run.errors.isEmpty)
            for words in [
                "A0000000043060 \"MAESTRO\"", "675964******8453", "CDA supported", "Enciphered PIN verified online",
                "mastercard10",
            ] {
                #expect(run.output.contains(words), "\(words)")
            }
            #expect(!run.output.contains("6759649826438453"))
            #expect(!run.output.contains("1234"))
            let piped = try await place.run(
                "card", "show", "-", input: String(contentsOfFile: Self.card("maestro"), encoding: .utf8))
            #expect(piped.output == run.output)
        }
    }

    @Test("card show describes the faults of a card") func showsFaults() async throws {
        let run = try await inWorkspace { try await $0.run("card", "show", Self.card("hostile-endless-chaining")) }
        #expect(run.status == 0)
        #expect(run.output.contains("every GET PROCESSING OPTIONS: 61xx without end"))
        #expect(Canary.hunt(run.output) == [])
    }

    private static let wrong: [(String, String)] = [
        ("", "1:1: a value is missing here"),
        (
            "{\"applications\": [{\"aid\": \"A00\"}]}",
            "1:27: applications[0].aid: 5 to 16 bytes in hexadecimal, got 'A00'"
        ),
        ("{\"color\": \"\\u001B[31m\"}", "1:2: color: unknown key"),
        (
            "{\"applications\": [{\"aid\": \"A0000000031010\", \"label\": \"X\"}], \"account\": {\"pan\": \"9999999999999995\"}}",
            "1:80: account.pan: not a published test card number"
        ),
    ]

    @Test(
        "One line that names the file and the place, for `card show` and for a sale alike; the sale makes no vault",
        arguments: wrong)
    func aWrongProfile(_ text: String, _ message: String) async throws {
        try await inWorkspace { place in
            let file = try place.file("card.json", text)
            for arguments in [
                ["card", "show", file], ["sale", "1.00", "--card", file, "--vault", place.path("vault")],
            ] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 2)
                #expect(run.output.isEmpty)
                #expect(run.complaint?.hasPrefix("\(file):\(message)") == true, "\(run.errors)")
                #expect(!run.errors.contains("9999999999999995"))
            }
            #expect(!place.exists("vault/vault.sqlite"))
        }
    }

    @Test func aMissingFile() async throws {
        try await inWorkspace { place in
            for arguments in [
                ["card", "show", "nowhere.json"],
                ["sale", "1.00", "--card", "nowhere.json", "--vault", place.path("vault")],
            ] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 2)
                #expect(run.complaint?.hasPrefix("nowhere.json: ") == true)
            }
        }
    }

    @Test("A profile as JSON has a version and its sections") func showAsJSON() async throws {
        let path = Self.card("maestro")
        let run = try await inWorkspace { try await $0.run("card", "show", path, "--json") }
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(document["version"] as? Int == 1)
        #expect((document["sections"] as? [[String: Any]])?.isEmpty == false)
    }

    /// Cards of every family of keys and of the schemes that have no style of their own; the test
    /// issuer knows each by its number.
    @Test(
        "Cards of every scheme and family of keys are sold with",
        arguments: [
            ("maestro", "MAESTRO", "**** 8453"), ("unionpay-credit", "UNIONPAY CREDIT", "**** 1232"),
            ("xda-p256", "MASTERCARD ECC", "**** 0119"),
            ("amex-credit", "AMERICAN EXPRESS", "**** 0126"), ("common-core-aes", "COMMON CORE", "**** 0119"),
        ]) func sells(_ name: String, _ label: String, _ number: String) async throws
    {
        try await inWorkspace { place in
            for _ in 1...2 {
                let run = try await place.run(
                    "sale", "12.34", "--card", Self.card(name), "--vault", place.path("vault"))
                #expect(run.status == 0, "\(run.output) \(run.errors)")
                #expect(run.errors.isEmpty, "\(run.output) \(run.errors)")
                #expect(run.output.contains(label))
                #expect(run.output.contains(number))
                #expect(run.output.hasSuffix("\nAPPROVAL\n"))
                #expect(Canary.hunt(run.output) == [])
            }
        }
    }

    /// A card held to the contactless reader: the receipt says how it came in, and what verified
    /// its holder.
    @Test(
        "The receipt of a tap says how the card came in and what verified its holder",
        arguments: [
            ("12.34", "visa", "Contactless chip"), ("60.00", "visa", "PIN verified online"),
            ("180.00", "contactless/visa-phone", "Verified on the cardholder's device"),
            ("12.34", "mastercard", "Contactless chip"), ("60.00", "mastercard", "PIN verified online"),
            ("180.00", "contactless/mastercard-phone", "Verified on the cardholder's device"),
            ("12.34", "contactless/mastercard-magstripe", "Contactless magnetic stripe"),
            ("12.34", "kernel-8", "Contactless chip"), ("60.00", "kernel-8", "PIN verified online"),
            ("30.00", "contactless/kernel-8-p521", "Contactless chip"),
            // A phone that is not at a gate, and a card with another beside it, which is taken
            // away.
            ("30.00", "contactless/visa-phone-transit", "Verified on the cardholder's device"),
            ("30.00", "contactless/hostile-two-cards", "Contactless chip"),
            // Above the limit, and where the card wants it, the card is inserted.
            ("260.00", "visa", "Contact chip"), ("10.00", "contactless/mastercard-without-cda", "Contact chip"),
        ]) func taps(_ amount: String, _ card: String, _ words: String) async throws
    {
        try await inWorkspace { place in
            let card = card.contains("/") ? Self.card(card) : card
            let run = try await place.run("sale", amount, "--tap", "--card", card, "--vault", place.path("vault"))
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            #expect(run.errors == run.display.map { $0 + "\n" }.joined(), "\(run.errors)")
            #expect(run.output.contains(words))
            #expect(run.output.contains("**** 0119"))
            #expect(run.output.hasSuffix("\nAPPROVAL\n"))
            #expect(Canary.hunt(run.output) == [])
        }
    }

    /// Lights and tones by EMV Contactless Book A: ready to read, processing, card read
    /// successfully, processing error, not ready.
    @Test(
        "What the cardholder sees at the reader is on standard error, in a language of the terminal and, where it has it, of the card",
        arguments: [
            (
                "12.34", "visa", [],
                ["[*...] PRESENT CARD", "[*...] PROCESSING", "[****] CARD READ OK REMOVE CARD (success tone)"]
            ),
            (
                "30.00", "visa", ["--language", "pl"],
                [
                    "[*...] ZBLIŻ KARTĘ", "[*...] PRZETWARZANIE", "[****] KARTA ODCZYTANA ZABIERZ KARTĘ (success tone)",
                    "[****] AUTORYZACJA PROSZĘ CZEKAĆ", "[....] TRANSAKCJA PRZYJĘTA",
                ]
            ),
            (
                "30.05", "English", ["--language", "de", "--language", "en"],
                ["[*...] KARTE VORHALTEN", "[*...] PROCESSING", "[....] NOT AUTHORISED"]
            ),
            (
                "260.00", "visa", ["--language", "nl"],
                ["[....] STEEK KAART IN OF HAAL HEM DOOR (alert tone)", "[....] BETALING AKKOORD"]
            ),
        ] as [(String, String, [String], [String])])
    func display(_ amount: String, card: String, options: [String], shows lines: [String]) async throws {
        try await inWorkspace { place in
            var card = card
            if card == "English" {
                let phone = try String(contentsOfFile: Self.card("contactless/visa-phone"), encoding: .utf8)
                card = try place.file(
                    "card.json", phone.replacing("{", with: #"{"languages": ["en"],"#, maxReplacements: 1))
            }
            let run = try await place.run(
                Executables.cardpresent,
                ["sale", amount, "--tap", "--card", card, "--vault", place.path("vault"), "--json"] + options)
            #expect(run.display.filter(lines.contains) == lines, "\(run.errors)")
            #expect(run.errors == run.display.map { $0 + "\n" }.joined())
            #expect(run.output.hasPrefix("{"))
        }
    }

    @Test("a language without texts is refused") func unknownLanguage() async throws {
        try await inWorkspace { place in
            let run = try await place.run("sale", "1.00", "--tap", "--language", "ja", "--vault", place.path("vault"))
            #expect(run.status == 64)
            #expect(run.errors.contains("--language ja: the texts are in en, de"))
        }
    }

    /// The issuer of the bench recomputes each ARQC; a payment that was approved offline waits for
    /// its host.
    @Test(
        "American Express and UnionPay by tap: what verified the holder, and the number's last digits",
        arguments: [
            ("30.00", "amex-online", "Contactless chip", "0005"),
            ("60.00", "amex-online", "PIN verified online", "0005"),
            ("180.00", "amex-phone", "Verified on the cardholder's device", "8431"),
            ("30.00", "unionpay-online", "Contactless chip", "0016"),
            ("60.00", "unionpay-online", "PIN verified online", "0016"),
            ("180.00", "unionpay-phone", "Verified on the cardholder's device", "0016"),
            ("30.00", "unionpay-co-badged", "Contactless chip", "4797"),
        ]) func tapsOfOtherSystems(_ amount: String, _ card: String, words: String, digits: String) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run(
                "sale", amount, "--tap", "--card", Self.card("contactless/\(card)"), "--vault", place.path("vault"))
            #expect(run.status == 0, "\(run.output) \(run.errors)")
            #expect(run.errors == run.display.map { $0 + "\n" }.joined(), "\(run.errors)")
            #expect(run.output.contains(words), "\(run.output)")
            #expect(run.output.contains(digits), "\(run.output)")
            #expect(run.output.hasSuffix("\nAPPROVAL\n"), "\(run.output)")
        }
    }

    @Test(arguments: [
        (["1.00", "--card", CardCommandTests.card("maestro")], "contacts only"),
        (["1.00", "--reader", "no-such-reader"], "readers match"),
        (["1.00", "--reader", "pn532:/dev/cardpresent-no-such-port"], "/dev/cardpresent-no-such-port not found"),
        (["1.00", "--reader", "phoenix:/dev/cardpresent-no-such-port"], "has no field for contactless cards"),
        (["1.00", "--reader", "dinosaur:/dev/ttyS0"], "0 readers match"),
    ]) func tapsThatCannotBe(_ arguments: [String], _ words: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                Executables.cardpresent, ["sale", "--tap", "--vault", place.path("vault")] + arguments)
            #expect(run.status != 0, "\(run.output) \(run.errors)")
            #expect((run.errors + run.output).contains(words), "\(run.output) \(run.errors)")
        }
    }

    /// A chip in Python on a pseudoterminal, whose card has no application and asks for more time.
    @Test func tapsAtASerialReader() async throws {
        let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/pn532.py")
            .standardized
        try await inWorkspace { place in
            async let chip = place.run(
                "/usr/bin/env", ["timeout", "60", "python3", peer.path(percentEncoded: false), place.path("port")])
            for _ in 0..<600 where !place.exists("port") { try await Task.sleep(for: .milliseconds(50)) }
            let run = try await place.run(
                "sale", "12.34", "--tap", "--reader", "pn532:" + place.path("port"), "--vault", place.path("vault"),
                "--trace",
                place.path("tap.apdu"))
            #expect(run.status == 2)
            #expect(run.complaint?.contains("the card has no application that this terminal takes") == true)
            #expect(try place.text("tap.apdu").contains("> 00A404000E325041592E5359532E444446303100\n< 6A82\n"))
            let played = try await chip
            #expect(played.status == 0, "\(played.errors)")
        }
    }

    /// A reader in Python on a pseudoterminal, whose card was never issued by the bench: its
    /// cryptogram is refused by the issuer.
    @Test("A tap at a reader with kernels of its own goes to the host as a contactless chip")
    func tapsAtAReaderWithItsOwnKernel()
        async throws
    {
        let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/neo.py").standardized
        try await inWorkspace { place in
            async let reader = place.run(
                "/usr/bin/env", ["timeout", "60", "python3", peer.path(percentEncoded: false), place.path("port")])
            for _ in 0..<600 where !place.exists("port") { try await Task.sleep(for: .milliseconds(50)) }
            let run = try await place.run(
                "sale", "12.34", "--tap", "--reader", "idtechneo:" + place.path("port"), "--vault", place.path("vault"))
            #expect(run.status == 1, "\(run.output) \(run.errors)")
            #expect(run.output.contains("Contactless chip"))
            #expect(run.output.contains("**** 0119"))
            #expect(run.output.hasSuffix("\nCRYPTOGRAPHIC FAILURE\n"))
            let played = try await reader
            #expect(played.status == 0, "\(played.errors)")
        }
    }

    /// The counter goes on from one sale to the next wherever the profile lets it begin, or the
    /// issuer would see a copy; at its end it is used up.
    @Test func theCounterGoesOn() async throws {
        try await inWorkspace { place in
            let maestro = try String(contentsOfFile: Self.card("maestro"), encoding: .utf8)
            let file = try place.file(
                "card.json", maestro.replacing("\"pin\"", with: "\"initialATC\": 65500, \"pin\"", maxReplacements: 1))
            for expected: Int32 in [0, 0, 0, 2] {
                let run = try await place.run("sale", "12.34", "--card", file, "--vault", place.path("vault"))
                #expect(run.status == expected, "\(run.output) \(run.errors)")
                #expect(expected == 0 || run.complaint?.contains("the card's counter is used up") == true)
            }
        }
    }

    /// A card that fails ends in a declined sale or an error, never in an approval.
    @Test(arguments: ["hostile-endless-chaining", "hostile-removed-after-the-approval", "hostile-late", "blocked-card"])
    func aCardThatFails(_ name: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run("sale", "12.34", "--card", Self.card(name), "--vault", place.path("vault"))
            #expect(run.status == 1 || run.status == 2, "\(run.output)")
            #expect(!run.output.contains("APPROVED"))
            #expect(Canary.hunt(run.output + run.errors) == [])
        }
    }

    @Test func theDemoTakesOneToo() async throws {
        try await inWorkspace { place in
            let run = try await place.run("demo", "--card", Self.card("xda-p521"))
            #expect(run.status == 0, "\(run.output)")
            #expect(run.errors.isEmpty, "\(run.output)")
            #expect(run.output.contains("VISA ECC"))
            #expect(run.output.contains("✓ XDA"))
        }
    }

    // MARK: make

    /// Every style makes a profile that `card show` reads and nothing but remarks are to be made
    /// about, and that sells.
    @Test(
        "Every style makes a profile that card show reads",
        arguments: [
            "visa", "visa-electron", "mastercard", "maestro", "amex", "discover", "diners", "jcb", "unionpay",
            "interac", "common-core",
        ]) func makes(_ scheme: String) async throws
    {
        try await inWorkspace { place in
            let made = try await place.run(
                "card", "make", "card.json", "--scheme", scheme, "--reason", "A new one.", "--languages", "de,en")
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.isEmpty, "\(made.errors)")
            #expect(made.errors.isEmpty, "\(made.errors)")
            let shown = try await place.run("card", "show", "card.json")
            #expect(shown.status == 0)
            #expect(shown.output.hasPrefix("A new one.\n"))
            #expect(shown.output.contains("languages de, en"))
            let checked = try await place.run("card", "check", "--card", "./card.json", "--date", "2026-11-21")
            #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
            #expect(checked.errors.isEmpty, "\(checked.output) \(checked.errors)")
        }
    }

    @Test func makesWhatIsAskedFor() async throws {
        try await inWorkspace { place in
            let arguments = [
                "card", "make", "-", "--scheme", "mastercard", "--pan", "5555555555554444", "--expiry", "2031-05-31",
                "--label", "BENCH", "--oda", "dda", "--cvm", "online-pin,signature,none", "--pin", "none", "--country",
                "276", "--currency", "978", "--declines-above", "5000",
            ]
            let made = try await place.run(Executables.cardpresent, arguments)
            #expect(made.status == 0)
            #expect(made.errors.isEmpty)
            let profile = try #require(try JSONSerialization.jsonObject(with: Data(made.output.utf8)) as? [String: Any])
            let account = try #require(profile["account"] as? [String: Any])
            #expect(account["pan"] as? String == "5555555555554444")
            #expect(account["expiry"] as? String == "2031-05-31")
            #expect(((profile["applications"] as? [[String: Any]])?.first)?["label"] as? String == "BENCH")
            #expect(Set(profile["aip"] as? [String] ?? []).isSuperset(of: ["sda", "dda"]))
            #expect(!(profile["aip"] as? [String] ?? []).contains("cda"))
            let rules = (profile["cvmList"] as? [String: Any])?["rules"] as? [[String: Any]] ?? []
            #expect(rules.map { $0["method"] as? String } == ["encipheredPINOnline", "signature", "noCVM"])
            #expect(profile["pin"] is NSNull)
            #expect(profile["issuerCountryCode"] as? Int == 276)
            #expect(profile["applicationCurrencyCode"] as? Int == 978)
            #expect((profile["riskRules"] as? [String: Any])?["declinesAbove"] as? Int == 5000)
        }
    }

    @Test(arguments: [
        (["--pan", "4012345678901234"], "account.pan: not a published test card number"),
        (["--label", "SEVENTEEN LETTERS"], "applications"),
        (["--expiry", "31.12.2030"], "--expiry takes YYYY-MM-DD"), (["--cvm", "fingerprint"], "--cvm takes"),
        (["--pin", "12"], "--pin takes"),
        (["--languages", "deu"], "languages"),
    ]) func makesNoneOf(_ arguments: [String], _ words: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["card", "make", "card.json"] + arguments)
            #expect(run.status == 2, "\(run.errors)")
            #expect(run.complaint?.contains(words) == true, "\(run.errors)")
            #expect(!place.exists("card.json"))
            #expect(!run.errors.contains("4012345678901234"))
        }
    }

    @Test func makesNoFileTwice() async throws {
        try await inWorkspace { place in
            let file = try place.file("card.json", "mine")
            let run = try await place.run("card", "make", "card.json")
            #expect(run.status == 2)
            #expect(run.complaint?.contains("exists: give another name") == true)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        }
    }

    // MARK: check

    @Test func checksACard() async throws {
        try await inWorkspace { place in
            let good = try await place.run(
                "card", "check", "--card", Self.card("visa-credit"), "--date", "2026-11-21", "--cryptogram")
            #expect(good.status == 0, "\(good.output)")
            #expect(good.errors.isEmpty, "\(good.output)")
            #expect(good.output.hasSuffix("no findings\n"), "\(good.output)")
            let expired = try await place.run(
                "card", "check", "--card", Self.card("visa-credit"), "--date", "2049-12-15")
            #expect(expired.status == 0, "remarks are not a failure")
            #expect(expired.output.contains("expiresSoon"), "remarks are not a failure")
            let odd = try await place.run(
                "card", "check", "--card", Self.card("expired"), "--date", "2026-11-21", "--json")
            #expect(odd.status == 1)
            #expect(odd.errors.isEmpty)
            let document = try #require(try JSONSerialization.jsonObject(with: Data(odd.output.utf8)) as? [String: Any])
            let findings = try #require(document["findings"] as? [[String: String]])
            #expect(
                findings.contains {
                    $0["kind"] == "expired" && $0["severity"] == "warning" && $0["source"] == "EMV 4.4 Book 3, 10.4.3"
                })
            for run in [good, expired, odd] { #expect(Canary.hunt(run.output) == []) }
        }
    }

    @Test(
        "checks a card in a reader's field",
        arguments: [("visa", 0), ("mastercard", 0), ("kernel-8", 0), ("contactless/visa-phone-locked", 1)])
    func checksATap(_ card: String, _ status: Int32) async throws {
        try await inWorkspace { place in
            let card = card.contains("/") ? Self.card(card) : card
            let run = try await place.run("card", "check", "--tap", "--card", card, "--date", "2026-11-21")
            #expect(run.status == status, "\(run.output) \(run.errors)")
            #expect(run.errors.isEmpty, "\(run.output) \(run.errors)")
            #expect(run.output.hasPrefix("1 application, "))
            #expect(run.output.contains("optionsRefused") == (status != 0))
            #expect(Canary.hunt(run.output) == [])
        }
    }

    @Test(
        "card check names what it cannot use",
        arguments: [
            (["--card", "nowhere.json"], "nowhere.json"), (["--card", "visa", "--date", "tomorrow"], "YYYY-MM-DD"),
            (["--card", "visa", "--aid", "A0"], "not an AID"),
            (["--reader", "no such reader"], "0 readers match"),
            (["--tap", "--card", CardCommandTests.card("visa-credit")], "the card has contacts only"),
        ]) func cannotCheck(_ arguments: [String], _ words: String) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["card", "check"] + arguments)
            #expect(run.status == 2, "\(run.errors)")
            #expect(run.output.isEmpty, "\(run.errors)")
            #expect(run.complaint?.contains(words) == true, "\(run.errors)")
        }
    }

    @Test("Wrong usage of card and sale ends with status 64") func wrongUsage() async throws {
        try await inWorkspace { place in
            for arguments in [
                ["card", "show"], ["card", "nonsense"], ["card", "check"],
                ["card", "check", "--card", "visa", "--tap", "--cryptogram"],
                ["card", "make"], ["sale", "1.00", "--card", "maestro"],
            ] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 64, "\(arguments)")
            }
        }
    }
}
