import Foundation
import Testing

/// `cardpresent card show`, and sales with a card from a file.
@Suite(.timeLimit(.minutes(5))) struct CardCommandTests {
    private static func card(_ name: String) -> String { Vectors.folder.appending(path: "cards/\(name).json").path(percentEncoded: false) }

    @Test func showsACard() async throws {
        try await inWorkspace { place in
            let run = try await place.run("card", "show", Self.card("maestro"))
            #expect(run.status == 0 && run.errors.isEmpty)
            for words in [
                "A0000000043060 \"MAESTRO\"", "675964******8453", "CDA supported", "Enciphered PIN verified online", "mastercard10",
            ] {
                #expect(run.output.contains(words), "\(words)")
            }
            #expect(!run.output.contains("6759649826438453") && !run.output.contains("1234"))
            let piped = try await place.run(
                "card", "show", "-", input: String(contentsOfFile: Self.card("maestro"), encoding: .utf8))
            #expect(piped.output == run.output)
        }
    }

    @Test func showsFaults() async throws {
        let run = try await inWorkspace { try await $0.run("card", "show", Self.card("hostile-endless-chaining")) }
        #expect(run.status == 0)
        #expect(run.output.contains("every GET PROCESSING OPTIONS: 61xx without end"))
        #expect(Canary.hunt(run.output) == [])
    }

    private static let wrong: [(String, String)] = [
        ("", "not JSON"), ("{\"applications\": [{\"aid\": \"A00\"}]}", "applications[0].aid: 5 to 16 bytes in hexadecimal, got 'A00'"),
        ("{\"colour\": \"\\u001B[31m\"}", "colour: no such key"),
        (
            "{\"applications\": [{\"aid\": \"A0000000031010\", \"label\": \"X\"}], \"account\": {\"pan\": \"9999999999999995\"}}",
            "account.pan: no published test card number"
        ),
    ]

    /// One line that names the file and the place, for `card show` and for a sale alike; the sale makes no vault.
    @Test(arguments: wrong) func aWrongProfile(_ text: String, _ message: String) async throws {
        try await inWorkspace { place in
            let file = try place.file("card.json", text)
            for arguments in [["card", "show", file], ["sale", "1.00", "--card", file, "--vault", place.path("vault")]] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 2 && run.output.isEmpty)
                #expect(run.complaint?.hasPrefix("\(file): \(message)") == true, "\(run.errors)")
                #expect(!run.errors.contains("9999999999999995"))
            }
            #expect(!place.exists("vault/vault.sqlite"))
        }
    }

    @Test func aMissingFile() async throws {
        try await inWorkspace { place in
            for arguments in [
                ["card", "show", "nowhere.json"], ["sale", "1.00", "--card", "nowhere.json", "--vault", place.path("vault")],
            ] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 2 && run.complaint?.hasPrefix("nowhere.json: ") == true)
            }
        }
    }

    /// Cards of every family of keys and of the schemes that have no style of their own; the test issuer knows each by its number.
    @Test(arguments: [
        ("maestro", "MAESTRO", "**** 8453"), ("unionpay-credit", "UNIONPAY CREDIT", "**** 1232"),
        ("xda-p256", "MASTERCARD ECC", "**** 0119"),
        ("amex-credit", "AMERICAN EXPRESS", "**** 0126"), ("common-core-aes", "COMMON CORE", "**** 0119"),
    ]) func sells(_ name: String, _ label: String, _ number: String) async throws {
        try await inWorkspace { place in
            for _ in 1...2 {
                let run = try await place.run("sale", "12.34", "--card", Self.card(name), "--vault", place.path("vault"))
                #expect(run.status == 0 && run.errors.isEmpty, "\(run.output) \(run.errors)")
                #expect(run.output.contains(label) && run.output.contains(number) && run.output.hasSuffix("\nAPPROVAL\n"))
                #expect(Canary.hunt(run.output) == [])
            }
        }
    }

    /// The counter goes on from one sale to the next wherever the profile lets it begin, or the issuer would see a copy; at its end it is used up.
    @Test func theCounterGoesOn() async throws {
        try await inWorkspace { place in
            let maestro = try String(contentsOfFile: Self.card("maestro"), encoding: .utf8)
            let file = try place.file("card.json", maestro.replacing("\"pin\"", with: "\"initialATC\": 65500, \"pin\"", maxReplacements: 1))
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
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)")
            #expect(run.output.contains("VISA ECC") && run.output.contains("✓ XDA"))
        }
    }

    @Test func wrongUsage() async throws {
        try await inWorkspace { place in
            for arguments in [["card", "show"], ["card", "nonsense"], ["sale", "1.00", "--card", "maestro"]] {
                let run = try await place.run(Executables.cardpresent, arguments)
                #expect(run.status == 64, "\(arguments)")
            }
        }
    }
}
