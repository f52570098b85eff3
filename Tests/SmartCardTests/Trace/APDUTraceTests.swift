import Bytes
import SmartCard
import Testing

/// The form that `docs/trace-format.md` describes.
@Suite struct APDUTraceTests {
    private func trace(_ lines: String...) throws -> APDUTrace { try APDUTrace(parsing: lines.joined(separator: "\n")) }

    private func problem(_ lines: String...) -> APDUTraceError? {
        #expect(throws: APDUTraceError.self) { try APDUTrace(parsing: lines.joined(separator: "\n")) }
    }

    private static let everyEvent = """
        # cardpresent trace 2
        # title: a case
        # reason: why it is kept
        0.000000 ! card presented
        0.000100 ! reset 3B6500002063CB6800
        # a remark
        0.012345 > 00A4040007A000000003101000
        0.020000 ~ > endpoint:02 6F0500
        0.034567 < 6F00 9000
        0.040000 = Application selection: 1 candidate: A0000000031010
        0.050000 $ > authorisation of 12.34 EUR
        1.5 $ < approved
        2 > 80CA9F1700
        2.000001 ! card removed
        """

    @Test func everyKindOfEvent() throws {
        let trace = try APDUTrace(parsing: Self.everyEvent)
        #expect(trace["title"] == "a case")
        #expect(trace["reason"] == "why it is kept")
        #expect(trace.entries.map(\.line) == [4, 5, 7, 8, 10, 11, 12, 13, 14])
        let times: [Duration] = [
            .zero, .microseconds(100), .microseconds(12345), .milliseconds(20), .milliseconds(40), .milliseconds(50),
            .milliseconds(1500),
            .seconds(2), .microseconds(2_000_001),
        ]
        #expect(trace.entries.map(\.time) == times)
        let select = CommandAPDU.select([0xA0, 0, 0, 0, 3, 0x10, 0x10])
        let exchange = APDUTrace.Exchange(
            line: 7, command: select, response: ResponseAPDU([0x6F, 0x00]), sent: .microseconds(12345),
            received: .microseconds(34567))
        #expect(
            trace.entries.map(\.event) == [
                .reader(.cardPresented), .reader(.reset([0x3B, 0x65, 0, 0, 0x20, 0x63, 0xCB, 0x68, 0])),
                .exchange(exchange),
                .wire(.init(.sent, "endpoint:02 6F0500")),
                .decision(.init(phase: "Application selection", summary: "1 candidate: A0000000031010")),
                .host(.init(.sent, "authorisation of 12.34 EUR")), .host(.init(.received, "approved")),
                .unanswered(.getData(0x9F17)),
                .reader(.cardRemoved),
            ])
        #expect(trace.exchanges == [exchange])
    }

    @Test func textsOfVersion1AreReadAsBefore() throws {
        let trace = try trace(
            "# cardpresent trace 1, card data hidden", "# title: x", "> 00 84 00 00 00", "",
            "# title: no metadata here", "< 01029000")
        #expect(trace.metadata.map(\.name) == ["title"])
        #expect(trace.exchanges.map(\.response.bytes.hex) == ["01029000"])
        #expect(trace.exchanges.map(\.line) == [3])
        #expect(trace.exchanges.map(\.sent) == [nil])
    }

    @Test func linesEndAsAnySystemEndsThem() throws {
        #expect(try APDUTrace(parsing: "# a: b\r\n\r\n> 0084000000\r\n< 9000\r\n").exchanges.map(\.line) == [3])
        #expect(try APDUTrace(parsing: "# a: b\r\r> 0084000000\r< 9000\r").exchanges.map(\.line) == [3])
    }

    @Test func everyReasonForNoAnswerIsAnError() throws {
        for (text, error) in [
            ("card removed", .cardRemoved), ("no answer", .timedOut), ("cancelled", .cancelled),
            ("malformed answer: too short", .malformedAnswer(.recorded("too short"))),
            ("reader failed: unplugged", .readerFailed(.recorded("unplugged"))),
        ] as [(String, CardChannelError)] {
            let entries = try trace("> 0084000000", "! \(text)").entries
            #expect(entries.map(\.event) == [.unanswered(.getChallenge), .reader(.init(error))])
            #expect(APDUTrace.ReaderEvent(text: text).channelError == error)
            #expect(APDUTrace.ReaderEvent(error).text == text)
        }
        // What is not a reason leaves the command waiting for its answer.
        let trace = try trace("> 0084000000", "! battery 80 %", "< 9000")
        #expect(trace.exchanges.count == 1)
        #expect(trace.entries.map(\.line) == [1, 2])
    }

    /// The digits are a card number that no list of test cards has, with a valid check digit.
    @Test(
        "A cryptogram whose digits look like a card number is none",
        arguments: [("9F26", true), ("9F4C", true), ("5A", false), ("9F7E", false)])
    func digitsByChance(_ tag: String, _ isTest: Bool) throws {
        #expect(
            try trace("> 80AE800000", "< 77\(tag.count == 2 ? "0A" : "0B")\(tag)0849291234567890159000")
                .hasOnlyTestCards == isTest)
    }

    @Test func eachProblemNamesItsLine() {
        #expect(problem("> 0084000000", "> 0084000000", "< 9000") == .init(line: 1, reason: .commandWithoutAnswer))
        #expect(problem("> 0084000000") == .init(line: 1, reason: .commandWithoutAnswer))
        #expect(problem("", "< 9000") == .init(line: 2, reason: .answerWithoutCommand))
        #expect(problem("> 0084000000", "< 90") == .init(line: 2, reason: .notAnAnswer))
        #expect(problem("> 008400") == .init(line: 1, reason: .notACommand))
        #expect(
            problem("> 00840000000", "< 9000")
                == .init(line: 1, reason: .hexadecimal(.oddNumberOfDigits(11))))
        #expect(
            problem("> 0084000000", "< 90x0")
                == .init(line: 2, reason: .hexadecimal(.notADigit(character: "x", offset: 3))))
        #expect(problem("> 0084000000", "< **9000") == .init(line: 2, reason: .redacted))
        #expect(problem("= no phase") == .init(line: 1, reason: .notADecision))
        #expect(problem("= : nothing") == .init(line: 1, reason: .notADecision))
        #expect(problem("= \u{200B}: nothing is visible") == .init(line: 1, reason: .notADecision))
        #expect(problem("= selection: \u{85}\u{1B}") == .init(line: 1, reason: .notADecision))
        #expect(problem("$ authorisation") == .init(line: 1, reason: .noDirection))
        #expect(problem("~ endpoint:02 00") == .init(line: 1, reason: .noDirection))
        #expect(problem("1,5 ! card presented") == .init(line: 1, reason: .notATime))
        #expect(problem("1. ! card presented") == .init(line: 1, reason: .notATime))
        #expect(problem("0.0123456789 ! card presented") == .init(line: 1, reason: .notATime))
        #expect(problem("0.5") == .init(line: 1, reason: .unknownLine))
        #expect(problem("? 00") == .init(line: 1, reason: .unknownLine))
        #expect(problem("# cardpresent trace 3", "> 0084000000", "< 9000") == .init(line: 1, reason: .version("3")))
        #expect(problem("") == .init(line: 1, reason: .empty))
        #expect(problem("! card presented", "! card removed") == .init(line: 2, reason: .empty))
    }

    @Test func brokenLinesCanBeSkipped() {
        var problems: [APDUTraceError] = []
        let trace = APDUTrace(
            parsing:
                "> 0084000000\n> 0084000008\n< 0102030405060708 9000\nnonsense\n< 9000\n> 00B2010C00\n< 6A8\n< 6A83\n> 00B2",
            skipping: &problems)
        #expect(trace.exchanges.map(\.line) == [2, 6])
        #expect(trace.exchanges.map(\.response.status) == [.success, .recordNotFound])
        #expect(problems.map(\.line) == [1, 4, 5, 7, 9])
    }

    /// A PIN is hidden in every trace, and a replay can do without it.
    @Test func aHiddenPINIsNoReasonToRefuse() throws {
        let trace = try trace("> 00200088 08 ****************", "< 63C2", "> 84240002 04 ********", "< 9000")
        #expect(trace.exchanges.map(\.command.data.count) == [8, 4])
        #expect(!trace.hasHiddenDigits)
        #expect(problem("> 00200088 08 ****************", "< 63C*") == .init(line: 2, reason: .redacted))
        #expect(problem("> 00A40400 05 A000****03", "< 9000") == .init(line: 1, reason: .redacted))
    }

    @Test func hiddenDigitsAreZerosForPeople() throws {
        let text = "> 00B2010C00\n< 70 0A 5A 08 476173******0119 9000"
        let trace = try APDUTrace(parsing: text, hiddenDigits: .zeros)
        #expect(trace.hasHiddenDigits)
        #expect(trace.exchanges.map(\.response.data.hex) == ["700A5A084761730000000119"])
        #expect(try !APDUTrace(parsing: Self.everyEvent, hiddenDigits: .zeros).hasHiddenDigits)
    }
}

