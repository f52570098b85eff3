import EMVExplanation
import Foundation
import SmartCard
import Testing

/// The page, read by Python's HTML and XML parsers, which know nothing of how it was made.
@Suite("The page of an explanation") struct PageTests {
    /// What the parsers find: nothing if all is well.
    func complaints(_ html: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).html")
        defer { try? FileManager.default.removeItem(at: file) }
        try html.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.script.path(percentEncoded: false), file.path(percentEncoded: false)]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
            + (process.terminationStatus == 0 ? "" : "status \(process.terminationStatus)")
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "parse_page.py")

    @Test(arguments: Vectors.traces) func isWellFormed(_ name: String) throws {
        let page = ExplanationPage(try Vectors.explanation(name)).html
        #expect(try complaints(page) == "")
        #expect(page.contains("<h1>"))
        #expect(page.contains("Content-Security-Policy"))
    }

    @Test("An amount does not break, and only what was disproved has a cross") func amountsAndCrosses() throws {
        let page = ExplanationPage(try Vectors.explanation("visa-contact-online")).html
        #expect(page.contains(#/[0-9]\u{A0}[A-Z]{3}\b/#))
        #expect(!page.contains("✕"))
        #expect(page.contains("counter(page)"))
        #expect(page.contains("folded"))
    }

    @Test("The checker can say no") func theCheckerComplains() throws {
        let page = ExplanationPage(try Vectors.explanation("visa-contact-online")).html
        #expect(try complaints(page.replacing("id=\"p1\"", with: "id=\"p0\"")).contains("p0"))
        #expect(
            try complaints(page.replacing("</main>", with: "<img src=\"http://example.com/a.png\" /></main>")).contains(
                "example.com"))
        #expect(try complaints(page.replacing("</h1>", with: "")).contains("mismatched"))
    }

    @Test("A log that wants to be a program: in its title, in texts, and in what its card calls itself")
    func hostileLog() throws {
        let attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&#0;</style>"
        let label = Array("<script>x".utf8).map { String($0, radix: 16) }.joined()
        let length = { (hex: String) in (hex.count / 2 < 16 ? "0" : "") + String(hex.count / 2, radix: 16) }
        let inner = "8407A0000000031010" + "A5" + length("50" + length(label) + label) + "50" + length(label) + label
        let text = """
            # title: \(attack)
            # source: \(attack)
            # note: \(attack)\u{202E}
            ! \(attack)
            > 00A4040007A000000003101000
            < 6F\(length(inner))\(inner)9000
            = \(attack): \(attack)
            $ > \(attack)
            ~ > bulk:02 \(attack)
            """
        let page = ExplanationPage(Explanation(try APDUTrace(parsing: text))).html
        #expect(try complaints(page) == "")
        #expect(!page.lowercased().contains("<script"))
        #expect(!page.contains("<img"))
        #expect(page.contains("&lt;script&gt;alert(1)"), "it is shown, as text")
        #expect(!page.unicodeScalars.contains("\u{202E}"))
    }

    @Test("Anchors lead somewhere: every line of the sequence and of the timeline to its part") func timesAndHost()
        throws
    {
        let text = """
            0.000000 > 00A4040007A000000003101000
            0.050000 < 6A82
            0.100000 $ > authorisation
            0.350000 $ < approved
            """
        let page = ExplanationPage(Explanation(try APDUTrace(parsing: text))).html
        #expect(try complaints(page) == "")
        // From 0 to 0.05 of 0.35 seconds: 14.29 per cent.
        #expect(page.contains("left:0.00%;width:max(2px,14.29%)"))
        #expect(page.contains("350.0 ms from the first event"))
        #expect(page.contains("<b class=\"host\">Host</b>"))
        #expect(
            !ExplanationPage(try Vectors.explanation("visa-contact-online")).html.contains("id=\"timeline\""),
            "a log without times")
    }
}

/// A long log is written in parts, which together are the whole.
@Suite("A long explanation is written in parts") struct PartsTests {
    @Test(arguments: Vectors.traces) func theyAreTheWhole(_ name: String) throws {
        let explanation = try Vectors.explanation(name)
        var lines: [ExplanationText.Line] = []
        var most = 0
        ExplanationText(explanation).write {
            lines += $0
            most = max(most, $0.count)
        }
        #expect(lines == ExplanationText(explanation).lines)
        #expect(most < lines.count / 2)
        var pieces: [String] = []
        ExplanationPage(explanation).write { pieces.append($0) }
        #expect(pieces.joined() == ExplanationPage(explanation).html)
        #expect(pieces.count > 20)
    }

    @Test(
        "HTML 13.1.4 and 13.5: what means something to a parser is written as a reference, all else as it is",
        arguments: [
            ("<b>bold", "&lt;b&gt;bold"), ("this & that", "this &amp; that"), ("\"quoted\"", "&quot;quoted&quot;"),
            ("it's", "it&#39;s"),
            ("café", "café"), ("plain words", "plain words"),
        ]) func markupInTexts(_ text: String, _ written: String) throws
    {
        let log = "# title: \(text)\n> 00A4040007A000000003101000\n< 6A82\n"
        let page = ExplanationPage(Explanation(try APDUTrace(parsing: log))).html
        #expect(page.contains("<title>\(written)</title>"))
    }
}
