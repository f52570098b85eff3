import Foundation
import Testing

/// `cardpresent explain`: what it prints and writes, and how it ends.
@Suite(.timeLimit(.minutes(20))) struct ExplainCommandTests {
    /// The status tells of the ARPC that Mastercard's terminal made up, and of the tap's TC, which
    /// only its issuer can check.
    @Test("Text, JSON and page of every capture; without a card number", arguments: Vectors.traces) func everyForm(
        _ name: String
    )
        async throws
    {
        try await inWorkspace { place in
            let statuses: [String: Int32] = [
                "mastercard-contact-online": 1, "mastercard-contactless-cda": 3, "visa-contact-online": 3,
            ]
            let status = statuses[name] ?? 0
            let text = try await place.run("explain", Vectors.trace(name))
            #expect(text.status == status)
            #expect(text.errors.isEmpty)
            let piped = try await place.run("explain", "-", input: try Vectors.text(name))
            #expect(piped.status == status)
            #expect(piped.output == text.output)
            let json = try await place.run("explain", "--json", Vectors.trace(name))
            let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let verdict = document?["verdict"] as? [String: Any]
            let sentence = try #require(verdict?["sentence"] as? String)
            #expect(text.output.contains(sentence))
            let page = try await place.run("explain", "--html", place.path("page.html"), Vectors.trace(name))
            #expect(page.status == status)
            #expect(page.output == sentence + "\n")
            let html = try place.text("page.html")
            #expect(html.hasPrefix("<!DOCTYPE html>"))
            #expect(Canary.hunt(text.output + json.output + html) == [])
        }
    }

    @Test("A line that is broken is named, the rest is explained, and the status says that something was left out")
    func brokenLines()
        async throws
    {
        let log = try Vectors.text("visa-contact-online") + "> 00XX\nhello\n"
        let count = try Vectors.text("visa-contact-online").split(separator: "\n", omittingEmptySubsequences: false)
            .count
        let run = try await inWorkspace { try await $0.run("explain", "-", input: log) }
        #expect(run.status == 3)
        #expect(run.errors.contains("standard input: line \(count): "))
        #expect(run.errors.contains("standard input: line \(count + 1): "))
        #expect(run.output.contains("approved online"))
        #expect(run.output.contains("- line \(count): not read: "))
    }

    /// A number that no list of test cards has, with a right check digit, in the captured log of a
    /// test card.
    @Test(arguments: [["explain"], ["explain", "--json"], ["replay", "--explain"]])
    func aNumberThatIsNoTestCardsIsMaskedAlways(
        _ command: [String]
    ) async throws {
        let shown = "4761340000000050"
        let live = "4929123456789015"
        let log = try Vectors.text("visa-contact-online")
        try #require(log.contains(shown))
        try await inWorkspace { place in
            let test = try await place.run(Executables.cardpresent, command + ["--show-card-data", "-"], input: log)
            #expect(test.output.contains(shown))
            let run = try await place.run(
                Executables.cardpresent, command + ["--show-card-data", "-"], input: log.replacing(shown, with: live))
            #expect(run.output.contains("492912"))
            #expect(!run.output.contains(live))
            #expect(run.errors.contains("not a published test number"))
        }
    }

    @Test func whatTheLogItselfMasksIsNotShown() async throws {
        let log = "> 00B2010C00\n< 700A5A08476173******01199000\n"
        let run = try await inWorkspace { try await $0.run("explain", "--show-card-data", "-", input: log) }
        #expect(run.errors.contains("masked in the log itself"))
        #expect(!run.errors.contains("published test number"))
    }

    @Test(arguments: ["", "hello\n", "# title: nothing\n"]) func nothingToExplain(_ text: String) async throws {
        let run = try await inWorkspace { try await $0.run("explain", "-", input: text) }
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.contains("standard input: "))
    }

    @Test("The key of the log's head, and another one") func issuerKeys() async throws {
        try await inWorkspace { place in
            let right = try await place.run(
                "explain", "--issuer-key", "2315208C9110AD402315208C9110AD40", "--cryptogram-version", "visa-10",
                Vectors.trace("visa-contact-online"))
            // The terminal's made-up answer to the card cannot be checked.
            #expect(right.status == 3)
            #expect(right.output.contains("✓ ARQC, first GENERATE AC"))
            let wrong = try await place.run(
                "explain", "--issuer-key", "2315208C9110AD402315208C9110AD41" + "", "--cryptogram-version", "visa-18",
                Vectors.trace("visa-contact-online"))
            #expect(wrong.status == 1)
            #expect(wrong.output.contains("✗ ARQC, first GENERATE AC"))
            for arguments in [
                ["--cryptogram-version", "visa-10"], ["--issuer-key", "00", "--cryptogram-version", "visa-99"],
            ] {
                let usage = try await place.run(
                    Executables.cardpresent, ["explain", Vectors.trace("visa-contact-online")] + arguments)
                #expect(usage.status == 64)
            }
        }
    }

    @Test("Text, JSON and page of two logs, and how the status tells of a difference") func twoLogs() async throws {
        let other = try Vectors.text("visa-contact-online").replacing("9F0702FF80", with: "9F0702FF00")
        try await inWorkspace { place in
            let trace = Vectors.trace("visa-contact-online")
            let same = try await place.run("explain", "--diff", trace, trace)
            #expect(same.status == 0)
            #expect(same.output.contains("nothing but values that are new in each transaction"))
            let changed = try place.file("changed.apdu", other)
            let different = try await place.run("explain", "--diff", trace, changed)
            #expect(different.status == 1)
            #expect(different.output.contains("9F07 Application Usage Control"))
            let json = try await place.run(
                "explain", "--json", "--html", place.path("page.html"), "--diff", trace, changed)
            let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let first = document?["first"] as? [String: Any]
            #expect(json.status == 1)
            #expect(first?["left"] as? String == "FF80")
            #expect(first?["right"] as? String == "FF00")
            #expect(try place.text("page.html").hasPrefix("<!DOCTYPE html>"))
            #expect(Canary.hunt(different.output + json.output + (try place.text("page.html"))) == [])
            let missing = try await place.run("explain", "--diff", trace, place.path("none.apdu"))
            #expect(missing.status == 2)
            #expect(missing.errors.contains("none.apdu"))
        }
    }

    @Test("Three transactions in one log: an index, and a section, a page or a JSON object for each")
    func manyTransactions() async throws {
        try await inWorkspace { place in
            let log = try place.file("day.apdu", Vectors.traces.map(Vectors.text).joined(separator: "\n"))
            let text = try await place.run("explain", log)
            #expect(text.output.contains("3 transactions"))
            #expect(text.output.contains("Transaction 3"))
            let pages = try await place.run("explain", "--html", place.path("day.html"), log)
            #expect(pages.output.contains("3 transactions"))
            #expect(pages.status == text.status)
            #expect(try place.text("day.html").contains("<a href=\"day-2.html\">"))
            for number in 1...3 { #expect(try place.text("day-\(number).html").hasPrefix("<!DOCTYPE html>")) }
            let json = try await place.run("explain", "--json", log)
            let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect((document?["transactions"] as? [Any])?.count == 3)
            #expect(document?["version"] as? Int == 1)
            let second = try await place.run("explain", "--transaction", "2", log)
            #expect(second.output.contains("What it was"))
            #expect(!second.output.contains("3 transactions"))
            let fourth = try await place.run("explain", "--transaction", "4", log)
            #expect(fourth.status == 2)
            #expect(fourth.errors.contains("the log has no transaction 4"))
        }
    }
}