@Suite struct APDUTraceWriterTests {
    private func written(_ text: String, _ disclosure: TraceDisclosure, showsTimes: Bool = false) throws -> String {
        var writer = APDUTraceWriter(disclosure, showsTimes: showsTimes)
        return writer.text(try APDUTrace(parsing: text))
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let text = """
            # cardpresent trace 2
            # title: a case
            0.000000 ! card presented
            0.000100 ! reset 3B6500002063CB6800
            0.012345 > 00A4040007A000000003101000
            0.034567 < 6F009000
            0.040000 = Application selection: 1 candidate: A0000000031010
            0.050000 $ > authorisation of 12.34 EUR
            1.500000 $ < approved
            1.750000 ~ > endpoint:02 6F0500
            2.000000 > 80CA9F1700
            12.000001 ! malformed answer: 1 byte

            """
        #expect(try written(text, .testCard, showsTimes: true) == text)
        let withoutTimes = text.split(separator: "\n").map { line in
            line.first.map { $0.isNumber } == true ? line.drop { $0 != " " }.dropFirst() : line
        }
        #expect(try written(text, .testCard) == withoutTimes.joined(separator: "\n") + "\n")
    }

    /// Tag 5A is in the second answer; it stands in the first one and in a decision too, and as
    /// ASCII in a command.
    @Test func aPANIsHiddenWhereverItStands() throws {
        let ascii = Array("4761739001010119".utf8).hex
        let text = """
            > 00B2010C00
            < 70 0C DF01 09 014761739001010119 9000
            > 00B2020C00
            < 70 1F 5A08 4761739001010119 57 13 4761739001010119D49122010000000000 00FF 9000
            > 80AE400010\(ascii)
            < 6985
            = Completion: card 4761739001010119

            """
        let hidden = try written(text, .redacted)
        #expect(!hidden.contains("4761739001010119"))
        #expect(!hidden.contains(ascii))
        #expect(hidden.contains("014761*") == false)
        #expect(hidden.contains("01476173******0119"))
        #expect(hidden.contains("5A08476173******01195713\(String(repeating: "*", count: 38))9000"))
        #expect(hidden.contains("= Completion: card 476173******0119\n"))
        #expect(try written(text, .testCard).contains("5A084761739001010119"))
    }

