import Bytes
import SmartCard
import Testing
import TraceImport

/// Lines that are wrapped, lost, disturbed or of others: what is there is read, and what is not is
/// named.
@Suite struct BrokenLogTests {
    private let getOptions = CommandAPDU([0x80, 0xA8, 0, 0, 0x02, 0x83, 0, 0])

    // MARK: gp and apdu4j (form: kaoh/globalplatformpro and martinpaljak/apdu4j,
    // LoggingCardTerminal: sent as header + data, received as data + status)

    private let wrapped = """
        A>> T=1 (4+0007) 00A40400 07 A0000000031010 00
        A<< (0024+2) (16ms) 6F168407A0000000031010A50B50
        095649534120544553549000
        """

    @Test("A wrapped answer goes on up to the announced length") func wrappedAnswer() throws {
        let log = try Sample.read(wrapped)
        #expect(log.trace.exchanges.map(\.response.bytes.hex) == [Sample.selected])
        #expect(log.problems.isEmpty)
    }

    @Test("An answer of another length than announced is named, and none is made up") func cutAnswer() throws {
        let cut =
            wrapped.split(separator: "\n").dropLast().joined(separator: "\n")
            + "\nA>> T=1 (4+0002) 80A80000 02 8300 00\nA<< (0000+2) (5ms) 6985\n"
        #expect(throws: LogProblem(.line(2), .wrongCount(.announced, 26, shown: 14))) { try Sample.read(cut) }
        let log = try Sample.read(cut, nil, .skipped)
        #expect(log.trace.exchanges.map(\.response.bytes.hex) == ["6985"])
        #expect(log.trace.entries.first?.event == .unanswered(try #require(CommandAPDU([UInt8](hex: Sample.select)))))
        #expect(log.problems == [LogProblem(.line(2), .wrongCount(.announced, 26, shown: 14))])
    }

