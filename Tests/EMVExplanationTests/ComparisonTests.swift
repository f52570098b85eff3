import EMVExplanation
import Foundation
import SmartCard
import Testing

/// Two logs side by side. The logs are made here; the tags and their bits are those of EMV 4.4 Book
/// 3, annexes A1 and C.
@Suite("Two logs side by side") struct ComparisonTests {
    private func compare(_ left: String, _ right: String, isRedacted: Bool = true) throws -> ExplanationComparison {
        ExplanationComparison(
            try APDUTrace(parsing: left), with: try APDUTrace(parsing: right), issuers: (nil, nil),
            isRedacted: isRedacted)
    }

    private static let select = "> 00A4040007A000000003101000\n< 6F0B8407A0000000031010A5009000\n"

    /// A record with application usage control, CDOL1 (TVR, unpredictable number) and an ICC public
    /// key remainder, which is card data.
    private static func record(control: String = "FF00", remainder: String = "AABB") -> String {
        "> 00B2010C00\n< 70119F0702\(control)8C0595059F37049F4802\(remainder)9000\n"
    }

    private static func cryptogram(
        tvr: String = "0000000000", number: String, counter: String, type: String = "40", p1: String = "40"
    )
        -> String
    {
        "> 80AE\(p1)0009\(tvr)\(number)00\n< 77149F2701\(type)9F3602\(counter)9F26081122334455667788"
            + "9000\n"
    }

    private static func log(_ parts: String...) -> String { parts.joined() }

