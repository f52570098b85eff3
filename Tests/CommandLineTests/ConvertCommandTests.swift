import Foundation
import Testing

/// `cardpresent convert`: logs of other tools become traces, and no card data comes along.
@Suite(.timeLimit(.minutes(20))) struct ConvertCommandTests {
    private static let pan = "4761739001010119"

    private func pairs(_ pan: String) -> String { "C-APDU: 00B2010C00\nR-APDU: 700A5A08\(pan)9000\n" }

    @Test func cardDataAreMasked() async throws {
        try await inWorkspace { place in
            let masked = try await place.run("convert", "-", input: pairs(Self.pan))
            #expect(masked.status == 0)
            #expect(masked.errors.isEmpty)
            #expect(
                masked.output == """
                    # cardpresent trace 2, card data hidden
                    # imported-from: pairs
                    > 00B2010C00
                    < 700A5A08476173******01199000

                    """)
            let shown = try await place.run("convert", "--show-card-data", "-", input: pairs(Self.pan))
            #expect(shown.status == 0)
            #expect(shown.output.contains("5A08\(Self.pan)9000"))
        }
    }

    /// A number that no list of test cards has, with a right check digit.
    @Test func aNumberThatIsNoTestCardsIsMaskedAlways() async throws {
        let live = "4929123456789015"
        try await inWorkspace { place in
            let run = try await place.run(
                "convert", "--show-card-data", "-o", place.path("out"), "-", input: pairs(live))
            #expect(run.status == 0)
            #expect(run.complaint?.contains("not a published test number") == true)
            #expect(try place.text("out").contains("492912******9015"))
            #expect(try !place.text("out").contains(live))
            let words = try await place.run(
                "convert", "--show-card-data", "-", input: "> 0084000000\n< 9000\n$ < card \(live) refused\n")
            #expect(words.output.contains("$ < card 492912******9015 refused"))
        }
    }

    @Test func backToPairs() async throws {
        try await inWorkspace { place in
            let text = "> 0084000000\n< 01029000\n= Completion: approved offline\n> 0084000000\n! no answer\n"
            let run = try await place.run("convert", "--to", "pairs", "--show-card-data", "-", input: text)
            #expect(run.output == "0084000000\n01029000\n")
            #expect(run.status == 3)
            #expect(
                run.complaint
                    == "standard input: line 4: a command without an answer, which pairs cannot have: left out")
            let again = try await place.run("convert", "--from", "pairs", "--show-card-data", "-", input: run.output)
            #expect(again.output.hasSuffix("> 0084000000\n< 01029000\n"))
        }
    }

    @Test("A broken line is refused, or skipped on request") func brokenLines() async throws {
        let text = pairs(Self.pan) + "hello\n"
        try await inWorkspace { place in
            let refused = try await place.run("convert", "-", input: text)
            #expect(refused.status == 2)
            #expect(refused.output.isEmpty)
            #expect(refused.complaint?.hasPrefix("standard input: line 3: ") == true)
            let skipped = try await place.run("convert", "--skip-bad-lines", "-", input: text)
            #expect(skipped.status == 3)
            #expect(skipped.output.contains("> 00B2010C00"))
            #expect(skipped.complaint?.hasSuffix("left out") == true)
        }
    }

    /// A published log as pcscd writes it replays as before.
    @Test func replayTakesOtherForms() async throws {
        let log = try Vectors.text("mastercard-contactless-cda").split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix(">") || line.hasPrefix("<") else { return nil }
            return "00000100 \(line.hasPrefix(">") ? "APDU" : "SW"): \(line.dropFirst(2))"
        }
        let run = try await inWorkspace { try await $0.run("replay", "-", input: log.joined(separator: "\n")) }
        #expect(run.status == 3, "the issuer's key is missing")
        #expect(run.output.contains("  kernel  approved (TC)\n  the same"), "the issuer's key is missing")
    }
}

