import EMVExplanation
import Foundation
import SmartCard
import Testing

/// A log of many transactions. The parts are the published captures, one after the other.
@Suite struct ExplainedLogTests {
    private func text(_ name: String) throws -> String { try Vectors.text("traces/\(name).apdu") }

    private func body(_ name: String) throws -> String {
        try text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n") + "\n"
    }

    @Test func aTransactionEach() throws {
        let log = try #require(ExplainedLog(APDUTrace(parsing: Vectors.traces.map(body).joined())))
        #expect(log.transactions.count == 3)
        #expect(log.index.map(\.number) == [1, 2, 3])
        for (name, explanation) in zip(Vectors.traces, log.transactions) {
            let alone = Explanation(try APDUTrace(parsing: body(name)))
            #expect(explanation.verdict.sentence == alone.verdict.sentence)
            #expect(explanation.facts == alone.facts)
        }
        let lines = try body(Vectors.traces[0]).split(separator: "\n").count
        #expect(log.index[0].line == 1 && log.index[1].line == lines + 1)
        #expect(log.indexLines.count == 4)
    }

    @Test func oneOfThem() throws {
        let trace = try APDUTrace(parsing: Vectors.traces.map(body).joined())
        let second = try #require(ExplainedLog(trace, transaction: 2))
        #expect(second.transactions.count == 1 && second.index[0].number == 2)
        #expect(ExplainedLog(trace, transaction: 4) == nil)
    }

    /// A card that refuses GET PROCESSING OPTIONS sends the terminal back to the selection, within
    /// the same transaction (EMV 4.4 Book 3, 10.1).
    @Test(arguments: [
        "selection-after-a-refusal", "selection-by-the-cardholder", "script-after", "removed-while-reading",
    ])
    func oneTransactionStaysWhole(_ name: String) throws {
        #expect(try ExplainedLog(APDUTrace(parsing: text(name)))?.transactions.count == 1)
    }

    /// Lines that could not be read belong to the transaction before them; hidden digits stay
    /// hidden digits.
    @Test func partsKeepWhatIsTheirs() throws {
        let bodies = try Vectors.traces.prefix(2).map(body)
        let line = bodies[0].split(separator: "\n").count + 3
        let trace = try APDUTrace(parsing: bodies.joined())
        let log = try #require(ExplainedLog(trace, unread: [Explanation.Oddity(line: line, text: "torn")]))
        #expect(!log.transactions[0].oddities.contains { $0.text.contains("torn") })
        #expect(log.transactions[1].oddities.contains { $0.text.contains("torn") })
        let hidden = try APDUTrace(
            parsing: bodies.joined() + "> 00B2010C00\n< 700A5A08476173******01199000\n", hiddenDigits: .zeros)
        #expect(try #require(ExplainedLog(hidden)).transactions.allSatisfy { $0.evidence.isEmpty })
    }

    @Test func theIndexIsWellFormed() throws {
        let log = try #require(ExplainedLog(APDUTrace(parsing: Vectors.traces.map(body).joined())))
        var page = ""
        LogIndexPage(log, pages: ["a-1.html", "a%22-2.html", "a-3.html"]).write { page += $0 }
        #expect(page.contains("<a href=\"a-1.html\">"))
        #expect(page.contains("<a href=\"a%22-2.html\">"))
        #expect(!page.contains("<script"))
        #expect(page.hasSuffix("</html>\n"))
    }
}
