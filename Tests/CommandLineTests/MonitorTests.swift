import Console
import Foundation
import Glibc
import Reports
import Synchronization
import Testing

/// `cardpresent monitor`: what it draws, and that the terminal is afterwards what it was.
@Suite(.timeLimit(.minutes(20))) struct MonitorTests {
    private static let peer = Vectors.folder.deletingLastPathComponent().appending(path: "Tests/Peers/screen.py").path(
        percentEncoded: false)

    /// On a terminal of its own that a Python program looks after: Ctrl-C and Ctrl-Z are typed
    /// there.
    @Test(arguments: [
        ("interrupt", "signal 2, echo False then True, clean"), ("terminate", "signal 15, echo False then True, clean"),
        ("hang-up", "signal 1, echo False then True, clean"), ("by-itself", "exit 0, echo False then True, clean"),
        ("stop", "signal 2, echo False then True, clean, clean while stopped"),
        ("resize", "signal 2, echo False then True, clean, redrawn"),
    ]) func leavesTheScreenClean(_ ending: String, _ result: String) async throws {
        try await inWorkspace { place in
            let arguments =
                ["python3", Self.peer, ending, Executables.cardpresent, "monitor"]
                + (ending == "by-itself" ? ["--seconds", "2"] : [])
            let run = try await place.run("/usr/bin/env", arguments)
            #expect(run.output == "\(result)\n", "\(run.errors)")
        }
    }

    @Test("lines where there is no terminal, and where none is requested") func plainLines() async throws {
        try await inWorkspace { place in
            let piped = try await place.run("monitor", "--seconds", "0.2")
            #expect(piped.status == 0)
            #expect(piped.errors.isEmpty)
            #expect(!piped.output.contains("\u{1B}"))
            let terminal = try PseudoTerminal()
            defer { terminal.close() }
            let plain = try await place.run("monitor", "--plain", "--seconds", "0.2", output: terminal.screen)
            #expect(plain.status == 0)
            #expect(!terminal.text().contains("\u{1B}[?1049h"))
            let dumb = try await place.run(
                "monitor", "--seconds", "0.2", environment: ["TERM": "dumb"], output: terminal.screen)
            #expect(dumb.status == 0)
            #expect(!terminal.text().contains("\u{1B}[?1049h"))
        }
    }

    // MARK: Layout

    private static let reader = MonitorView.Reader(
        name: "読取装置 Reader", family: "CCID", node: "/dev/bus/usb/001/002", holder: nil,
        slots: [.init(name: "slot 1", hasCard: true)])

    private func full() -> MonitorView {
        var view = MonitorView()
        view.readers = [
            Self.reader,
            MonitorView.Reader(
                name: "Other", family: "MagTek", node: "/dev/hidraw0", holder: "pcscd (12)", remark: "why"),
        ]
        view.transaction = ("sale.apdu", (1...20).map { "step \($0)" })
        for number in 1...30 { view.tell("happening \(number)") }
        return view
    }

    @Test("every size: so many lines, each just as wide") func fits() {
        for view in [MonitorView(), full()] {
            for width in [1, 2, 5, 20, 80, 200] {
                for height in 1...40 {
                    let lines = view.lines(width: width, height: height, on: Console())
                    #expect(lines.count == height, "\(width) by \(height)")
                    #expect(lines.allSatisfy { DisplayWidth.of($0) == width }, "\(width) by \(height)")
                }
            }
        }
        #expect(full().lines(width: 0, height: 5, on: Console()).isEmpty)
        #expect(full().lines(width: 5, height: 0, on: Console()).isEmpty)
    }

    @Test("the newest of what happened, the last steps, all readers that there is room for") func shows() {
        let lines = full().lines(width: 60, height: 24, on: Console()).map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines[0].hasPrefix("cardpresent monitor: 2 readers"))
        #expect(lines[1] == "読取装置 Reader  CCID, /dev/bus/usb/001/002" && lines[2] == "slot 1: a card")
        #expect(lines[3] == "Other  MagTek, /dev/hidraw0" && lines[4] == "in use by pcscd (12)" && lines[5] == "why")
        #expect(lines[6] == "Transaction in sale.apdu")
        #expect(lines.contains("step 20"))
        #expect(!lines.contains("step 1"))
        #expect(lines.last == "happening 30")
        #expect(!lines.contains("happening 1"))
        let small = full().lines(width: 60, height: 6, on: Console()).map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(small.contains { $0.hasSuffix("more lines") })
    }

    /// Unicode Standard Annex #11: ideographs and fullwidth forms are wide, marks take no room.
    /// Emoji are wide (UTS #51).
    @Test(
        "Wide characters count twice and marks not at all",
        arguments: [
            ("abc", 3), ("読取", 4), ("Ａ", 2), ("e\u{301}", 1), ("한글", 4), ("👍", 2), ("\u{200B}", 0), ("", 0), ("ÄÖ", 2),
        ])
    func widths(_ text: String, _ width: Int) { #expect(DisplayWidth.of(text) == width) }

    @Test(
        "A text is cut or filled up to its width",
        arguments: [
            ("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("ab", 4, "ab  "), ("読取装", 4, "読… "), ("読取装", 5, "読取…"),
            ("a\u{1B}[31mb", 6, "a[31mb"),
            ("ab", 1, "…"), ("読", 1, "…"), ("ab", 0, ""),
        ]) func fitted(_ text: String, _ width: Int, _ shown: String)
    { #expect(DisplayWidth.fitted(text, width) == shown) }

    // MARK: The trace that is followed

    @Test func stepsOfATrace() {
        var steps = TraceSteps()
        let text = """
            # cardpresent trace 2, card data hidden
            ! card presented
            > 00A4040007A000000003101000
            < 6F1A************9000
            0.012345 > 00B2010C00
            0.034567 < 6A83
            = Completion: approved offline
            $ > authorisation of 12.34 EUR
            > 00200080082********FFFFFFF
            < 63C2
            """
        // In pieces, as a file that grows.
        for part in text.utf8.split(separator: UInt8(ascii: "0"), omittingEmptySubsequences: false).joined(separator: [
            UInt8(ascii: "0")
        ]) {
            steps.take([part])
        }
        #expect(steps.steps.last == "VERIFY plaintext PIN", "the last line is not whole yet")
        steps.take("\n".utf8)
        #expect(steps.steps.count == 6)
        #expect(steps.steps[0] == "card presented")
        #expect(steps.steps[1].hasPrefix("SELECT A0000000031010: 9000"))
        #expect(steps.steps[2].hasPrefix("READ RECORD 1 of SFI 1: 6A83"))
        #expect(
            steps.steps[3] == "Completion: approved offline" && steps.steps[4] == "host > authorisation of 12.34 EUR")
        #expect(steps.steps[5].hasPrefix("VERIFY plaintext PIN: 63C2"))
    }

    @Test func followsATrace() async throws {
        try await inWorkspace { place in
            let terminal = try PseudoTerminal()
            defer { terminal.close() }
            let process = Mutex<pid_t>(0)
            async let run = place.run(
                "monitor", "--trace", "sale.apdu", output: terminal.screen,
                started: { pid in process.withLock { $0 = pid } })
            _ = try place.file("sale.apdu", "> 00A4040007A000000003101000\n< 6A82\n")
            var seen = ""
            for _ in 0..<3000 where !seen.contains("SELECT A0000000031010: 6A82") {
                seen += terminal.text()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(seen.contains("SELECT A0000000031010: 6A82"))
            kill(process.withLock { $0 }, SIGTERM)
            #expect(try await run.wasKilled)
        }
    }
}
