import Foundation
import Testing

/// Every card of `Vectors/cards` in a sale at the bench, whose terminal has a floor limit of zero
/// for contacts (docs/card-profile.md): what its file expects comes, as far as that terminal lets
/// it.
@Suite(.timeLimit(.minutes(20))) struct BenchCardTests {
    private static let folder = Vectors.folder.appending(path: "cards")
    static let names: [String] =
        ["", "contactless/"].flatMap { part in
            ((try? FileManager.default.contentsOfDirectory(
                atPath: folder.appending(path: part).path(percentEncoded: false))) ?? [])
                .filter { $0.hasSuffix(".json") }.sorted().map { part + $0 }
        }

    /// What the bench makes of a card in another way than its file says, and why.
    private static let others: [String: Set<String>] = [
        // Without a floor limit the terminal asks for the ARQC that this card claims to give.
        "hostile-wrong-cid.json": ["approved"],
        // The sale is reversed, and ends with an answer.
        "hostile-removed-after-the-approval.json": ["reversed", "declined"],
    ]
    /// The card asks for more time for as long as a reader grants it, which is more than a minute.
    private static let endless = "contactless/hostile-more-time-without-end.json"

    private struct File: Decodable {
        struct Expectation: Decodable {
            let amount: UInt64?
            let verdict: String
            let termination: String?
        }
        let expect: Expectation
    }

    @Test func thereAreSome() {
        #expect(Self.names.count >= 110)
        #expect(Self.names.contains(Self.endless))
    }

    @Test(arguments: names.filter { $0 != endless }) func endsAsExpected(_ name: String) async throws {
        let path = Self.folder.appending(path: name).path(percentEncoded: false)
        let expected = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(filePath: path))).expect
        let amount = expected.amount ?? 10_00
        let isTapped = name.hasPrefix("contactless/")
        try await inWorkspace { place in
            let run = try await place.run(
                Executables.cardpresent,
                [
                    "sale", "\(amount / 100).\(amount % 100 < 10 ? "0" : "")\(amount % 100)", "--json", "--card", path,
                    "--vault",
                    place.path("vault"),
                ] + (isTapped ? ["--tap"] : []))
            let document = try? JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let outcome = document?["outcome"] as? String ?? "none"
            if let other = Self.others[name] {
                #expect(other.contains(outcome), "\(outcome) \(run.errors)")
                return
            }
            switch expected.verdict {
            case "approvedOffline":
                #expect(
                    isTapped ? outcome == "storedOffline" : ["storedOffline", "approved"].contains(outcome),
                    "\(outcome)")
            case "approvedOnline": #expect(outcome == "approved", "\(outcome) \(run.errors)")
            case "declinedOffline", "declinedOnline": #expect(outcome == "declined", "\(outcome) \(run.errors)")
            case "terminated":
                let words = try #require(expected.termination)
                // After a tap that is sent to the contacts, the card is inserted.
                let isSentToContacts = isTapped && run.errors.contains("PLEASE INSERT")
                #expect(isSentToContacts || run.status == 2 && run.errors.contains(words), "\(outcome) \(run.errors)")
            default: Issue.record("\(expected.verdict) is not compared")
            }
        }
    }
}
