import Foundation
import Testing

/// Taps of the cards in Vectors/cards/contactless with an amount of every class: below the reader's
/// floor limit, above it, and above its limit for cardholder verification. What the terminal said
/// and did is what `explain` and `replay` say of the recording.
@Suite(.timeLimit(.minutes(20))) struct TapRecordingTests {
    static let names: [String] = {
        let folder = Vectors.folder.appending(path: "cards/contactless").path(percentEncoded: false)
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            // The reader's limits end each of its taps, after a minute of the clock.
            .filter { $0.hasSuffix(".json") && $0 != "hostile-more-time-without-end.json" }.sorted()
    }()

    private struct Recorded: Decodable {
        struct Sale: Decodable {
            let outcome: String
            let description: String
        }
        let sale: Sale?
    }

    private struct Explained: Decodable {
        struct Verdict: Decodable {
            let outcome: String
            let sentence: String
        }
        let verdict: Verdict?
        let transactions: [Explained]?

        /// Of the last tap, which decided.
        var last: Verdict? { verdict ?? transactions?.last?.verdict }
    }

    private struct Replayed: Decodable {
        let endsAlike: Bool
        let replayedOutcome: String?
        let isCutShort: Bool
    }

    private func decoded<Value: Decodable>(_ run: Run, _ comment: String) throws -> Value {
        try #require(
            try? JSONDecoder().decode(Value.self, from: Data(run.output.utf8)),
            "\(comment): \(run.status) \(run.errors)")
    }

    @Test func thereAreSome() { #expect(Self.names.count >= 70) }

    @Test(arguments: names) func wordsAreTrue(_ name: String) async throws {
        let card = Vectors.folder.appending(path: "cards/contactless/\(name)").path(percentEncoded: false)
        try await inWorkspace { place in
            for amount in ["5.00", "30.00", "60.00"] {
                let comment = "\(name) \(amount)"
                let file = place.path("\(amount).apdu")
                let run = try await place.run(
                    Executables.cardpresent,
                    [
                        "record", amount, "--tap", "--card", card, "--show-card-data", "--json", "--vault",
                        place.path("vault"), "-o", file,
                    ])
                // Two cards in the field, until the reader gives up: no command is sent.
                if run.errors.contains("no command reached the card, and nothing was recorded: no payment: ") {
                    continue
                }
                let sale = try (decoded(run, comment) as Recorded).sale
                let explanation = try await place.run("explain", "--json", file)
                let verdict = try #require((decoded(explanation, comment) as Explained).last)
                try judge(verdict, sale, errors: run.errors, "\(comment): \(verdict.sentence)")

                let replay = try await place.run("replay", "--json", file)
                let report: Replayed = try decoded(replay, comment)
                // A card that is silent in the directory has told no application.
                if report.replayedOutcome != nil { #expect(report.endsAlike, "\(comment): \(replay.output)") }
                #expect((replay.status == 1) == (explanation.status == 1), "both judge the same proofs: \(comment)")
            }
        }
    }

    private func judge(_ verdict: Explained.Verdict, _ sale: Recorded.Sale?, errors: String, _ comment: String) throws {
        let comment = Comment(rawValue: comment)
        switch sale?.outcome {
        case "approved":
            #expect(verdict.outcome == "approved", comment)
            #expect(verdict.sentence.contains("approved online: the issuer answered 00"), comment)
        case "storedOffline":
            #expect(verdict.outcome == "approved", comment)
            #expect(verdict.sentence.contains("approved offline by the card"), comment)
        case "declined":
            #expect(verdict.outcome == "declined", comment)
            let description = sale?.description ?? ""
            // The terminal's cause is in the headline.
            if let range = description.firstRange(of: "declined by the terminal: ") {
                #expect(verdict.sentence.contains(description[range.upperBound...]), comment)
                #expect(!verdict.sentence.contains("by the card"), comment)
            }
            if description.hasPrefix("declined by the card") {
                #expect(verdict.sentence.contains("declined offline by the card"), comment)
            }
        case nil:
            // No payment: the terminal's last words are why.
            #expect(verdict.outcome == "declined" || verdict.outcome == "ended", comment)
            let reason = try #require(errors.split(separator: "\n").last { $0.hasPrefix("cardpresent: ") }).dropFirst(
                "cardpresent: ".count)
            #expect(verdict.sentence.contains(reason), comment)
        default: Issue.record("\(sale?.outcome ?? "")")
        }
    }
}
