import Foundation
import Testing

/// The simulator takes over a whole process (its executor, its clock, its disk), so that it runs
/// beside the tests and not in them.
@Suite("The terminal in simulated worlds") struct SimulationTests {
    /// Beside the running test bundle.
    private static let program: URL? = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
            URL(filePath: $0)
        }
        let folders = [own, URL(filePath: CommandLine.arguments[0])].compactMap { $0?.deletingLastPathComponent() }
        return folders.map { $0.appending(path: "simulate") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }()

    private func run(_ arguments: String...) throws -> (status: Int32, output: String) { try run(arguments) }

    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// SQLite's own promise for each setting (sqlite.org/pragma.html#pragma_synchronous): FULL
    /// loses nothing, NORMAL may roll back what was committed, OFF may damage the database, and a
    /// disk that lies about syncs makes FULL no better.
    @Test func diskLosesWhatItMayLose() throws {
        let lines = try run("--disk-model").output.split(separator: "\n")
        func counts(_ setting: String) throws -> [Int] {
            let line = try #require(lines.first { $0.hasPrefix(setting + ":") })
            return line.dropFirst(setting.count).split { !$0.isNumber }.compactMap { Int($0) }
        }
        let full = try counts("FULL")
        #expect(full[0] > 1000 && full[1] == 0 && full[2] == 0)
        let normal = try counts("NORMAL")
        #expect(normal[1] > 100 && normal[2] == 0)
        let off = try counts("OFF")
        #expect(off[1] > 100 && off[2] > 100)
        let lies = try counts("FULL, syncs lie")
        #expect(lies[1] > 100 && lies[2] > 100)
    }

    /// That something happened at all shows in the counts.
    @Test("Nothing is found, and the same seed takes the same steps, in its process and in another")
    func seedsFindNothing() throws {
        let (status, output) = try run("2000")
        #expect(status == 0, "\(output)")
        #expect(output.contains("runs                2000\n"))
        #expect(output.contains("second runs equal   40 of 40\n"))
        let seeds = output.firstMatch(of: /runs +([0-9]+)\n/)?.1 ?? "0"
        print("\(seeds) seeds of the simulator")
        for fault in [
            "answerLost", "doubled", "powerCut", "syncLost", "death", "restore", "keyRotation", "readerHangs",
        ] {
            #expect(output.contains(try Regex(#"\n  [0-9]+ +"# + fault + #"\n"#)), "no \(fault) struck")
        }
        for part in [
            "host: model", "host: model behind RESTGateway", "host: model behind XMLGateway", "host: bench host",
            "reader: model", "reader: ChipReader with a virtual card",
        ] {
            #expect(output.contains(try Regex(#"\n  [0-9]+ +"# + part + #"\n"#)), "no seed with \(part)")
        }
        for corner in Self.corners {
            #expect(output.contains(try Regex(#"\n  [0-9]+ +"# + corner + #"\n"#)), "no \(corner) occurred")
        }
    }

    private static let corners = [
        "pendingOrder", "listLags", "ownRefusal", "batchCloses", "referral", "foreignOrder", "oddRecord", "shortPages",
        "oddAmount", "oddCode", "oddError", "unauthorizedBetween", "oddReversal", "cardAlone", "otherCard",
        "refusedCard", "tap", "tornTap", "signature", "signatureRefused", "signatureMissing", "mismatch", "callRefused",
        "callMissing", "callCancelled", "clockByYears", "days", "secondTerminal", "folderLost", "secureCard",
    ]

    /// The gateway approved a part, and writes it as text, with an exponent, or not at all.
    @Test("An amount that the terminal cannot read is never told as the requested one, and the world has such amounts")
    func oddAmounts() throws {
        let (status, output) = try run("200", "--fault", "oddAmount=256")
        #expect(status == 0, "\(output)")
        #expect(output.contains(try Regex(#"\n  [0-9]+ +oddAmount\n"#)), "no oddAmount occurred")
    }

    /// What is made small has its finding still, and a list of draws is replayed.
    @Test func findingIsMadeSmall() throws {
        let lying = ["--fault", "lyingDisk=256", "--fault", "restart=64"]
        let seeds = try run(["100", "--list"] + lying).output
        let seed = try #require(
            seeds.split(separator: "\n").last { $0.hasPrefix("seeds: ") }?.split(separator: " ").dropFirst().first)
        let small = try run(["--shrink", String(seed)] + lying).output
        let parts = small.components(separatedBy: "the draws, for --replay:\n")
        try #require(parts.count == 2 && parts[0].contains("VIOLATION"))
        let file = FileManager.default.temporaryDirectory.appending(path: "draws-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try parts[1].write(to: file, atomically: true, encoding: .utf8)
        let again = try run(["--replay", file.path(percentEncoded: false)] + lying).output
        #expect(again.contains("VIOLATION") && parts[0].hasPrefix(again))
    }

    // Places where the terminal or the model was once wrong (docs/simulation.md). What changes the
    // number of tasks moves them to other seeds; `tools/simulate-find PATTERN` finds those.

    /// The run finds nothing, and comes to a place whose trace has `pattern`: in the obliging
    /// world, whose seeds are the older ones.
    private func expect(
        _ arguments: String..., comesTo pattern: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let output = try run(arguments + ["--obliging"]).output
        #expect(!output.contains("VIOLATION"), sourceLocation: sourceLocation)
        let place = try Regex(pattern).dotMatchesNewlines()
        #expect(output.contains(place), "the run does not come to the place any more", sourceLocation: sourceLocation)
    }

    /// A sequence counter belongs to the operation that took it: here one that began while the shop
    /// waited for the answer of another.
    @Test func counterOfAnotherOperation() throws {
        try expect(
            "--seed", "212",
            comesTo: #"wish (\d) answered: error busy.*journal: O100\1 asking failed.*cleared: O\d+ reversed"#)
    }

    /// A counter is free again if the process dies before an entry has it: the next life may give
    /// it out.
    @Test func counterOfADeadProcess() throws {
        try expect(
            "--seed", "13", "--fault", "powerCut=48", "--fault", "answerLost=96",
            comesTo: #"journal: (O\d+) owing, unknown.*fault: powerCut.*journal: (?!\1)O\d+ owing, approved"#)
    }

    /// A write that was not acknowledged before the process died may be there in the next life,
    /// which then settles it: here a payment whose intent could not be written before.
    @Test func unacknowledgedEntryCounts() throws {
        try expect(
            "--seed", "3", "--fault", "diskFull=256", "--fault", "powerCut=256",
            comesTo: #"journal: (O\d+) asking failed.*authorize \1 arrives: 00"#)
    }

    /// The end of a try that came to nothing was written twice, the second time over the approval
    /// of the next try.
    @Test("an earlier try's end is not written over the next try") func staleEnd() throws {
        try expect(
            "--seed", "397", "--fault", "syncLost=128",
            comesTo: #"journal: (O\d+) finished failed.*journal: \1 asking\n.*journal: \1 finished, approved"#)
    }

    /// An approval that only the event reported, and not the journal, was gone after a power cut.
    @Test("what became clear in the background is reported once it is written") func reportedOnceWritten() throws {
        try expect("--seed", "815", comesTo: #"wish (\d) answered: storedOffline.*journal: O100\1 finished failed"#)
    }

    @Test(
        "The time of a question that its operation has given up is the order's own, also while the question is still under way"
    )
    func givenUpQuestion() throws {
        try expect("--seed", "28", comesTo: "fault: answerLate of O1000.*wish 0 answered: approved")
    }

    /// After a change of keys SQLite waited two seconds for another program that read the file, and
    /// every sale with it.
    @Test("clearing the log after a change of keys holds up no sale") func rotationBesideAReader() throws {
        try expect(
            "--seed", "53", comesTo: "fault: fileReader.*the key has changed|the key has changed.*fault: fileReader"
        )
    }

    /// The power went while the simulator read a restored journal: what it had not read is not
    /// lost, but of the copy.
    @Test func restoredAndCutAgain() throws {
        try expect(
            "--seed", "8", "--fault", "restore=256", "--fault", "powerCut=128",
            comesTo: #"fault: restore\n([^\n]*(life|fault|start failed|dies)[^\n]*\n)+[^\n]*the power goes\n"#)
    }

    @Test(
        "A retry that no write of the journal has is a new request after a death, also where the first try had come to nothing"
    )
    func unwrittenRetry() throws {
        try expect("--seed", "47", comesTo: #"wish (\d) answered: error notSupported.*journal: O100\1 owing failed"#)
    }

    @Test("An order of the gateway's list whose time is an hour off may be an older one: the outcome stays unknown")
    func distantClocks()
        throws
    {
        try expect(
            "--seed", "26193", comesTo: #"fault: clockJump.*fault: doubled of (O\d+).*journal: \1 finished, unknown"#)
    }

    @Test("A payment waits for its own question about the host's interface, which names no order")
    func questionWithoutOrder() throws {
        try expect("--seed", "49225", comesTo: "fault: deafHostClient.*wish 0 answered: approved")
    }

    /// The second answer to a doubled request does not outlive the faults.
    @Test func nothingIsLeftOver() throws {
        try expect("--seed", "77127", comesTo: "fault: doubled.*journal: O1900 finished, approved")
    }

    @Test(
        "A question may leave at the moment that its operation ends, if the outcome is unknown and the reversal is due")
    func aboutToLeave() throws {
        try expect("--seed", "12", comesTo: #"wish (\d) answered: unknown, reversal pending.*cleared: O100\1 reversed"#)
    }

    @Test("An outcome whose write failed is not written because the next try of its order writes its first entry")
    func unwrittenOutcome()
        throws
    {
        try expect(
            "--seed", "14", "--fault", "diskFull=96", "--fault", "writeFails=64",
            comesTo: #"journal: (O\d+) finished failed.*wish \d answered: error journalFailed.*journal: \1 asking\n"#)
    }

    @Test("An order that is still looked into after the last fault has no outcome yet, and is waited for")
    func stillLookedInto() throws {
        try expect(
            "--seed", "43", "--fault", "diskFull=96", "--fault", "writeFails=64",
            comesTo:
                #"all faults end\n.*\n([^\n]*OPTIONS[^\n]*\n){9}.*journal: (O\d+) owing, unknown.*journal: \2 finished, unknown"#
        )
    }

    /// After a failed flush the log may have a gap on the disk. It is written once more before it
    /// is copied into the database: the power may go meanwhile.
    @Test func logIsWrittenAgainAfterAFailedFlush() throws {
        try expect(
            "--seed", "64", "--disk", "--fault", "syncLost=64",
            comesTo:
                #"fault: syncLost\n[^\n]*journal: O\d+ \w+ failed[^\n]*\n((?![^\n]*(disk: (write|sync)|begins))[^\n]*\n)*"#
                + #"([^\n]*disk: write journal\.sqlite-wal [^\n]*\n)+([^\n]*disk: sync journal\.sqlite-wal [^\n]*\n)+"#
                + #"[^\n]*disk: write journal\.sqlite "#)
    }

    /// What a failed flush left in memory is not believed by the process that opens the file next.
    @Test func powerCutAfterAFailedFlushAtTheStart() throws {
        try expect(
            "--seed", "1752", "--fault", "syncLost=160", "--fault", "powerCut=160",
            comesTo: #"begins\n[^\n]*fault: syncLost\n[^\n]*fault: powerCut\n[^\n]*the power goes"#)
    }

    /// Two copies are restored one after the other, each without a mark: their counters differ.
    @Test func twoRestoresWithoutMarks() throws {
        try expect(
            "--seed", "1243", "--fault", "syncLost=128", "--fault", "powerCut=128", "--fault", "restart=32",
            comesTo: #"(fault: restore\n[^\n]*fault: markLost\n.*the gap is closed.*){2}"#)
    }

    /// A journal on a disk that lies loses acknowledged entries, and the simulator has to see that.
    @Test func lyingDiskIsFound() throws {
        let (status, output) = try run("100", "--fault", "lyingDisk=256", "--fault", "restart=64")
        #expect(status == 1)
        #expect(output.contains("entryLost:"))
    }
}
