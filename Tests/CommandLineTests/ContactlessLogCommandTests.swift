import Foundation
import Testing

/// `cardpresent replay` and `explain` of contactless logs.
@Suite(.timeLimit(.minutes(20))) struct ContactlessLogCommandTests {
    private static let captures = [
        "amex-mobile-cda-97", "mastercard-emv-cda-f3", "visa-qvsdc-fdda01", "visa-qvsdc-online",
    ]

    private static func path(_ name: String) -> String {
        Vectors.folder.appending(path: "contactless/\(name).apdu").path(percentEncoded: false)
    }

    @Test("Without the issuer's key no log is proved whole, so that the exit status is 3", arguments: captures)
    func threeStates(
        _ name: String
    ) async throws {
        let (text, json, explained) = try await inWorkspace { place in
            (
                try await place.run("replay", Self.path(name)),
                try await place.run("replay", "--json", Self.path(name)),
                try await place.run("explain", "--json", Self.path(name))
            )
        }
        #expect(text.status == 3)
        #expect(json.status == 3)
        #expect(explained.status == 3)
        #expect(text.output.contains("  the same\n"))
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(document["endsAlike"] as? Bool == true)
        #expect(!(document["notReplayed"] is String))
        #expect(document["replayedOutcome"] is String)
        let evidence = try #require(document["evidence"] as? [[String: Any]])
        let explanation = try #require(
            try JSONSerialization.jsonObject(with: Data(explained.output.utf8)) as? [String: Any])
        let proofs = try #require(explanation["evidence"] as? [[String: Any]])
        #expect(proofs.map { $0["subject"] as? String } == evidence.map { $0["subject"] as? String })
        let results = evidence.compactMap { $0["result"] as? String }
        #expect(results.contains("not checked"))
        #expect(!results.contains("disproved"))
        #expect(results.contains("proved") == (name != "visa-qvsdc-online"))
    }

    @Test func aForgedSignatureIsDisproved() async throws {
        let log = try String(contentsOfFile: Self.path("visa-qvsdc-fdda01"), encoding: .utf8)
        let run = try await inWorkspace {
            try await $0.run("replay", "-", input: log.replacing("9F4B7007C8", with: "9F4B7007C9"))
        }
        #expect(run.status == 1)
        #expect(run.output.contains("✗ fDDA"))
        #expect(run.output.contains("  DIFFERENT\n"))
    }

    /// A phone that wants its owner, then pays: a verdict for each, in the text and in the
    /// document.
    @Test("Each presentation of a card has its verdict") func presentations() async throws {
        let path = Vectors.folder.appending(path: "traces/tap-visa-phone-unlocked.apdu").path(percentEncoded: false)
        let log = try String(contentsOfFile: path, encoding: .utf8)
        let (text, json, changed) = try await inWorkspace { place in
            (
                try await place.run("replay", path), try await place.run("replay", "--json", path),
                try await place.run(
                    "replay", "-",
                    input: log.replacing(
                        "= Presentation: to be presented again", with: "= Presentation: declined offline"))
            )
        }
        #expect(text.output.contains("Presentation 1"))
        #expect(text.output.contains("kernel 3, to be presented again"))
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let presentations = try #require(document["presentations"] as? [[String: Any]])
        #expect(presentations.map { $0["kernel"] as? String } == ["kernel 3", "kernel 3"])
        #expect(presentations.last?["verdict"] as? String == "online request")
        #expect(presentations.last?["isIssuerUpdate"] as? Bool == false)
        #expect(changed.status == 1)
        #expect(changed.output.contains("presentation 1"))
    }

    @Test("Of many: what is not replayed is counted apart, and skipped in JUnit's form") func manyLogs() async throws {
        try await inWorkspace { place in
            let results = place.folder.appending(path: "results.xml").path(percentEncoded: false)
            let log = try String(contentsOfFile: Self.path("amex-mobile-cda-97"), encoding: .utf8)
            let other = try place.file("kernel-5.apdu", log.replacing("A000000025010901", with: "A000000065010901"))
            let run = try await place.run(
                Executables.cardpresent,
                ["replay", "--prove", "--junit", results] + Self.captures.map(Self.path) + [other])
            #expect(run.status == 3)
            #expect(
                run.output.contains("5 logs: 4 the same, 0 different, 0 broken, 1 not checked in full"), "\(run.output)"
            )
            #expect(run.output.contains("0 disproved"))
            let xml = try String(contentsOfFile: results, encoding: .utf8)
            #expect(xml.contains("<skipped message=\"not checked: not replayed: kernel 5"))
        }
    }

    /// Each tap of kernel 8 has a key of its own; the log is short of the first one.
    @Test("A presentation without its key is not checked, and the others have their verdicts")
    func presentationWithoutItsKey() async throws {
        let lines = try Vectors.text("tap-kernel8-phone-unlocked").split(
            separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("# kernel-8-key: ") })
        let key = lines[first].split(separator: " ").last.map(String.init) ?? ""
        try await inWorkspace { place in
            let log = try place.file("log.apdu", (lines[..<first] + lines[(first + 1)...]).joined(separator: "\n"))
            let one = try await place.run("replay", log)
            #expect(one.status == 3)
            #expect(one.output.contains("Presentation 1                     kernel 8, not replayed: "))
            #expect(one.output.contains("Presentation 2                     kernel 8, online request"))
            let many = try await place.run("replay", log, Vectors.trace("arpc-method-1"))
            #expect(many.status == 3)
            #expect(many.output.contains("2 logs: 1 the same, 0 different, 0 broken, 1 not checked in full"))
            let whole = try await place.run("replay", "--kernel-8-key", key, log, Vectors.trace("arpc-method-1"))
            #expect(whole.status == 0)
            #expect(whole.output == "2 logs: 2 the same, 0 different, 0 broken\n")
        }
    }
}