    @Test func aPINIsNeverShown() throws {
        for disclosure in [TraceDisclosure.redacted, .testCard] {
            let shown = try written(
                "> 0020008008241234FFFFFFFFFF\n< 63C2\n> 842400020A24123456FFFFFFFF0102\n! no answer\n", disclosure)
            #expect(
                shown.contains("> 0020008008****************\n< 63C2\n> 842400020A********************\n! no answer\n"))
        }
    }

    /// A driver hides what it knows to be a card's; of a transfer that is there in full nobody here
    /// knows.
    @Test func wireBytesAreShownForTestCardsOnly() throws {
        let text = "> 0084000000\n~ > endpoint:02 6F05000000\n~ < endpoint:82 80....00\n< 9000\n"
        #expect(try written(text, .redacted).contains("~ > endpoint:02 ..........\n~ < endpoint:82 80....00\n"))
        #expect(try written(text, .testCard).contains("~ > endpoint:02 6F05000000\n"))
    }

    @Test func timesThatCannotBeWritten() {
        var writer = APDUTraceWriter(.testCard, showsTimes: true)
        #expect(writer.lines(.init(time: .milliseconds(-1), .reader(.cardRemoved))) == "0.000000 ! card removed\n")
        #expect(
            writer.lines(.init(time: .seconds(1 << 40), .reader(.cardRemoved))) == "999999999.000000 ! card removed\n")
    }

    @Test func aTextWithLineEndsInItIsOneLine() {
        var writer = APDUTraceWriter(.testCard)
        #expect(writer.lines(.init(.host(.init(.received, "a\n> 0084000000\r\nb")))) == "$ < a > 0084000000 b\n")
    }
}

@Suite struct RecordingChannelTests {
    private struct GoneCard: CardChannel {
        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw .cardRemoved }
    }

    @Test func tellsOfACommandWithoutAnswer() async {
        await confirmation { confirmed in
            let channel = RecordingChannel(GoneCard()) { command, error in
                #expect(command == .getChallenge)
                #expect(error == .cardRemoved)
                confirmed()
            } record: { _ in
                Issue.record("there was no answer")
            }
            await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(.getChallenge) }
        }
    }
}
