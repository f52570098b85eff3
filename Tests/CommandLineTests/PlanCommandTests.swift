import Foundation
import Testing

/// `cardpresent plan`: the plan that comes with the project, and how a run tells of cases that come
/// out otherwise.
@Suite(.timeLimit(.minutes(20))) struct PlanCommandTests {
    private static let contact = Vectors.folder.appending(path: "plans/contact.json").path(percentEncoded: false)

    private static func plan(_ cases: String) -> String {
        #"""
        {"title": "A plan <of> \"mine\"",
         "card": {"applications": [{"aid": "A0000000031010", "label": "VISA CREDIT"}], "versionNumber": "0096", "cryptograms": "visa18",
          "account": {"pan": "4761739001010119", "expiry": "2049-12-31"}, "keys": {"authorityBits": 768, "issuerBits": 640, "iccBits": 512},
          "cvmList": {"rules": [{"method": "noCVM", "condition": "always"}]}},
         "cases": [\#(cases)]}
        """#
    }

    private static let right =
        #"{"name": "right", "clause": "10.7", "expect": {"verdict": "approvedOffline", "tvr": []}}"#
    private static let wrong =
        #"{"name": "wrong", "clause": "10.6", "expect": {"verdict": "declinedOnline", "tvr": ["newCard"]}}"#
    private static let inReader =
        #"{"name": "mine", "clause": "10.8", "card": "inReader", "expect": {"verdict": "approvedOffline"}}"#

    @Test func theContactPlanPasses() async throws {
        try await inWorkspace { place in
            let run = try await place.run("plan", "run", "--json", Self.contact)
            let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let cases = try #require(report?["cases"] as? [[String: Any]])
            #expect(run.status == 0)
            #expect(cases.count >= 120)
            #expect(report?["passed"] as? Int == cases.count)
            #expect(cases.filter { $0["result"] as? String != "passed" }.compactMap { $0["name"] as? String } == [])
        }
    }

    @Test func theContactlessPlanPasses() async throws {
        try await inWorkspace { place in
            let plan = Vectors.folder.appending(path: "plans/contactless.json").path(percentEncoded: false)
            let run = try await place.run("plan", "run", "--json", plan)
            let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let cases = try #require(report?["cases"] as? [[String: Any]])
            #expect(run.status == 0)
            #expect(cases.count >= 45)
            #expect(report?["passed"] as? Int == cases.count)
            #expect(cases.filter { $0["result"] as? String != "passed" }.compactMap { $0["name"] as? String } == [])
        }
    }

    /// A tap with another result is reported like a case of the contacts: verdict, TVR, reason, and
    /// a log.
    @Test func tapsThatComeOutOtherwise() async throws {
        try await inWorkspace { place in
            let card = Vectors.folder.appending(path: "cards/contactless/mastercard-online.json").path(
                percentEncoded: false)
            let plan = try place.file(
                "plan.json",
                #"""
                {"title": "Taps", "cases": [{"name": "a", "clause": "C-2 7.8", "interface": "contactless", "card": {"file": "\#(card)"},
                  "expect": {"amount": 3000, "verdict": "approvedOffline", "tvr": [], "cvmResults": "020300", "aid": "A0000000031010"}},
                 {"name": "b", "clause": "B 3.1.1.5", "interface": "contactless", "card": {"file": "\#(card)"},
                  "terminal": {"transactionLimit": 1000}, "expect": {"amount": 3000, "verdict": "terminated", "termination": "expired"}}]}
                """#)
            let run = try await place.run("plan", "run", "--traces", place.path("logs"), plan)
            #expect(run.status == 1, "\(run.output)\(run.errors)")
            #expect(run.output.contains("2 cases: 0 passed, 2 failed"), "\(run.output)\(run.errors)")
            for words in ["approved online", "A0000000041010", "1F0302", "not allowed for a tap"] {
                #expect(run.output.contains(words), "\(words) \(run.output)")
            }
            #expect(try place.text("logs/case-1.apdu").contains("> 00A404000E325041592E5359532E444446303100"))
        }
    }

    @Test func casesThatComeOutOtherwise() async throws {
        try await inWorkspace { place in
            let plan = try place.file(
                "plan.json", Self.plan([Self.right, Self.wrong, Self.inReader].joined(separator: ",")))
            let run = try await place.run(
                "plan", "run", "--html", place.path("r.html"), "--junit", place.path("r.xml"), "--traces",
                place.path("logs"), plan)
            #expect(run.status == 1)
            #expect(run.output.contains("3 cases: 1 passed, 1 failed, 0 broken, 1 not run"))
            #expect(run.output.contains("declinedOnline"))
            #expect(run.output.contains("approved offline"))
            let junit = try place.text("r.xml")
            #expect(junit.contains(#"tests="3" failures="1" errors="0" skipped="1""#))
            #expect(junit.contains(#"classname="10.6" name="wrong""#))
            #expect(junit.contains("<failure message=\"verdict: declinedOnline expected"))
            let page = try place.text("r.html")
            #expect(page.contains("A plan &lt;of&gt; &quot;mine&quot;"))
            #expect(page.contains("not a certificate"))
            #expect(!page.contains("<script"))
            for document in [junit, page] { #expect(try XMLDocumentCheck.isWellFormed(document)) }
            let log = try place.text("logs/case-2.apdu")
            #expect(!place.exists("logs/case-1.apdu"))
            #expect(Canary.hunt(run.output + junit + page + log) == [])
            let explained = try await place.run("explain", place.path("logs/case-2.apdu"))
            #expect(explained.output.contains("approved offline by the card"))
        }
    }

    @Test func casesThatAreLeftOut() async throws {
        try await inWorkspace { place in
            let plan = try place.file(
                "plan.json", Self.plan([Self.right, Self.wrong, Self.inReader].joined(separator: ",")))
            let right = try await place.run("plan", "run", "--filter", "10.7", plan)
            #expect(right.status == 0)
            #expect(right.output.contains("1 case: 1 passed"))
            let mine = try await place.run("plan", "run", "--filter", "MINE", plan)
            #expect(mine.status == 3)
            #expect(mine.output.contains("--reader"))
            let none = try await place.run("plan", "run", "--filter", "nothing", plan)
            #expect(none.status == 2)
            #expect(none.errors.contains("no case has"))
            let list = try await place.run("plan", "list", plan)
            #expect(list.status == 0)
            #expect(list.output.contains("wrong  10.6"))
            let document = try await place.document("plan", "list", "--json", "--filter", "10.6", plan)
            #expect(document["title"] as? String == "A plan <of> \"mine\"")
            let cases = try #require(document["cases"] as? [[String: String]])
            #expect(cases == [["name": "wrong", "clause": "10.6"]])
        }
    }

    @Test func whatCannotBeDone() async throws {
        try await inWorkspace { place in
            let broken = try await place.run("plan", "run", try place.file("broken.json", Self.plan(#"{"name": "a"}"#)))
            #expect(broken.status == 2)
            #expect(broken.errors.contains(/broken\.json:[0-9]+:[0-9]+: cases\[0\]\.clause: missing/))
            let missing = try await place.run("plan", "run", place.path("none.json"))
            #expect(missing.status == 2)
            #expect(missing.errors.contains("none.json"))
            let plan = try place.file("plan.json", Self.plan(Self.right))
            for arguments in [["--card-time", "0"], ["--ca-keys", "keys.tsv"]] {
                let usage = try await place.run(Executables.cardpresent, ["plan", "run"] + arguments + [plan])
                #expect(usage.status == 64)
            }
        }
    }
}

/// Python's XML parser as a judge.
private enum XMLDocumentCheck {
    static func isWellFormed(_ text: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", "import sys, xml.dom.minidom as m; m.parseString(sys.stdin.buffer.read())",
        ]
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