    @Test("A command that failed stays, with the tool's words") func lostAnswer() throws {
        let log = try Sample.read(
            "\(wrapped)\nA>> T=1 (4+0002) 80A80000 02 8300 00\nSCardTransmit failed: SCARD_E_NOT_TRANSACTED\n")
        let command = try #require(getOptions)
        #expect(
            log.trace.entries.map(\.event).suffix(3) == [
                .unanswered(command), .reader(.noAnswer),
                .reader(.other("SCardTransmit failed: SCARD_E_NOT_TRANSACTED")),
            ])
        #expect(log.problems.isEmpty)
    }

    @Test("The words of a tool stay on their line, without characters that steer a terminal") func wordsOfATool() throws
    {
        let log = try Sample.read(
            wrapped + "\nA>> T=1 (4+0002) 80A80000 02 8300 00\nError: \u{202E}\u{7}\u{9B}31m"
                + String(repeating: "x", count: 999))
        guard case .reader(.other(let words))? = log.trace.entries.last?.event else {
            Issue.record("no words")
            return
        }
        #expect(words.unicodeScalars.count == 200)
        #expect(words.hasPrefix("Error:    31mx"))
    }

    // MARK: scriptor

    @Test("An answer of scriptor without its end is named") func cutScriptor() throws {
        let text =
            "> RESET\n< OK: 3B 00\n> 00 B2 01 0C 00 \n< 70 0A 5A 08 47 61 73 90 01 01 01 19 \n> 00 B2 02 0C 00 \n< 6A 83 : Record not found.\n"
        #expect(throws: LogProblem(.line(4), .cutAnswer)) { try Sample.read(text) }
        let log = try Sample.read(text, nil, .skipped)
        #expect(log.trace.exchanges.map(\.response.bytes.hex) == ["6A83"])
    }

    // MARK: pcscd

    /// LudovicRousseau/PCSC, ifdwrapper.c: the driver's code after the words.
    @Test("An empty answer of pcscd is none") func emptyAnswer() throws {
        let text = """
            00000046 [140447] APDU: 80 A8 00 00 02 83 00 00\u{20}
            00030608 [140447] commands.c:1678:CCID_Receive() Can't read all data (49174 out of 2 expected)
            00000037 [140447] SW:\u{20}
            00000003 [140447] ifdwrapper.c:543:IFDTransmit() Card not transacted: 612
            00000046 [140447] APDU: \(Sample.spaced(Sample.record))\u{20}
            00030608 [140447] SW: \(Sample.spaced(Sample.recorded))\u{20}
            """
        let log = try Sample.read(text)
        let command = try #require(getOptions)
        #expect(
            log.trace.entries.map(\.event).prefix(3) == [
                .unanswered(command), .reader(.noAnswer), .reader(.other("Card not transacted: 612")),
            ])
        #expect(log.trace.exchanges.map(\.response.bytes.hex) == [Sample.recorded])
        #expect(log.problems.isEmpty)
    }

    // MARK: Sniffed frames

    /// ISO/IEC 14443-3, annex B: a frame that has right check bytes counts; the reader repeats what
    /// was disturbed.
    @Test(
        "Noise between frames is named, and costs nothing else",
        arguments: [
            "|00!                                            |     | ",
            "|00  B2!                                        |     | ",
            "|03  00  B2! 01  14  00  09  CC                 |     | ",
            "|26                                             |     | ",
        ])
    func noise(_ frame: String) throws {
        let rows = [
            "  6468352 |  6477728 | Rdr |03  00  B2  01  14  00  09  CB  | A ok| READ RECORD",
            "  6512324 |  6518212 | Tag |03  6A  82  4F  75  |     | ",
        ]
        let clean = try Sample.read(rows.joined(separator: "\n") + "\n" + rows.joined(separator: "\n"), .proxmark)
        let log = try Sample.read(
            (rows + ["  7000000 |  7000100 | Rdr \(frame)"] + rows).joined(separator: "\n"), .proxmark)
        if frame.hasPrefix("|26") {
            // REQA begins a selection: what follows is not of a conversation.
            #expect(log.trace.exchanges.count == 1)
        } else {
            #expect(log.trace.exchanges.map(\.command) == clean.trace.exchanges.map(\.command))
            #expect(log.problems.map(\.place) == [.line(3)])
        }
    }

    // MARK: Programs' logs

    /// Android's `logcat -v threadtime`: date, time, process, thread, level and tag.
    @Test func logcat() throws {
        let head = "11-10 10:11:12.123  4321  4350 D CardReader:"
        let text =
            "\(head) card found, 14 bytes\n\(head) >> \(Sample.select)\n\(head) << \(Sample.selected)\n\(head) >> \(Sample.record)\n\(head) << \(Sample.recorded)\n"
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .pairs)
        #expect(hexes == PairsLogTests.expected)
        let other = try Sample.read(text + "\(head) read 70 0A 5A 08 47\n")
        #expect(other.problems == [LogProblem(.line(6), .neitherCommandNorAnswer)])
        #expect(other.trace.exchanges.count == 2)
    }

    /// L1L1/cardpeek, the view of a log: the status word first, and the data in rows of sixteen
    /// bytes with their characters.
    @Test func cardpeeksView() throws {
        let text = """
            RSET 3B 65 00 00 20 63 CB 68 00\u{20}
            SEND \(Sample.spaced(Sample.select))\u{20}
            RECV 9000                                                # Normal processing
                 6F 16 84 07 A0 00 00 00 03 10 10 A5 0B 50 09 56   o............P.V
                 49 53 41 20 54 45 53 54                           ISA TEST
            SEND 00 B2 02 0C 00\u{20}
            RECV 6A83                                                # Record not found
            """
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .cardpeekView)
        #expect(hexes == [Sample.select, Sample.selected, "00B2020C00", "6A83"])
        #expect(
            try Sample.read(text).trace.entries.first?.event
                == .reader(.reset([0x3B, 0x65, 0, 0, 0x20, 0x63, 0xCB, 0x68, 0])))
    }

    /// devnied/EMV-NFC-Paycard-Enrollment, PcscProvider: the answer, then its status word once more
    /// and in words.
    @Test func paycard() throws {
        func line(_ number: Int, _ words: String) -> String { "DEBUG [main] (PcscProvider.java:\(number)) - \(words)" }
        let text = [
            line(50, "send: " + Sample.spaced(Sample.select)), line(61, "resp: " + Sample.spaced(Sample.selected)),
            line(63, "resp: "),
            "90 00 -- Command successfully executed (OK)", line(66, "resp: Command successfully executed (OK)"),
            line(50, "send: " + Sample.spaced(Sample.record)), line(61, "resp: " + Sample.spaced(Sample.recorded)),
        ].joined(separator: "\n")
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .paycard)
        #expect(hexes == PairsLogTests.expected)
    }

    @Test("A log of 200,000 lines of digits is read in one pass") func manyLines() throws {
        let text = "A>> T=1 (4+0000) 00B2010C 00\nA<< (60000+2) (1ms) 70\n" + String(repeating: "00\n", count: 200_000)
        #expect(throws: LogProblem.self) { try Sample.read(text) }
    }
}
