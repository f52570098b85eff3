import Foundation
import Glibc
import Synchronization
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// `cardpresent replay` of many logs at once.
@Suite(.timeLimit(.minutes(20))) struct ReplayFolderTests {
    /// Two good logs, one in a folder below, one that ends otherwise than it should, one that is
    /// broken, and files that are not logs.
    private func fill(_ place: Workspace) throws -> String {
        let folder = place.folder.appending(path: "logs")
        try FileManager.default.createDirectory(at: folder.appending(path: "below"), withIntermediateDirectories: true)
        let visa = try Vectors.text("visa-contact-online")
        _ = try place.file("logs/a.apdu", visa)
        _ = try place.file("logs/below/b.apdu", try Vectors.text("mastercard-contactless-cda"))
        _ = try place.file("logs/c.apdu", "# expect: declined offline\n" + visa)
        _ = try place.file("logs/d<&\">.log", visa + "nonsense\n")
        _ = try place.file("logs/README.md", "no log")
        _ = try place.file("logs/.hidden.apdu", "nonsense")
        return folder.path(percentEncoded: false)
    }

    @Test(arguments: [1, 2, 7]) func theTableShowsWhatChanged(_ jobs: Int) async throws {
        try await inWorkspace { place in
            let run = try await place.run("replay", "--jobs", "\(jobs)", try fill(place))
            #expect(run.status == 2, "a broken log is a row, not a complaint: \(run.errors)")
            #expect(run.errors.isEmpty, "a broken log is a row, not a complaint: \(run.errors)")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines.last == "4 logs: 2 the same, 1 different, 1 broken")
            #expect(
                lines[1].contains("c.apdu") && lines[1].contains("expected outcome")
                    && lines[1].contains("declined offline"))
            #expect(lines[1].hasSuffix("approved online"))
            #expect(
                lines[2].contains("d<&\">.log") && lines[2].contains("broken")
                    && lines[2].contains("the line does not begin with"))
        }
    }

    /// A log that ends its process, here by a signal while it is read, is a broken log among good
    /// ones.
    @Test(arguments: [1, 2]) func aLogThatCrashesIsNamedAndHidesNoOther(_ jobs: Int) async throws {
        try await inWorkspace { place in
            let folder = try fill(place)
            let pipe = place.path("crash.log")
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            // Open to the end, so that a worker which is about to go does not find an empty log.
            let writingEnd = Atomic<Int32>(-1)
            defer { close(writingEnd.load(ordering: .relaxed)) }
            let run = try await place.run(
                Executables.cardpresent, ["replay", "--jobs", "\(jobs)", pipe, folder],
                // Its workers' open files are looked at.
                environment: ["CARDPRESENT_DEBUGGABLE": "1"],
                started: { process in
                    // Opening waits for the worker that reads.
                    Thread.detachNewThread {
                        let end = unsafe open(pipe, O_WRONLY | O_CLOEXEC)
                        for worker in WorkerProcesses.reading(pipe, of: process) { kill(worker, SIGSEGV) }
                        writingEnd.store(end, ordering: .relaxed)
                    }
                })
            #expect(run.status == 2)
            #expect(run.errors.isEmpty)
            let lines = run.output.split(separator: "\n")
            #expect(lines.last == "5 logs: 2 the same, 1 different, 2 broken", "\(run.output)")
            #expect(lines.count == 5 && lines[1].contains("crash.log") && lines[1].contains("crashed (signal 11)"))
        }
    }

    @Test func aLogThatTakesTooLongIsNamedAndHidesNoOther() async throws {
        try await inWorkspace { place in
            let folder = try fill(place)
            let pipe = place.path("slow.log")
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            let run = try await place.run("replay", "--time-limit", "1", pipe, folder)
            #expect(run.status == 2)
            #expect(run.errors.isEmpty)
            #expect(run.output.contains("took longer than 1 s"))
            #expect(run.output.hasSuffix("5 logs: 2 the same, 1 different, 2 broken\n"))
        }
    }

    @Test("The status of a folder says whether logs differ, are the same, or could not be checked") func exitStatus()
        async throws
    {
        try await inWorkspace { place in
            let folder = try fill(place)
            try FileManager.default.removeItem(atPath: folder + "/d<&\">.log")
            let different = try await place.run("replay", folder)
            #expect(different.status == 1)
            #expect(different.errors.isEmpty)
            try FileManager.default.removeItem(atPath: folder + "/c.apdu")
            let same = try await place.run("replay", folder)
            #expect(same.status == 0)
            #expect(same.output == "2 logs: 2 the same, 0 different, 0 broken\n")
            let strict = try await place.run("replay", "--strict", folder)
            #expect(strict.status == 1, "it was cut out of the published log")
            #expect(strict.output.contains("VERIFY"), "it was cut out of the published log")
            let nothing = try await place.run("replay", folder + "/below", "--from", "pcscd")
            #expect(nothing.status == 2)
        }
    }

    /// Mastercard's ARPC in the published log is made up; a wrong key, a missing one and a right
    /// one are three states, in every form.
    @Test func proofsAreCounted() async throws {
        try await inWorkspace { place in
            _ = try place.file("a.apdu", try Vectors.text("visa-contact-online"))
            _ = try place.file("b.apdu", try Vectors.text("mastercard-contactless-cda"))
            _ = try place.file("c.apdu", try Vectors.text("mastercard-contact-online"))
            let logs = ["a", "b", "c"].map { place.path("\($0).apdu") }
            let right = try await place.run("replay", "--prove", logs[0], logs[1])
            #expect(right.status == 3, "the tap's log has no issuer's key: \(right.output)")
            let counts =
                "certificates and signatures: 3 proved, 0 disproved, 0 not checked; cryptograms: 2 proved, 0 disproved, 1 not checked"
            #expect(right.output.contains(counts))
            let wrong = try await place.run("replay", "--prove", "--junit", place.path("results.xml"), logs[0], logs[2])
            #expect(wrong.status == 1)
            #expect(wrong.output.contains("ARPC: 0 proved, 1 disproved, 0 not checked"))
            #expect(wrong.output.hasPrefix(""))
            #expect(wrong.output.contains("differs from the value computed with the issuer's key"))
            let xml = String(decoding: try place.contents("results.xml"), as: UTF8.self)
            #expect(xml.contains("failures=\"1\""))
            #expect(xml.contains("<failure message=\"certificates and signatures: 3 proved"))
            let keys = try place.file("keys", "# none\n")
            let missing = try await place.run("replay", "--prove", "--json", "--ca-keys", keys, logs[0], logs[1])
            #expect(missing.status == 3)
            let object = try JSONSerialization.jsonObject(with: Data(missing.output.utf8))
            let proofs = try #require(
                ((object as? [String: Any])?["logs"] as? [[String: Any]])?[1]["proofs"] as? [String: Any])
            #expect((proofs["certificates"] as? [String: Int]) == ["proved": 0, "disproved": 0, "notChecked": 3])
            let one = try await place.run("replay", "--prove", logs[0])
            #expect(one.status == 64)
        }
    }

    @Test("A folder is reported as JSON, case by case") func json() async throws {
        try await inWorkspace { place in
            let run = try await place.run("replay", "--json", try fill(place))
            #expect(run.status == 2)
            let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
            let document = try #require(object as? [String: Any])
            #expect(document["same"] as? Int == 2)
            #expect(document["different"] as? Int == 1)
            #expect(document["broken"] as? Int == 1)
            let logs = try #require(document["logs"] as? [[String: Any]])
            #expect(logs.map { $0["result"] as? String } == ["same", "same", "different", "broken"])
            let changes = logs[2]["changes"] as? [[String: String]]
            #expect(
                changes == [["what": "expected outcome", "logged": "declined offline", "replayed": "approved online"]])
            #expect((logs[3]["problem"] as? String)?.hasPrefix("line ") == true)
        }
    }

    @Test("A folder is reported as JUnit, case by case") func junit() async throws {
        try await inWorkspace { place in
            let folder = try fill(place)
            let run = try await place.run("replay", "--junit", place.path("results.xml"), folder)
            #expect(run.status == 2)
            let cases = TestCases()
            let parser = XMLParser(data: Data(try place.contents("results.xml")))
            parser.delegate = cases
            #expect(parser.parse(), "well-formed")
            #expect(cases.suite["tests"] == "4")
            #expect(cases.suite["failures"] == "1")
            #expect(cases.suite["errors"] == "1")
            #expect(cases.names == ["a.apdu", "b.apdu", "c.apdu", "d<&\">.log"])
            #expect(cases.problems == ["failure", "error"])
        }
    }

    @Test("Many logs: each is reported once, in the order of their names, for any number of jobs") func manyLogs()
        async throws
    {
        try await inWorkspace { place in
            try FileManager.default.createDirectory(
                at: place.folder.appending(path: "many"), withIntermediateDirectories: true)
            let visa = try Vectors.text("visa-contact-online")
            for number in 100..<160 { _ = try place.file("many/\(number).apdu", visa) }
            let run = try await place.run("replay", "--json", "--jobs", "5", place.path("many"))
            let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
            let logs = try #require((object as? [String: Any])?["logs"] as? [[String: Any]])
            #expect(
                logs.compactMap { ($0["file"] as? String)?.suffix(8) } == (100..<160).map { "\($0).apdu".suffix(8) })
        }
    }

    @Test(
        "Wrong usage of replay ends with status 64",
        arguments: [["--jobs", "0", "x"], ["--explain", "a", "b"], ["-", "a"]])
    func wrongUsage(_ arguments: [String]) async throws {
        let run = try await inWorkspace { try await $0.run(Executables.cardpresent, ["replay"] + arguments) }
        #expect(run.status == 64)
    }
}

private final class TestCases: NSObject, XMLParserDelegate {
    var suite: [String: String] = [:]
    var names: [String] = []
    var problems: [String] = []

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch element {
        case "testsuite": suite = attributes
        case "testcase": names.append(attributes["name"] ?? "")
        case "failure", "error": problems.append(element)
        default: break
        }
    }
}