    @Test func dataOfEachTransactionAloneCountAsTheSame() throws {
        let left = Self.log(Self.select, Self.record(), Self.cryptogram(number: "01020304", counter: "0001"))
        let right = Self.log(Self.select, Self.record(), Self.cryptogram(number: "05060708", counter: "0002"))
        let comparison = try compare(left, right)
        #expect(comparison.isSame)
        #expect(comparison.exchanges.count == 3)
        let differences = comparison.exchanges.flatMap(\.differences)
        #expect(
            differences.map(\.subject) == [
                "sent 9F37 Unpredictable Number (UN)", "answer 9F36 Application Transaction Counter (ATC)",
            ])
        #expect(differences.map(\.variesAlways) == [true, true])
        #expect(differences.map(\.left) == ["01020304", "0001"])
        #expect(differences.map(\.right) == ["05060708", "0002"])
    }

    @Test("The record comes before the TVR that follows from it") func whatDiffersFirst() throws {
        let left = Self.log(Self.select, Self.record(), Self.cryptogram(number: "01020304", counter: "0001"))
        let right = Self.log(
            Self.select, Self.record(control: "FF80"),
            Self.cryptogram(tvr: "0010000000", number: "01020304", counter: "0001"))
        let comparison = try compare(left, right)
        let first = try #require(comparison.first)
        #expect(first.command == "READ RECORD 1 of SFI 1")
        #expect(first.subject.hasPrefix("answer 9F07 Application Usage Control"))
        #expect(first.left == "FF00")
        #expect(first.right == "FF80")
        #expect(
            first.leftMeanings == [] && first.rightMeanings.count == 1 && first.rightMeanings[0].contains("cashback"))
        let results = try #require(comparison.exchanges.last?.differences.first)
        #expect(results.subject == "sent 95 Terminal Verification Results (TVR)")
        #expect(results.rightMeanings == ["Requested service not allowed for card product"])
        #expect(ComparisonText(comparison).lines.contains { $0.text == "A line 3, B line 3: READ RECORD 1 of SFI 1" })
    }

    @Test("The headline says whether they end differently and where they differ first, without a value")
    func headline() throws {
        let start = Self.select + Self.record()
        let same = try compare(Self.log(start), Self.log(start))
        #expect(same.headline.hasPrefix("Nothing differs"))
        let changed = try compare(Self.log(start), Self.log(Self.select, Self.record(control: "FF80")))
        #expect(
            changed.headline.hasPrefix("A and B end alike. They differ first in READ RECORD 1 of SFI 1, answer 9F07"))
        let cut = try compare(Self.log(start, Self.cryptogram(number: "01020304", counter: "0001")), Self.log(start))
        #expect(cut.headline.hasPrefix("A and B end differently. They differ first in GENERATE AC"), "\(cut.headline)")
        let origin = PageOrigin(logs: ["good.apdu", "bad.apdu"], version: "1.0.0", date: "2026-01-01")
        let lines = ComparisonText(cut, origin: origin).lines.map(\.text)
        #expect(lines[0] == cut.headline)
        #expect(lines[1].hasPrefix("A  good.apdu: ") && lines[2].hasPrefix("B  bad.apdu: "))
    }

    @Test func aCommandThatOneLogHasNot() throws {
        let end = Self.cryptogram(number: "01020304", counter: "0001")
        let extra = "> 80CA9F1700\n< 9F1701039000\n"
        let comparison = try compare(
            Self.log(Self.select, Self.record(), end), Self.log(Self.select, Self.record(), extra, end))
        #expect(comparison.exchanges.map(\.leftLine) == [1, 3, nil, 5])
        #expect(comparison.exchanges.map(\.rightLine) == [1, 3, 5, 7])
        #expect(comparison.first?.subject == "only one log has it")
        #expect(comparison.first?.left == nil)
    }

    @Test func anotherCryptogramIsADifferenceOfTheSameCommand() throws {
        let left = Self.log(Self.select, Self.record(), Self.cryptogram(number: "01020304", counter: "0001"))
        let right = Self.log(
            Self.select, Self.record(), Self.cryptogram(number: "01020304", counter: "0001", type: "80", p1: "80"))
        let comparison = try compare(left, right)
        #expect(comparison.exchanges.count == 3)
        let subjects = comparison.exchanges[2].differences.map(\.subject)
        #expect(subjects.prefix(2) == ["what is asked for", "answer 9F27 Cryptogram Information Data (CID)"])
        #expect(comparison.facts.contains { $0.subject == "Verdict" })
        #expect(comparison.facts.contains { $0.subject == "First cryptogram" && !$0.variesAlways })
    }

    /// Card data that are hidden count all the same, and stay hidden.
    @Test func hiddenDigitsAreCompared() throws {
        let end = Self.cryptogram(number: "01020304", counter: "0001")
        let (left, right) = (
            Self.log(Self.select, Self.record(), end), Self.log(Self.select, Self.record(remainder: "AACC"), end)
        )
        let hidden = try compare(left, right)
        #expect(hidden.first?.subject == "answer 9F48 ICC Public Key Remainder, in hidden digits")
        #expect(hidden.first?.left == "****")
        #expect(hidden.first?.right == "****")
        let shown = try compare(left, right, isRedacted: false)
        #expect(shown.first?.left == "AABB")
        #expect(shown.first?.right == "AACC")
    }

    @Test("Two logs with nothing in common take no longer than their lengths") func nothingInCommon() throws {
        let left = (1...400).map { "> 80CA9F\(String(format: "%02X", $0 % 31))00\n< 6A88\n" }.joined()
        let right = (1...400).map { "> 00B201\(String(format: "%02X", ($0 % 30) << 3 | 4))00\n< 6A83\n" }.joined()
        let comparison = try compare(left, right)
        #expect(comparison.exchanges.count == 800)
        #expect(comparison.exchanges.allSatisfy { $0.leftLine == nil || $0.rightLine == nil })
    }

    @Test(arguments: Vectors.traces) func aLogIsLikeItself(_ name: String) throws {
        let text = try Vectors.text("traces/\(name).apdu")
        let comparison = try compare(text, text)
        #expect(comparison.isSame)
        #expect(comparison.facts.isEmpty)
        #expect(comparison.exchanges.allSatisfy { $0.differences.isEmpty })
    }

    @Test func thePageIsWellFormed() throws {
        let left = "# title: <script>alert(1)</script>\n" + Self.log(Self.select, Self.record())
        let comparison = try compare(left, Self.log(Self.select, Self.record(control: "FF80")))
        var page = ""
        let origin = PageOrigin(logs: ["good.apdu", "bad.apdu"], version: "1.0.0", date: "2026-01-01")
        ComparisonPage(comparison, origin: origin).write { page += $0 }
        #expect(try PageTests().complaints(page) == "")
        #expect(page.contains(">good.apdu: &lt;script&gt;"))
        #expect(page.contains(">bad.apdu</p>"))
        #expect(!page.contains("<script"))
    }
}
