import Foundation
import SeededNumbers
import Testing

/// For any invalid input, a command prints one line on standard error that names the place, ends
/// with the right status, and leaves nothing broken.
@Suite(.timeLimit(.minutes(20))) struct BadInputTests {
    /// Expects the one line, with `fragments` in it and no card data, and returns it.
    @discardableResult
    private func expectFailure(
        _ run: Run, _ fragments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) -> String {
        #expect(run.status == 2, "\(run.errors)", sourceLocation: sourceLocation)
        #expect(!run.wasKilled, "\(run.errors)", sourceLocation: sourceLocation)
        let complaint = run.complaint
        #expect(complaint != nil, "not one line: \(run.errors)", sourceLocation: sourceLocation)
        for fragment in fragments {
            #expect(
                complaint?.contains(fragment) == true, "\(fragment) is not in: \(run.errors)",
                sourceLocation: sourceLocation)
        }
        #expect(Canary.hunt(run.output + run.errors) == [], sourceLocation: sourceLocation)
        return complaint ?? ""
    }

    @Test(
        "A mistyped command is answered with the nearest one, and nothing that may be card data is repeated",
        arguments: [
            (["expalin", "x"], "cardpresent has no command \"expalin\": did you mean \"explain\"?"),
            (["sal"], "did you mean \"sale\"?"),
            (["host", "srve"], "cardpresent host has no command \"srve\": did you mean \"serve\"?"),
            (["4111111111111111"], "cardpresent has no command of that name: `cardpresent --help` lists them"),
            (
                ["card", "frobnicate"],
                "cardpresent card has no command \"frobnicate\": `cardpresent card --help` lists them"
            ),
        ])
    func mistyped(_ words: [String], _ complaint: String) async throws {
        let run = try await inWorkspace { try await $0.run(Executables.cardpresent, words) }
        #expect(run.status == 64, "\(run.errors)")
        #expect(run.errors.contains(complaint), "\(run.errors)")
        #expect(Canary.hunt(run.errors + run.output) == [])
    }

    @Test(
        "Words that people type get an answer in their words",
        arguments: [
            (["decode", "--tag", "95", "80"], "the value does not fit tag 95: not 5 bytes long"),
            (
                ["decode", "--tag", "8E", "0000"],
                "the value does not fit tag 8E: not a CVM list: eight bytes and pairs are required"
            ),
            (["decode", "--tag", "9F38", "9F66"], "the value does not fit tag 9F38: not a data object list"),
            (
                ["decode", "--tag", "57", "4761739001010119"],
                "the value does not fit tag 57: not a track 2: a D behind the PAN"
            ),
            (["decode", "--tag", "94", "0801"], "the value does not fit tag 94: not a valid application file locator"),
            (["decode", "--tag", "9F36", "01"], "the value does not fit tag 9F36: not 2 bytes long"),
            (["decode", "--tag", "86", "0084"], "the value does not fit tag 86: not a command"),
            (["decode", "--tag", "70", "9F02"], "the value does not fit tag 70: not BER-TLV"),
            (["decode", "--json", "--tag", "5F24", "26AB21"], "the value does not fit tag 5F24: not a date"),
            (["sale", "99999999999"], "the amount is too large, or has no decimals"),
            (["swipe", "--device", "/dev/null", "--family", "keyboard wedge"], "the file is no keyboard"),
        ])
    func plainWords(_ words: [String], _ complaint: String) async throws {
        let run = try await inWorkspace { try await $0.run(Executables.cardpresent, words) }
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains(complaint), "\(run.errors)")
    }

    @Test("An AID is one, and no broken data object") func anAID() async throws {
        let run = try await inWorkspace { try await $0.run("decode", "A0000000031010") }
        #expect(run.status == 0)
        #expect(run.output == "AID A0000000031010, Visa\n")
    }

    // MARK: Logs

    /// Whether a cut log ends with the whole answer to a GENERATE AC: then it is one that a
    /// terminal may have stopped at.
    private func endsWithACryptogram(_ log: ArraySlice<UInt8>, isLineEnd: Bool) -> Bool {
        let lines = String(decoding: log, as: UTF8.self).split(separator: "\n").suffix(2)
        return isLineEnd && lines.count == 2 && lines[lines.startIndex].hasPrefix("> 80AE")
            && lines[lines.startIndex + 1].hasPrefix("<")
    }

    /// Every line end and some places within lines. Only a log that has its whole last answer may
    /// be found good.
    @Test(arguments: Vectors.traces) func aLogThatIsCutOff(_ name: String) async throws {
        let log = Array(try Vectors.text(name).utf8)
        let whole = log.count - 1
        var random = SplitMix(seed: 0x00CA_4D00)
        var cuts = log.indices.filter { log[$0] == 0x0A } + [0, 1, log.count]
        // The last answer is where a cut is hardest to see.
        cuts += stride(from: whole - 16, to: whole, by: 1)
        cuts += (0..<16).map { _ in Int.random(in: 0..<whole, using: &random) }
        try await inWorkspace { place in
            for cut in Set(cuts).sorted() {
                let flags = cut.isMultiple(of: 3) ? ["--explain"] : cut.isMultiple(of: 5) ? ["--json"] : []
                let run = try await place.run(
                    Executables.cardpresent, ["replay", "-"] + flags,
                    input: String(decoding: log[..<cut], as: UTF8.self))
                #expect(!run.wasKilled, "cut at \(cut)")
                let isWhole = cut >= whole || endsWithACryptogram(log[..<cut], isLineEnd: log[cut] == 0x0A)
                let good: Int32 = name == "mastercard-contactless-cda" ? 3 : 0
                #expect(isWhole ? run.status == good : [1, 2].contains(run.status), "cut at \(cut): \(run.status)")
                #expect(run.status != 2 || run.complaint?.contains("line ") == true, "cut at \(cut): \(run.errors)")
                let found = Canary.hunt(run.output + run.errors)
                #expect(found == [], "cut at \(cut)")
            }
        }
    }

    @Test(arguments: [
        ("", "line 1: the trace contains no exchange"), ("\n\n# title: nothing\n", "the trace contains no exchange"),
        ("> 00A4040007A0000000031010zz\n", "line 1: \"z\" at position"), ("> 00A4040007A000000003101\n", "line 1: "),
        ("\n> 00A40400\n", "line 2: the command has no answer"), ("< 9000\n", "line 1: an answer without a command"),
        ("> 00A40400FF00\n< 9000\n", "line 1: "), ("> 00A40400\n< 90\n", "line 2: "),
        ("> 00A40400\n> 00A40400\n", "line 1: "),
        ("4761739001010119\n", "line 1: these 8 bytes are not a command"),
        ("> 00A40400\n< 5A084761739001010119900\n", "line 2: "),
        ("> 00B2010C00\n< 700A5A08********010119909000\n", "line 2: the digits are hidden"), ("> é\n", "line 1: "),
        ("\u{0}\u{1}\u{2}", "line 1: "),
    ]) func aTextThatIsNoLog(_ text: String, _ fragment: String) async throws {
        try await inWorkspace { place in
            let piped = try await place.run("replay", "-", input: text)
            expectFailure(piped, "standard input: ", fragment)
            let file = try place.file("log", text)
            let named = try await place.run("replay", file)
            expectFailure(named, "\(file): ", fragment)
        }
    }

    /// Lengths that lie within a log: the replay ends, and shows no card data.
    @Test(arguments: [
        ("70625A08", "70625A7F"), ("70625A08", "70615A08"), ("70625A08", "70635A08"), ("70625A08", "70825A08"),
        ("70625A08", "70845A08"),
        ("800E1C00", "80FF1C00"), ("6F168407", "6F1684FF"), ("80124000", "80FF4000"), ("80124000", "80024000"),
    ]) func aLogWhoseLengthsLie(_ old: String, _ new: String) async throws {
        let log = try Vectors.text("visa-contact-online").replacing(old, with: new)
        try await inWorkspace { place in
            for flags in [[], ["--explain"], ["--json"]] {
                let run = try await place.run(Executables.cardpresent, ["replay", "-"] + flags, input: log)
                #expect(!run.wasKilled, "\(run.status): \(run.errors)")
                #expect([1, 2].contains(run.status), "\(run.status): \(run.errors)")
                #expect(run.errors.isEmpty || run.complaint != nil)
                #expect(Canary.hunt(run.output + run.errors) == [])
            }
        }
    }

    // MARK: Data to decode

    @Test(arguments: [
        (["5A084761739001010119X"], "\"X\" at position 21"),
        (["5A08476173900101"], "5A at byte 0 announces 8 bytes but 6 follow"),
        (["70035A0847617390"], "5A at byte 2 announces 8 bytes but 1 follow"),
        (["70819F5A08"], "announces 159 bytes but 2 follow"),
        (["7080"], "the length at byte 1"), (["5A84FFFFFFFF47"], "the length at byte 1"),
        (["9F"], "within the tag at byte 0"),
        (["9F02"], "within the length at byte 2"), (["FF81818101"], "longer than four bytes"),
        (["FFFFFFFFFF01"], "within the length at byte 6"), (["5A0"], "3 hexadecimal digits"),
        ([""], "no digits"),
        (["4761", "7390", "0101", "0119"], "announces"), (["--dol", "9F"], "within the tag at byte 0"),
        (["--dol", "9F02"], "within the length"),
        (["--tag", "4761739001010119", "00"], "--tag"), (["--tag", "", "00"], "--tag"),
        (["--tag", "95", "xy"], "position 1"),
        (["%E?"], "track 1: the reader could not decode"), ([";4761739001010119"], "breaks off after character 17"),
        (["%"], "breaks off"),
        ([";47617390010101*9?"], "character 16"), (["--tag", "57", ";4761739001010119=4912?"], "--tag and --dol"),
        ([";?"], "track 2 blank"),
    ]) func dataThatAreNoTLV(_ arguments: [String], _ fragment: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["decode"] + arguments)
            expectFailure(run, fragment)
            // What comes before the damage is shown.
            #expect(run.output.isEmpty || run.output.hasPrefix("70 READ RECORD Response Message Template, "))
        }
    }

    @Test func deepNestingIsRefused() async throws {
        try await inWorkspace { place in
            // Each E1 holds all that follows; two bytes of length for each of 2000 levels.
            var nested: [UInt8] = []
            for _ in 0..<2000 { nested = [0xE1, 0x82, UInt8(nested.count >> 8), UInt8(nested.count & 0xFF)] + nested }
            let run = try await place.run("decode", "-", input: nested.map { String(format: "%02X", $0) }.joined())
            expectFailure(run, "nested deeper than")
        }
    }

    // MARK: Files

    @Test func filesThatCannotBeRead() async throws {
        try await inWorkspace { place in
            let log = Vectors.trace("visa-contact-online")
            let binary = try place.file("binary", (0..<2048).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 0x80) })
            let huge = try place.file("huge", "")
            try FileHandle(forWritingTo: URL(filePath: huge)).truncate(atOffset: 1 << 34)
            let folder = place.folder.path(percentEncoded: false)
            for (path, asLogReason, asKeysReason) in [
                (place.path("missing"), "No such file or directory", "No such file or directory"),
                (folder, "no logs found", "Is a directory"), (binary, "not a text in UTF-8", "not a text in UTF-8"),
                (huge, "larger than 64 MiB", "larger than 16 MiB"),
                ("/dev/zero", "larger than 64 MiB", "larger than 16 MiB"),
                ("", "No such file", "No such file"), ("\(log)/x", "Not a directory", "Not a directory"),
            ] {
                let asLog = try await place.run("replay", path)
                expectFailure(asLog, "\(path): ", asLogReason)
                let asKeys = try await place.run("replay", log, "--ca-keys", path)
                expectFailure(asKeys, "\(path): ", asKeysReason)
                #expect(asLog.output.isEmpty)
                #expect(asKeys.output.isEmpty)
            }
            let piped = try await place.run("decode", "-", input: String(repeating: "00 ", count: 6 << 20))
            expectFailure(piped, "standard input: larger than 16 MiB")
            let vectors = try await place.run("demo", "--vectors", place.path("missing"))
            expectFailure(vectors, "\(place.path("missing")): no folder of CardPresent's vectors")
        }
    }

    @Test func keyFilesThatAreNone() async throws {
        let good = try String(contentsOf: Vectors.folder.appending(path: "keys/ca-test-keys.tsv"), encoding: .utf8)
        try await inWorkspace { place in
            for (text, fragment) in [
                ("rubbish\n", "line 1: expected [scheme] RID index exponent modulus"),
                ("# keys\n\nA000000004 EF 03 12G4\n", "line 3: \"G\" at position 3"),
                ("A0000004 EF 03 1234\n", "line 1: "), ("A000000004 EF 03 \n", "line 1: "),
                ("X A000000004 EFEF 03 1234\n", "line 1: the RID has 5 bytes"),
                ("A000000004 EF 02 0000\n", "line 1: "),
            ] {
                let keys = try place.file("keys", text)
                let run = try await place.run("replay", "--ca-keys", keys, Vectors.trace("mastercard-contactless-cda"))
                expectFailure(run, "\(keys): ", fragment)
                #expect(run.output.isEmpty)
            }
            // One bad line among good ones is lost and named, and what it would have checked is not
            // checked.
            let keys = try place.file("keys", good.replacing("A191CB87473F", with: "A191CB87473E"))
            let run = try await place.run("replay", "--ca-keys", keys, Vectors.trace("mastercard-contactless-cda"))
            let lines = good.split(separator: "\n", omittingEmptySubsequences: false)
            let line = try #require(lines.firstIndex { $0.contains("A191CB87473F") }) + 1
            #expect(run.status == 3)
            #expect(run.complaint?.contains("line \(line): the check sum is not that of the key: left out") == true)
            #expect(run.output.contains("which cannot be checked: CA key A000000004 EF not found"))
        }
    }

    // MARK: Vaults

    /// A vault in `place` that is known to work.
    private func makeVault(_ place: Workspace) async throws -> String {
        let run = try await place.run("sale", "1.00", "--register", "customer", "--vault", place.path("vault"))
        #expect(run.status == 0, "\(run.errors)")
        return place.path("vault")
    }

    private func expectWorking(_ vault: String, _ place: Workspace, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let sale = try await place.run("sale", "1.00", "--vault", vault)
        #expect(sale.status == 0, "the vault works no more: \(sale.errors)", sourceLocation: sourceLocation)
        let show = try await place.run("secure-card", "show", "customer", "--vault", vault)
        #expect(show.status == 0, "the secure card is lost: \(show.errors)", sourceLocation: sourceLocation)
    }

    @Test func vaultKeysThatDoNotFit() async throws {
        try await inWorkspace { place in
            let vault = try await makeVault(place)
            let other = try place.file("other", String(repeating: "5C", count: 32) + "\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other)
            expectFailure(
                try await place.run("sale", "1.00", "--vault", vault, "--vault-key", other),
                "the vault's key: other users have access to \(other): chmod 600 \(other)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
            for command in [["sale", "1.00"], ["secure-card", "show", "customer"]] {
                let run = try await place.run(
                    Executables.cardpresent, command + ["--vault", vault, "--vault-key", other])
                expectFailure(run, "vault \(vault) was made with another key")
                #expect(run.output.isEmpty)
            }
            let key = try place.text("vault.key")
            let misplaced = try await place.run("sale", "1.00", "--vault", vault, "--vault-key", place.path("new"))
            expectFailure(misplaced, "was made with another key")
            for (text, reason) in [
                ("", "64 hexadecimal digits, not 0"), ("5C", "64 hexadecimal digits, not 2"),
                (String(repeating: "5C", count: 33), "not 66"),
                (String(repeating: "5", count: 63), "63 hexadecimal digits"),
                (String(repeating: "x", count: 64), "\"x\" at position 1"),
            ] {
                let file = try place.file("bad", text)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                let run = try await place.run("sale", "1.00", "--vault", vault, "--vault-key", file)
                expectFailure(run, "\(file): ", reason)
                #expect(try place.text("bad") == text, "a key file is never overwritten")
            }
            let folder = try await place.run(
                "sale", "1.00", "--vault", vault, "--vault-key", place.folder.path(percentEncoded: false))
            expectFailure(folder, "is not a file")
            #expect(try place.text("vault.key") == key)
            try await expectWorking(vault, place)
        }
    }

    @Test func foldersThatCannotBeMade() async throws {
        try await inWorkspace { place in
            let file = try place.file("file", "")
            for vault in [file, "\(file)/vault", "/proc/cardpresent", "/dev/null/vault"] {
                for command in [["sale", "1.00"], ["secure-card", "show", "customer"], ["demo"]] {
                    let run = try await place.run(Executables.cardpresent, command + ["--vault", vault])
                    expectFailure(run, vault)
                    #expect(run.output.isEmpty)
                }
            }
        }
    }

    @Test func aVaultThatWasDamaged() async throws {
        try await inWorkspace { place in
            let vault = try await makeVault(place)
            let counter = try place.text("vault/virtual-card.atc")
            for text in ["", "rubbish\n", "-1\n", "99999999\n"] {
                _ = try place.file("vault/virtual-card.atc", text)
                let run = try await place.run("sale", "1.00", "--vault", vault)
                expectFailure(run, "\(place.path("vault/virtual-card.atc")): ")
            }
            _ = try place.file("vault/virtual-card.atc", "65530\n")
            let usedUp = try await place.run("sale", "1.00", "--vault", vault)
            expectFailure(usedUp, "the card's counter is used up")
            _ = try place.file("vault/virtual-card.atc", counter)
            try await expectWorking(vault, place)

            let whole = try place.contents("vault/vault.sqlite")
            for damaged in [
                Array("no database".utf8) + [UInt8](repeating: 7, count: 4096), Array(whole[..<5000]),
                [UInt8](whole[..<100]),
            ] {
                _ = try place.file("vault/vault.sqlite", damaged)
                let run = try await place.run("sale", "1.00", "--vault", vault)
                expectFailure(run, "vault")
            }
            _ = try place.file("vault/vault.sqlite", whole)
            try await expectWorking(vault, place)
        }
    }

    // MARK: Full disks

    @Test func aTraceOnAFullDisk() async throws {
        try await inWorkspace { place in
            let vault = try await makeVault(place)
            for command in [["sale", "1.00"], ["secure-card", "register", "other"], ["demo"]] {
                let run = try await place.run(
                    Executables.cardpresent, command + ["--vault", vault, "--trace", "/dev/full"])
                expectFailure(run, "/dev/full: No space left on device")
            }
            let missing = try await place.run("sale", "1.00", "--vault", vault, "--trace", place.path("no/trace"))
            expectFailure(missing, "\(place.path("no/trace")): No such file or directory")
            #expect(missing.output.isEmpty, "nothing is sold before it is known that the trace can be written")
            try await expectWorking(vault, place)
        }
    }

    @Test(arguments: [
        ["--help"], ["decode", "95058000008000"], ["replay", Vectors.trace("visa-contact-online")], ["demo"],
    ])
    func outputOnAFullDisk(_ command: [String]) async throws {
        try await inWorkspace { place in
            let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
            let run = try await place.run(Executables.cardpresent, command, output: full)
            expectFailure(run, "standard output: No space left on device")
        }
    }

    /// No file may grow beyond some blocks of 512 bytes: the database, its log and the trace run
    /// into it at different places.
    @Test func aVaultThatCannotGrow() async throws {
        try await inWorkspace { place in
            let vault = try await makeVault(place)
            var statuses: [Int32] = []
            for blocks in [1, 4, 8, 40, 64, 90, 112, 115, 130, 200, 2000] {
                let limit = "trap '' XFSZ; ulimit -f \(blocks)"
                // One in the vault that is there, one in a new vault.
                for (folder, reference) in [(vault, "r\(blocks)"), (place.path("new-\(blocks)"), "customer")] {
                    let run = try await place.runInShell(
                        limit, "sale", "1.00", "--register", reference, "--vault", folder)
                    statuses.append(run.status)
                    switch run.status {
                    case 0: break
                    // The host was asked, and failed, or the journal did not take the outcome.
                    case 1:
                        #expect(
                            run.output.contains("known") || run.output.contains("nothing is charged"), "\(run.output)")
                    default: expectFailure(run)
                    }
                    if run.status != 0 && folder != vault {
                        let again = try await place.run("sale", "1.00", "--register", reference, "--vault", folder)
                        #expect(
                            again.status == 0, "with \(blocks) blocks something was left half done: \(again.errors)")
                    }
                    try await expectWorking(folder, place)
                }
            }
            #expect(statuses.contains(2), "the limits are such that both happens")
            #expect(statuses.contains(0), "the limits are such that both happens")
        }
    }

    /// With no room for a single byte not even the key is there afterwards, rather than an empty
    /// one.
    @Test func aKeyThatCannotBeWritten() async throws {
        try await inWorkspace { place in
            let run = try await place.runInShell(
                "trap '' XFSZ; ulimit -f 0", "sale", "1.00", "--vault", place.path("vault"))
            #expect(run.status == 2)
            #expect(try place.files().keys.allSatisfy { $0.hasPrefix("run-") })
            let next = try await place.run("sale", "1.00", "--register", "customer", "--vault", place.path("vault"))
            #expect(next.status == 0)
            try await expectWorking(place.path("vault"), place)
        }
    }

    // MARK: Arguments

    @Test(arguments: [
        (["sale", "1.5"], "an amount in EUR needs 2 decimals"), (["sale", "1 2 EUR"], "not an amount"),
        (["sale", "0.00"], "above zero"),
        (["sale", "01.00"], "not an amount"),
        (["sale", "1,00"], "not an amount"), (["sale", "99999999999999999.00"], "too large"),
        (["sale", "4761739001010119"], "decimals"),
        (["sale", "1.00", "--order", "4761739001010119"], "card number"), (["sale", "1.00", "--order", ""], "empty"),
        (["sale", "1.00", "--register", "4761 7390 0101 0119"], "card number"),
        (["secure-card", "register", "4761739001010119"], "card number"),
        (["secure-card", "register", "4761-7390-0101-0119"], "card number"),
        (["secure-card", "show", String(repeating: "x", count: 49)], "49"),
        (["secure-card", "show", "nobody"], "secure card not found"),
        (["secure-card", "edit", "nobody"], "secure card not found"),
        (["secure-card", "delete", "nobody"], "secure card not found"),
    ]) func argumentsThatAreRefused(_ arguments: [String], _ fragment: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments + ["--vault", place.path("vault")])
            expectFailure(run, fragment)
            #expect(run.output.isEmpty)
            for (name, bytes) in try place.files() { #expect(Canary.hunt(bytes) == [], "\(name)") }
        }
    }

    @Test(
        "Wrong usage ends with status 64",
        arguments: [
            ["nonsense"], ["decode"], ["decode", "--dol", "--tag", "95", "00"], ["decode", "--nonsense", "00"],
            ["replay"],
            ["replay", "a", "-"],
            ["replay", "--ca-keys"], ["sale"], ["sale", "1.00", "--card", "amex"], ["sale", "1.00", "--vault"],
            ["secure-card", "register"],
            ["secure-card", "show"], ["secure-card", "nonsense"], ["demo", "--nonsense"], ["demo", "extra"],
        ]) func wrongUsage(_ arguments: [String]) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments)
            #expect(run.status == 64)
            #expect(run.output.isEmpty)
            #expect(run.errors.hasPrefix("Error: "))
            #expect(run.errors.contains("--help"))
            #expect(try place.files().keys.allSatisfy { $0.hasPrefix("run-") })
        }
    }
}
