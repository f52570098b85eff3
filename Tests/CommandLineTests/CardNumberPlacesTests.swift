import Foundation
import Testing

/// Places of a published test number where nobody looks for one: no command shows it whole.
@Suite struct CardNumberPlacesTests {
    private static let number = "4111111111111111"
    private static let characters = "34" + String(repeating: "31", count: 15)

    private func expectHidden(_ run: Run, _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let shown = run.output + run.errors
        #expect(!shown.contains(Self.number), "\(what): \(shown)", sourceLocation: sourceLocation)
        #expect(!shown.contains(Self.characters), "\(what): \(shown)", sourceLocation: sourceLocation)
        #expect(!shown.contains("\u{1B}"), "\(what)", sourceLocation: sourceLocation)
    }

    @Test("an answer to reset and the name of a reader, of each log") func resets() async throws {
        try await inWorkspace { place in
            let atr = "3B9F95813FC7A0\(Self.characters)9000"
            let logs = [
                "# reader: Reader \(Self.number)\n! reset \(atr)\n> 00A4040007A000000003101000\n< 6F108407A0000000031010A50550034142439000\n",
                "! card inserted, \(atr)\n> 00A4040007A000000003101000\n< 6A82\n",
                "Using reader 4111:1111:1111:1111\nReset: \(atr)\n> 00 a4 04 00 02 3f 00\n< 6a 82\n",
            ]
            for (index, text) in logs.enumerated() {
                let log = try place.file("log-\(index).apdu", text)
                for command in [
                    ["convert"], ["convert", "--to", "pairs"], ["explain"], ["explain", "--json"], ["replay"],
                ] {
                    expectHidden(try await place.run(Executables.cardpresent, command + [log]), "\(command) \(index)")
                }
            }
            let kept = try await place.run("convert", place.path("log-0.apdu"))
            #expect(kept.output.contains("! reset 3B9F95813FC7A0343131"))
            let again = try await place.run("convert", place.file("again.apdu", kept.output))
            #expect(again.status == 0, "it is still an answer to reset")
            #expect(again.output.contains("! reset 3B9F95813FC7A0343131"), "it is still an answer to reset")
        }
    }

    @Test("the name of a file, in messages and reports") func names() async throws {
        try await inWorkspace { place in
            let log = try place.file("\(Self.number).apdu", "> 00A4040007A000000003101000\n< 6A82\n")
            let missing = place.path("none-\u{1B}[31m-\(Self.number)")
            let junit = place.path("junit.xml")
            for command in [
                ["replay", log], ["replay", log, "--json"], ["replay", log, "--junit", junit], ["explain", log],
                ["explain", missing],
                ["convert", missing], ["decode", missing], ["card", "show", missing], ["card", "make", log],
                ["replay", missing],
            ] {
                expectHidden(try await place.run(Executables.cardpresent, command), "\(command)")
            }
            #expect(try !place.text("junit.xml").contains(Self.number))
        }
    }

    @Test("the keys and values of a file with a fault") func documents() async throws {
        try await inWorkspace { place in
            for text in [
                #"{"\#(Self.number)": 1}"#, #"{"reason": 1, "pan": "\#(Self.number)"}"#,
                #"{"languages": "\#(Self.number)"}"#,
            ] {
                let file = try place.file("card.json", text)
                let run = try await place.run("card", "show", file)
                #expect(run.status == 2)
                expectHidden(run, text)
            }
        }
    }
}