/// `cardpresent record`: what is recorded replays, and shows no card data unless asked to.
@Suite(.timeLimit(.minutes(20))) struct RecordCommandTests {
    private func record(_ place: Workspace, _ arguments: String...) async throws -> Run {
        try await place.run(
            Executables.cardpresent,
            ["record", "12.34", "--vault", place.path("vault"), "-o", place.path("case.apdu")] + arguments)
    }

    @Test(arguments: [
        "visa-credit", "mastercard-credit", "interac-debit", "sda", "xda-p256", "wrong-pin", "common-core-aes",
        "several-applications",
    ])
    func aRecordingReplaysByteByByte(_ card: String) async throws {
        try await inWorkspace { place in
            let profile = Vectors.folder.appending(path: "cards/\(card).json").path(percentEncoded: false)
            let recorded = try await record(place, "--card", profile, "--show-card-data", "--times")
            #expect(recorded.status != 2, "\(recorded.errors)")
            #expect(recorded.errors.isEmpty, "\(recorded.errors)")
            let replayed = try await place.run("replay", "--strict", place.path("case.apdu"))
            #expect(replayed.status == 0, "\(replayed.output.suffix(600))\(replayed.errors)")
            #expect(!replayed.output.contains("✗"))
            let text = try place.text("case.apdu")
            for part in ["# expect: ", "# terminal: ", " ! card presented\n", " = Completion: "] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(
                text.contains(" $ > authorisation, sale of 12.34 EUR")
                    == text.contains("= Online processing: issuer answered"))
        }
    }

    @Test(
        "a recorded tap replays byte by byte",
        arguments: [
            "visa", "mastercard", "contactless/visa-offline", "contactless/mastercard-offline",
            "contactless/mastercard-magstripe",
            "contactless/amex-offline", "contactless/amex-phone", "contactless/unionpay-offline",
            "contactless/unionpay-phone",
            "kernel-8", "contactless/kernel-8-offline",
        ])
    func aTap(_ card: String) async throws {
        try await inWorkspace { place in
            let card =
                card.contains("/")
                ? Vectors.folder.appending(path: "cards/\(card).json").path(percentEncoded: false) : card
            let recorded = try await record(place, "--tap", "--card", card, "--show-card-data", "--times")
            // Also where the card approved offline, and the payment waits for its host.
            #expect(
                recorded.status == 0,
                "\(recorded.output)\(recorded.errors)")
            #expect(
                recorded.errors.hasPrefix("[*...] PRESENT CARD\n"),
                "\(recorded.output)\(recorded.errors)")
            let replayed = try await place.run("replay", "--strict", place.path("case.apdu"))
            // The cryptogram of kernel 8 is over data that no answer has, and that of the American
            // Express card is of no known version.
            let isProved = !card.contains("kernel-8") && !card.contains("amex")
            #expect(replayed.status == (isProved ? 0 : 3), "\(replayed.output.suffix(600))\(replayed.errors)")
            #expect(replayed.output.contains("  the same"))
            #expect(!replayed.output.contains("✗"))
            let text = try place.text("case.apdu")
            // The directory of the field, and the day of the transaction.
            #expect(text.contains("> 00A404000E325041592E5359532E444446303100"))
            #expect(text.contains("# transaction: type=00 amount=1234 "))
        }
    }

    @Test("a recording without card data has no key of kernel 8") func noKeyWithoutCardData() async throws {
        try await inWorkspace { place in
            let masked = try await record(place, "--tap", "--card", "kernel-8")
            let text = try place.text("case.apdu")
            #expect(masked.status == 0)
            #expect(!text.contains("kernel-8-key"))
            let shown = try await record(place, "--tap", "--card", "kernel-8", "--show-card-data", "--force")
            let whole = try place.text("case.apdu")
            #expect(shown.status == 0)
            #expect(whole.contains("# kernel-8-key: "))
        }
    }

    @Test("a log of kernel 8 without its key is replayed and explained with --kernel-8-key, as digits or from a file")
    func keyFromOutside() async throws {
        try await inWorkspace { place in
            let recorded = try await record(place, "--tap", "--card", "kernel-8", "--show-card-data")
            #expect(recorded.status == 0)
            let lines = try place.text("case.apdu").split(separator: "\n").map(String.init)
            let head = try #require(lines.first { $0.hasPrefix("# kernel-8-key: ") })
            let key = String(head.dropFirst("# kernel-8-key: ".count))
            let bare = try place.file("bare.apdu", lines.filter { $0 != head }.joined(separator: "\n") + "\n")
            let without = try await place.run("replay", bare)
            #expect(without.status == 3, "\(without.output)")
            #expect(without.output.contains("--kernel-8-key"), "\(without.output)")
            let file = try place.secret("keys.txt", "# of two taps\n\(String(repeating: "01", count: 32))\n\n\(key)\n")
            for given in [[key], [file], [String(repeating: "01", count: 32), key]] {
                let options = given.flatMap { ["--kernel-8-key", $0] }
                let replayed = try await place.run(Executables.cardpresent, ["replay", "--strict", bare] + options)
                #expect(replayed.status == 3, "\(given)")
                #expect(replayed.output.contains("  the same"), "\(given)")
                #expect(!replayed.output.contains("not replayed"), "\(given)")
                let many = try await place.run(Executables.cardpresent, ["replay", bare, bare] + options)
                #expect(many.status == 0, "\(many.output) \(many.errors)")
                #expect(many.output.contains("2 logs: 2 the same"), "\(many.output) \(many.errors)")
                let explained = try await place.run(
                    Executables.cardpresent, ["explain", bare, "--show-card-data"] + options)
                #expect(
                    explained.output.contains("issuer certificate, ICC certificate right"),
                    "\(explained.output.suffix(400))")
            }
            let explained = try await place.run("explain", bare, "--show-card-data")
            #expect(!explained.output.contains("issuer certificate, ICC certificate right"))
            let bad = try place.secret("bad.txt", "01\n")
            for (given, words) in [
                ("01", "--kernel-8-key is not a private key"), (bad, "line 1 is not a private key"),
                ("no-such-file", "no-such-file"),
            ] {
                for command in ["replay", "explain"] {
                    let run = try await place.run(command, bare, "--kernel-8-key", given)
                    #expect(run.status == 2, "\(run.errors)")
                    #expect(run.complaint?.contains(words) == true, "\(run.errors)")
                }
            }
        }
    }

    /// A card that wants its contacts ends the recording, which has its tap alone.
    @Test func aTapThatWantsTheContacts() async throws {
        try await inWorkspace { place in
            let card = Vectors.folder.appending(path: "cards/contactless/mastercard-without-cda.json").path(
                percentEncoded: false)
            let recorded = try await record(place, "--tap", "--card", card, "--show-card-data")
            #expect(recorded.status == 2, "\(recorded.output)\(recorded.errors)")
            #expect(recorded.complaint?.contains("insert it") == true, "\(recorded.output)\(recorded.errors)")
            let text = try place.text("case.apdu")
            #expect(text.contains("> 00A404000E325041592E5359532E444446303100"))
            #expect(!text.contains(" 00A404000E315041592E5359532E444446303100"))
        }
    }

    @Test("The card is removed before the cryptogram; the kernel of the replay gets the same error") func aRemovedCard()
        async throws
    {
        try await inWorkspace { place in
            let profile = Vectors.folder.appending(path: "cards/hostile-removed-before-the-cryptogram.json").path(
                percentEncoded: false)
            let recorded = try await record(place, "--card", profile, "--show-card-data")
            #expect(recorded.status == 2)
            #expect(try place.text("case.apdu").contains("\n! card removed\n"))
            #expect(try place.text("case.apdu").contains("# expect: terminated: the card was removed\n"))
            let replayed = try await place.run("replay", "--strict", place.path("case.apdu"))
            #expect(replayed.status == 0, "\(replayed.output.suffix(600))")
        }
    }

    @Test("A file that is there is overwritten on request only") func recordsAreNotOverwritten() async throws {
        try await inWorkspace { place in
            #expect(try await record(place).status == 0)
            let before = try place.text("case.apdu")
            let refused = try await record(place)
            #expect(refused.status == 2)
            #expect(refused.errors.contains("--force"))
            #expect(try place.text("case.apdu") == before)
            #expect(try await record(place, "--force").status == 0)
            #expect(try place.text("case.apdu") != before)
        }
    }

    @Test func cardDataAreMasked() async throws {
        try await inWorkspace { place in
            let recorded = try await record(place, "--times")
            #expect(recorded.status == 0)
            #expect(Canary.hunt(try place.contents("case.apdu")) == [])
            #expect(Canary.hunt(recorded.output + recorded.errors) == [])
            let replayed = try await place.run("replay", place.path("case.apdu"))
            #expect(replayed.status == 2)
            #expect(replayed.complaint?.contains("hidden") == true)
        }
    }

    @Test func wireBytesWantAReader() async throws {
        let run = try await inWorkspace { try await record($0, "--wire") }
        #expect(run.status == 2)
        #expect(run.complaint?.contains("--reader") == true)
    }
}
