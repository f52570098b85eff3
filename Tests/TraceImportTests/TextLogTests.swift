import Bytes
import SmartCard
import Testing
import TraceImport

/// Each sample has the form of real output that its test cites; the card is Visa's published test
/// card 4761 7390 0101 0119.
enum Sample {
    static let select = "00A4040007A000000003101000"
    static let selected = "6F168407A0000000031010A50B50095649534120544553549000"
    static let record = "00B2010C00"
    static let recorded = "700A5A0847617390010101199000"

    static func spaced(_ hex: String) -> String {
        stride(from: 0, to: hex.count, by: 2).map { String(hex.dropFirst($0).prefix(2)) }.joined(separator: " ")
    }

    static func read(_ text: String, _ format: LogFormat? = nil, _ broken: BrokenParts = .refused) throws -> LogImport {
        try LogImport(Array(text.utf8), format: format, brokenParts: broken)
    }

    /// What `text` gives, as four hexadecimal texts.
    static func hexes(_ text: String) throws -> (LogFormat, [String]) {
        let log = try read(text)
        return (log.format, log.trace.exchanges.flatMap { [$0.command.bytes.hex, $0.response.bytes.hex] })
    }
}

/// Unicode Standard, 23.8: the mark tells the encoding. Windows' tools write logs so.
@Suite struct ByteOrderMarkTests {
    private let log = "00A40400\n6A82\n"

    @Test("A log with a byte order mark is read as one without")
    func marks() throws {
        let units = Array(log.utf16)
        let marked: [[UInt8]] = [
            [0xEF, 0xBB, 0xBF] + Array(log.utf8), [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
        ]
        let plain = try Sample.read(log).trace
        #expect(plain.exchanges.count == 1)
        for bytes in marked {
            #expect(try LogImport(bytes).trace.exchanges.map(\.command.bytes) == plain.exchanges.map(\.command.bytes))
        }
    }

    @Test(
        "What comes after a mark may be cut off or nothing",
        arguments: [[0xFF, 0xFE], [0xFF, 0xFE, 0x30], [0xFE, 0xFF, 0xD8], [0xEF, 0xBB, 0xBF]])
    func truncated(_ bytes: [UInt8]) {
        #expect(throws: LogProblem.self) { try LogImport(bytes) }
    }
}

@Suite struct PairsLogTests {
    static let expected = [Sample.select, Sample.selected, Sample.record, Sample.recorded]

    @Test(arguments: [
        ("> ", "< "), (">> ", "<< "), ("=> ", "<= "), ("-> ", "<- "), ("C-APDU: ", "R-APDU: "), ("APDU: ", "SW: "),
        ("Command APDU: ", "Response APDU: "),
        ("12:34:56.789 >> ", "12:34:56.800 << "), ("[12] send: ", "[13] recv: "), ("TX: ", "RX: "), ("", ""),
        ("  ", "\t"),
    ]) func arrowsAndWords(_ command: String, _ answer: String) throws {
        let text = """
            # a remark
            \(command)\(Sample.select)
            \(answer)\(Sample.selected)

            \(command)\(Sample.spaced(Sample.record).lowercased())
            \(answer)\(Sample.spaced(Sample.recorded))
            """
        let (format, hexes) = try Sample.hexes(text)
        #expect(hexes == Self.expected)
        #expect(format == (command == "> " ? .trace : .pairs))
    }

    @Test func otherWaysToWriteBytes() throws {
        let text = "0x00, 0x84, 0x00, 0x00, 0x00\n01:02:90:00\n{ 0x00, 0x84, 0x00, 0x00, 0x00 }\n6A-82\n"
        #expect(try Sample.hexes(text).1 == ["0084000000", "01029000", "0084000000", "6A82"])
    }

    @Test func statusWordsInWords() throws {
        let text =
            "C-APDU: 0084000000\nR-APDU: 0102 SW: 9000\nC-APDU: 0084000000\nR-APDU: 0102 (9000)\nC-APDU: 0084000000\nR-APDU: 0102 SW1=90 SW2=00\n"
        #expect(
            try Sample.hexes(text).1 == ["0084000000", "01029000", "0084000000", "01029000", "0084000000", "01029000"])
    }

    @Test("Digits without an arrow, in a log that has arrows, carry on the line before") func brokenUpLines() throws {
        let text = "C-APDU: 00A40400\n  07A0000000031010\n  00\nR-APDU: 6A82\n"
        #expect(try Sample.hexes(text).1 == [Sample.select, "6A82"])
    }

    @Test func brokenLinesAreNamed() throws {
        let text =
            "C-APDU: 0084000000\nR-APDU: 01029000\nhello there\nC-APDU: 00A4x\nC-APDU: 0084000000\nC-APDU: 0084000000\nR-APDU: 9000\nR-APDU: 9000\n"
        let error = #expect(throws: LogProblem.self) { try Sample.read(text) }
        #expect(error?.place == .line(3))
        let log = try Sample.read(text, nil, .skipped)
        #expect(log.problems.map(\.place) == [.line(3), .line(4), .line(5), .line(8)])
        #expect(log.trace.exchanges.map(\.line) == [1, 6])
    }

    /// The answer to line 3 is lost: that is named, the command stays, and all others have their
    /// answers.
    @Test(arguments: ["", "> "]) func aLostAnswerCostsOneExchange(_ mark: String) throws {
        let answer = mark.isEmpty ? "" : "< "
        let text = [
            mark + Sample.select, answer + Sample.selected, mark + "00B2010C00", mark + "80CA9F1700",
            answer + "9F1701039000",
            mark + "80AE80000412345661" + "00", answer + "800B80000111223344556677889000", mark + Sample.record,
            answer + Sample.recorded,
        ].joined(separator: "\n")
        let log = try Sample.read(text, .pairs, .skipped)
        #expect(log.trace.exchanges.map(\.line) == [1, 4, 6, 8])
        #expect(log.problems == [LogProblem(.line(3), .commandWithoutAnswer)])
        #expect(log.trace.entries[1].event == .unanswered(.readRecord(1, sfi: 1)))
        #expect(try Sample.read(text, .pairs).problems == log.problems)
    }

    /// A command was lost: its answer has none before it, and the rest keeps its step.
    @Test func aLostCommandCostsOneExchange() throws {
        let text = [Sample.select, Sample.selected, "9F1701039000", Sample.record, Sample.recorded].joined(
            separator: "\n")
        let log = try Sample.read(text, .pairs, .skipped)
        #expect(log.trace.exchanges.map(\.line) == [1, 4])
        #expect(log.problems == [LogProblem(.line(3), .answerWithoutCommand)])
    }

    /// A format 1 answer begins with 80 as many commands do, and the challenge with anything.
    @Test func answersThatLookLikeCommands() throws {
        let text = [
            "80A8000002830000", "800E7C00080101001001010118010200" + "9000", "0084000000", "00B2010C00112233" + "9000",
        ]
        let log = try Sample.read(text.joined(separator: "\n"), .pairs)
        #expect(log.trace.exchanges.map(\.line) == [1, 3])
    }

    @Test func nothingIsNoLog() {
        for text in ["", "\n\n", "hello", "# only a remark\n", "00A40400\n"] {
            #expect(throws: LogProblem.self) { try Sample.read(text) }
            #expect(throws: LogProblem.self) { try Sample.read(text, .pairs, .skipped) }
        }
    }
}

/// pcscd in the foreground and in the journal (form: web-eid/libelectronic-id, issue 119;
/// Yubico/yubico-piv-tool, issue 63).
@Suite struct PCSCDaemonLogTests {
    private let log = """
        00000000 debuglog.c:269:DebugLogSetLevel() debug level=debug
        00000600 eventhandler.c:413:EHStatusHandlerThread() Card inserted into Reader 00 00
        00000010 Card ATR: 3B 65 00 00 20 63 CB 68 00
        00000003 [140017007589056] ../PCSC/src/winscard.c:1597:SCardTransmit() Send Protocol: T=1
        00000005 [140017007589056] APDU: \(Sample.spaced(Sample.select))\u{20}
        00000004 [140017007589056] ifdhandler.c:1384:IFDHTransmitToICC() usb:058f/9540 (lun: 0)
        00171781 [140017007589056] SW: \(Sample.spaced(Sample.selected))\u{20}
        00000001 APDU: \(Sample.spaced(Sample.record))\u{20}
        00000020 winscard.c:1640:SCardTransmit() Card not transacted: 0x80100016
        00000500 eventhandler.c:350:EHStatusHandlerThread() Card Removed From Reader 00 00
        """

    @Test func commandsAnswersAndTimes() throws {
        let imported = try Sample.read(log)
        #expect(imported.format == .pcscd)
        let exchange = try #require(imported.trace.exchanges.first)
        #expect(exchange.command.bytes.hex == Sample.select)
        #expect(exchange.response.bytes.hex == Sample.selected)
        #expect(exchange.line == 5)
        // From the first event, which is on the second line: 10 + 3 + 5 µs, then 4 + 171781 µs.
        #expect(exchange.sent == .microseconds(18))
        #expect(exchange.received == .microseconds(171_803))
        let events = imported.trace.entries.map(\.event)
        #expect(events.first == .reader(.cardPresented))
        #expect(events[1] == .reader(.reset([0x3B, 0x65, 0, 0, 0x20, 0x63, 0xCB, 0x68, 0])))
        #expect(
            events.suffix(4) == [
                .unanswered(.readRecord(1, sfi: 1)), .reader(.noAnswer),
                .reader(.other("Card not transacted: 0x80100016")),
                .reader(.cardRemoved),
            ])
    }

    @Test func theJournalPutsItsOwnWordsBefore() throws {
        let text = log.split(separator: "\n").map { "Nov 21 12:00:00 till pcscd[812]: \($0)" }.joined(separator: "\n")
        #expect(try Sample.read(text).trace.entries.count == (try Sample.read(log).trace.entries.count))
    }

    @Test("A log with colors is read as one without") func colors() throws {
        let text = log.replacing("APDU: ", with: "\u{1B}[36mAPDU: ").replacing("SW: ", with: "\u{1B}[01;31mSW: ")
        #expect(try Sample.hexes(text).1 == [Sample.select, Sample.selected])
    }
}

/// pcsc-spy's printing: length and field names, dumps of sixteen bytes with an offset and padding
/// (form: pcsc-lite, src/spy/pcsc-spy).
@Suite struct PCSCSpyLogTests {
    static func dump(_ hex: String, _ side: String) -> String {
        let bytes = Sample.spaced(hex).split(separator: " ").map(String.init)
        return stride(from: 0, to: bytes.count, by: 16).map { start -> String in
            let row = bytes[start..<min(start + 16, bytes.count)]
            let characters = row.map { text -> String in
                let byte = UInt8(text, radix: 16) ?? 0
                return (32..<127).contains(byte) ? String(Character(Unicode.Scalar(byte))) : "."
            }
            let offset = String(repeating: "0", count: 4 - String(start, radix: 16).count) + String(start, radix: 16)
            let padded = row.joined(separator: " ") + String(repeating: "   ", count: 16 - row.count)
            return " \(side)  \(offset) \(padded) \(characters.joined())"
        }.joined(separator: "\n")
    }

    static func call(
        _ sent: String, _ received: String, _ result: String = "Command successful. (SCARD_S_SUCCESS [0x00000000])"
    ) -> String {
        """
        SCardTransmit
         i hCard: 0x00003FF2
         i bSendLength 0x\(String(sent.count / 2, radix: 16)) (\(sent.count / 2))
         i bSendBuffer
        \(dump(sent, "i"))
         o bRecvLength 0x\(String(received.count / 2, radix: 16)) (\(received.count / 2))
         o bRecvBuffer
        \(dump(received, "o"))
         => \(result)  [0.000123456]

        """
    }

    @Test func callsOfTransmit() throws {
        let text =
            "SCardEstablishContext\n i dwScope: SCARD_SCOPE_SYSTEM (0x00000002)\n => Command successful. (SCARD_S_SUCCESS [0x00000000])  [0.1]\n"
            + Self.call(Sample.select, Sample.selected)
            + "SCarControl\n i bSendLength 0x00000001 (1)\n i bSendBuffer\n i  0000 06\n => x [0x00000000]\n"
            + Self.call(Sample.record, Sample.recorded)
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .pcscSpy)
        #expect(hexes == PairsLogTests.expected)
    }

    /// Characters that look like digits stand after the bytes: the length says where the bytes end.
    @Test func charactersThatLookLikeDigits() throws {
        let answer = "41424344" + "9000"
        #expect(try Sample.hexes(Self.call("0084000000", answer)).1 == ["0084000000", answer])
    }

    @Test("A failed call is a reader event") func failedCalls() throws {
        let text =
            Self.call(Sample.select, Sample.selected)
            + Self.call(Sample.record, "", "Card was removed. (SCARD_W_REMOVED_CARD [0x80100069])")
        let events = try Sample.read(text).trace.entries.map(\.event)
        #expect(events.suffix(2) == [.unanswered(.readRecord(1, sfi: 1)), .reader(.cardRemoved)])
    }

    @Test func aBufferThatIsCutShort() throws {
        let whole = Self.call(Sample.select, Sample.selected) + Self.call(Sample.record, Sample.recorded)
        let line = try #require(
            whole.split(separator: "\n", omittingEmptySubsequences: false).lastIndex { $0.hasPrefix(" o  0000") })
        var lines = whole.split(separator: "\n", omittingEmptySubsequences: false)
        lines.remove(at: line)
        let text = lines.joined(separator: "\n")
        #expect(throws: LogProblem.self) { try Sample.read(text) }
        let log = try Sample.read(text, nil, .skipped)
        #expect(log.trace.exchanges.count == 1)
        #expect(log.problems.count == 1)
    }
}

/// `opensc-tool -s` (form: OpenSC/OpenSC, issues 1676 and 2369) and OpenSC's debug log (issues 576,
/// 1090 and 379).
@Suite struct OpenSCLogTests {
    @Test func sendingAndReceived() throws {
        let text = """
            Using reader with a card: CCID Compatible
            Sending: \(Sample.spaced(Sample.select))\u{20}
            Received (SW1=0x90, SW2=0x00):
            6F 16 84 07 A0 00 00 00 03 10 10 A5 0B 50 09 56 o............P.V
            49 53 41 20 54 45 53 54                         ISA TEST
            Sending: 00 A4 00 00 02 3F 00\u{20}
            Received (SW1=0x6A, SW2=0x82)
            """
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .openSC)
        #expect(hexes == [Sample.select, Sample.selected, "00A40000023F00", "6A82"])
    }

    @Test("A debug log of OpenSC is read") func debugLog() throws {
        let text = """
            0x7f093197b700 17:45:29.170 [opensc-tool] reader-pcsc.c:284:pcsc_transmit:
            Outgoing APDU (7 bytes):
            00 A4 00 00 02 3F 00 .....?.
            0x7f093197b700 17:45:29.425 [opensc-tool] reader-pcsc.c:293:pcsc_transmit:
            Incoming APDU (2 bytes):
            6A 86 j.
            Outgoing APDU data [    5 bytes] =====================================
            00 84 00 00 04 .....
            ======================================================================
            Incoming APDU data [    6 bytes] =====================================
            41 42 43 44 90 00 ABCD..
            ======================================================================
            """
        #expect(try Sample.hexes(text).1 == ["00A40000023F00", "6A86", "0084000004", "414243449000"])
    }

    /// Without a length, and with characters that look like bytes.
    @Test func charactersThatLookLikeBytes() throws {
        let text =
            "Sending: 00 84 00 00 02\nReceived (SW1=0x90, SW2=0x00):\n41 42 AB\nSending: 00 84 00 00 01\nReceived (SW1=0x90, SW2=0x00):\n20  \n"
        #expect(try Sample.hexes(text).1 == ["0084000002", "41429000", "0084000001", "209000"])
    }

    @Test func lengthsThatDoNotFit() throws {
        let text = "Outgoing APDU (5 bytes):\n00 84 00 00\nIncoming APDU (2 bytes):\n90 00\n"
        let error = #expect(throws: LogProblem.self) { try Sample.read(text) }
        #expect(error?.place == .line(1))
    }
}

/// `trace list -t 14a` (form: RfidResearchGroup/proxmark3, pull request 3299) and the client's
/// arrows (Proxmark/proxmark3, issue 495).
@Suite struct ProxmarkLogTests {
    /// Frames of that pull request, with the check bytes that it shows: READ RECORD answered 6A82.
    @Test func framesWithTheirPublishedCheckBytes() throws {
        let text = """
                6468352 |    6477728 | Rdr |03  00  B2  01  14  00  09  CB                                           | A ok| READ RECORD (sfi=2, rec=1)
                6512324 |    6518212 | Tag |03  6A  82  4F  75                                                       |     |\u{20}
                6864512 |    6873888 | Rdr |02  00  A4  09  00  00  2A  73                                           | A ok| SELECT FILE (current DF)
                6912196 |    6946820 | Tag |02  85  17  00  02  00  00  00  10  10  00  00  01  03  00  00  00  95   |     |\u{20}
                        |            |     |95  95  21  27  30  00  20  00  90  00  EA  30                           | A ok|\u{20}
            """
        let log = try Sample.read(text)
        #expect(log.format == .proxmark)
        #expect(
            log.trace.exchanges.flatMap { [$0.command.bytes.hex, $0.response.bytes.hex] } == [
                "00B2011400", "6A82", "00A4090000", "85170002000000101000000103000000959595212730002000" + "9000",
            ])
        // (6512324 − 6468352) / 13.56 MHz.
        let received = try #require(log.trace.exchanges.first?.received)
        #expect(abs(received / .microseconds(1) - Double(6_512_324 - 6_468_352) / 13.56) < 0.2)
    }

    /// CRC_A and CRC_B of ISO/IEC 14443-3, annex B, bit by bit; B begins with FFFF, and is
    /// inverted.
    private func crc(_ bytes: [UInt8], isTypeB: Bool = false) -> [UInt8] {
        var register: UInt16 = isTypeB ? 0xFFFF : 0x6363
        for byte in bytes {
            for bit in 0..<8 {
                let feedback = (register ^ UInt16(byte >> bit)) & 1
                register = register >> 1 ^ (feedback == 1 ? 0x8408 : 0)
            }
        }
        if isTypeB { register = ~register }
        return [UInt8(register & 0xFF), UInt8(register >> 8)]
    }

    private func row(_ source: String, _ hex: String, framed: Bool = true, isTypeB: Bool = false) throws -> String {
        let bytes = try [UInt8](hex: hex)
        let all = framed ? bytes + crc(bytes, isTypeB: isTypeB) : bytes
        return "        100 |        200 | \(source) |\(Sample.spaced(all.hex).replacing(" ", with: "  "))   |  ok | x"
    }

    /// Annex B's own examples: 00 00 gives A0 1E, 12 34 gives 26 CF.
    @Test func theTestsOwnCheckBytes() {
        #expect(crc([0, 0]) == [0xA0, 0x1E])
        #expect(crc([0x12, 0x34]) == [0x26, 0xCF])
    }

    @Test func selectionChainingWaitingAndRepetition() throws {
        let lines = [
            "          0 |        992 | Rdr |52(7)                                          |     | WUPA",
            try row("Tag", "0400", framed: false), try row("Rdr", "9320", framed: false),
            try row("Tag", "657BCD1500", framed: false),
            try row("Rdr", "E080"), try row("Tag", "067577810280"),
            // A command in two blocks, acknowledged; the second is sent twice.
            try row("Rdr", "12" + String(Sample.select.prefix(12))), try row("Tag", "A2"),
            try row("Rdr", "03" + String(Sample.select.dropFirst(12))), try row("Rdr", "B2"),
            try row("Rdr", "03" + String(Sample.select.dropFirst(12))),
            // More time is asked for and granted; the answer in two blocks, with a card identifier.
            try row("Tag", "F201"), try row("Rdr", "F201"), try row("Tag", "1B00" + String(Sample.selected.prefix(20))),
            try row("Rdr", "AA00"), try row("Tag", "0A00" + String(Sample.selected.dropFirst(20))),
            try row("Rdr", "C2"), try row("Tag", "C2"),
        ]
        let log = try Sample.read(lines.joined(separator: "\n"))
        #expect(log.trace.exchanges.map(\.command.bytes.hex) == [Sample.select])
        #expect(log.trace.exchanges.map(\.response.bytes.hex) == [Sample.selected])
        #expect(log.trace.entries.first?.event == .reader(.other("ATS 067577810280")))
    }

    @Test func wrongCheckBytesAreNamed() throws {
        let text = [
            try row("Rdr", "02" + Sample.record),
            try row("Tag", "02" + Sample.recorded).replacing("47  61", with: "47  60"),
        ]
        .joined(separator: "\n")
        let error = #expect(throws: LogProblem.self) { try Sample.read(text) }
        #expect(error == LogProblem(.line(2), .frameChecksum))
    }

    /// Annex B's own examples.
    @Test func theTestsOwnCheckBytesOfTypeB() {
        #expect(crc([0, 0, 0], isTypeB: true) == [0xCC, 0xC6])
        #expect(crc([0x0F, 0xAA, 0xFF], isTypeB: true) == [0xFC, 0xD1])
        #expect(crc([0x0A, 0x12, 0x34, 0x56], isTypeB: true) == [0x2C, 0xF6])
    }

    /// The selection is one that a client has printed (Proxmark/proxmark3, issue 103), with its
    /// check bytes in brackets.
    @Test func cardsOfTypeB() throws {
        let lines = [
            "         0 |         0 | Rdr | 05  00  08 [39  73]                                             |  ok | REQB",
            "       808 |       808 | Tag | 50  70  b4  17  a2  20  38  19  11  00  21  85 [51  26]         |  ok |",
            "      1384 |      1384 | Rdr | 1d  70  b4  17  a2  00  03  01  00 [68  a0]                     |  ok | ATTRIB",
            "      1746 |      1746 | Tag | 10 [f9  e0]                                                     |  ok |",
            try row("Rdr", "0A00" + Sample.select, isTypeB: true),
            try row("Tag", "0A00" + Sample.selected, isTypeB: true),
            try row("Rdr", "0B00" + Sample.record, isTypeB: true), try row("Tag", "F201", isTypeB: true),
            try row("Rdr", "F201", isTypeB: true),
            try row("Tag", "0B00" + Sample.recorded, isTypeB: true), try row("Rdr", "5070B417A2", isTypeB: true),
            try row("Tag", "00", isTypeB: true),
        ]
        let log = try Sample.read(lines.joined(separator: "\n"))
        #expect(log.format == .proxmark)
        #expect(log.problems.isEmpty)
        #expect(
            log.trace.exchanges.flatMap { [$0.command.bytes.hex, $0.response.bytes.hex] } == [
                Sample.select, Sample.selected, Sample.record, Sample.recorded,
            ])
        #expect(log.trace.entries.first?.event == .reader(.other("ATQB 5070B417A220381911002185")))
    }

    @Test func aLogThatBeginsInTheMiddleOfTypeB() throws {
        let lines = [
            try row("Rdr", "02" + Sample.record, isTypeB: true), try row("Tag", "02" + Sample.recorded, isTypeB: true),
        ]
        #expect(try Sample.hexes(lines.joined(separator: "\n")).1 == [Sample.record, Sample.recorded])
        // From then on the other type's check bytes are wrong.
        let mixed = lines + [try row("Rdr", "03" + Sample.record)]
        #expect(try Sample.read(mixed.joined(separator: "\n")).problems == [LogProblem(.line(3), .frameChecksum)])
    }

    @Test func arrowsOfTheClient() throws {
        let text = """
            proxmark3> hf 14a apdu -s 00A404...
            >>>>[sel ] \(Sample.spaced(Sample.select))\u{20}
            <<<< \(Sample.spaced(Sample.selected))\u{20}
            APDU response: 90 00 - Command successfully executed
            [+] >>> \(Sample.record)
            [+] <<< \(Sample.recorded) | p.Z.Ga.......
            """
        let (format, hexes) = try Sample.hexes(text)
        #expect(format == .proxmark)
        #expect(hexes == PairsLogTests.expected)
    }

    @Test("The client wrote a spare Lc for a while (RfidResearchGroup/proxmark3, issue 171)") func aSpareLength() throws
    {
        #expect(try Sample.hexes("[+] >>> 00B2010C0000\n[+] <<< 6A83\n").1 == ["00B2010C00", "6A83"])
    }
}

@Suite struct TraceThroughImportTests {
    @Test func ourOwnFormat() throws {
        let text = "# cardpresent trace 2\n! card presented\n0.1 > 0084000000\n0.2 ! no answer\n"
        let log = try Sample.read(text)
        #expect(log.format == .trace)
        #expect(
            log.trace.entries.map(\.event) == [.reader(.cardPresented), .unanswered(.getChallenge), .reader(.noAnswer)])
        let error = #expect(throws: LogProblem.self) { try Sample.read(text + "> 00\n") }
        #expect(error?.place == .line(5))
        #expect(error?.description.hasPrefix("line 5: the bytes") == true)
        #expect(try Sample.read(text + "> 00\n", nil, .skipped).problems.map(\.place) == [.line(5)])
    }

    @Test("A named format counts before the recognized one") func anOverride() throws {
        let text = "> 0084000000\n< 9000\n"
        #expect(try Sample.read(text).format == .trace)
        #expect(try Sample.read(text, .pairs).trace.exchanges.count == 1)
        #expect(throws: LogProblem.self) { try Sample.read(text, .pcscd) }
    }

    @Test func sizeIsBounded() {
        let error = #expect(throws: LogProblem.self) {
            try LogImport([UInt8](repeating: 0x20, count: LogImport.maximumSize + 1))
        }
        #expect(error?.place == .whole)
    }
}

/// Tools that print each command and answer on a line of their own, with words of theirs between.
/// The forms are those of their own sources and published sessions.
@Suite struct ToolLogTests {
    private static let select = Sample.spaced(Sample.select)
    private static let selected = Sample.spaced(Sample.selected)
    private static let record = Sample.spaced(Sample.record)
    private static let data = Sample.spaced(String(Sample.selected.dropLast(4)))

    static let logs: [(LogFormat, String)] = [
        // pcsc-tools, scriptor.
        (
            .scriptor,
            """
            Using given card reader: Reader 00 00
            Using T=0 protocol
            Reading commands from STDIN

            > RESET
            < OK: 3B 65 00 00 20 63 CB 68 00
            > \(select)
            < \(selected) : Normal processing.
            > \(record)
            < \(Sample.spaced(Sample.recorded)) : Normal processing.
            """
        ),
        // pyscard, smartcard/CardConnectionObserver.py; versions before 2.0.2 print the status word
        // with %-2X.
        (
            .pyscard,
            """
            connecting to Reader 00 00
            > \(select)
            <  \(data) 90 0
            > \(record)
            <  \(Sample.spaced(String(Sample.recorded.dropLast(4)))) 90 00
            disconnecting from Reader 00 00
            """
        ),
        // russss/python-emv, emv/transmission.py and util.py.
        (
            .pythonEMV,
            """
            INFO:emv.transmission:Connected to reader
            DEBUG:emv.transmission:Tx: [\(select)]
            DEBUG:emv.transmission:Rx: [\(data)], SW1: 90, SW2: 00
            DEBUG:emv.transmission:Tx: [\(record)]
            DEBUG:emv.transmission:Rx: [\(Sample.spaced(String(Sample.recorded.dropLast(4))))], SW1: 90, SW2: 00
            """
        ),
        // martinpaljak/GlobalPlatformPro and apdu4j, README.
        (
            .globalPlatformPro,
            """
            GlobalPlatformPro v20.01.23
            SCardConnect("Reader", T=*) -> T=1, 3BF81300008131FE
            A>> T=1 (4+0007) 00A40400 07 A0000000031010 00
            A<< (0024+2) (91ms) \(Sample.selected.dropLast(4)) 9000
            A>> T=1 (4+0000) 00B2010C 00
            A<< (0012+2) (8s378ms) \(Sample.recorded.dropLast(4)) 9000
            SCardDisconnect("Reader", true)
            """
        ),
        // L1L1/cardpeek, emulator.c.
        (
            .cardpeek,
            """
            # cardpeek emulator
            # version 0
            R:3B65000020
            C:\(Sample.select):9000:\(Sample.selected.dropLast(4))
            C:\(Sample.record):9000:\(Sample.recorded.dropLast(4))
            # end
            """
        ),
    ]

    @Test(arguments: logs) func formsAreFoundOut(_ format: LogFormat, _ text: String) throws {
        let (found, hexes) = try Sample.hexes(text)
        #expect(found == format)
        #expect(hexes == PairsLogTests.expected)
        #expect(try Sample.read(text, format).trace.exchanges.count == 2)
    }

    @Test func anAnswerWithoutDataInPyscard() throws {
        let text = "> \(Self.record)\n<  [] 6A 83\n> \(Self.record)\n<  [] 90 0\n"
        #expect(try Sample.hexes(text).1 == [Sample.record, "6A83", Sample.record, "9000"])
    }

    /// A line that begins as the tool's do, with digits that are none.
    @Test func brokenLinesOfToolsAreNamed() throws {
        let log = "C:\(Sample.select):9000:\(Sample.selected.dropLast(4))\nC:00B2010C00:9\n"
        #expect(throws: LogProblem(.line(2), .notAnExchange)) { try Sample.read(log, .cardpeek) }
        #expect(try Sample.read(log, .cardpeek, .skipped).trace.exchanges.count == 1)
    }

    @Test func theErrorOfAnotherTextNamesTheForms() {
        let error = #expect(throws: LogProblem.self) { try Sample.read("Dear Sir or Madam,\nthank you.\n") }
        #expect(error == LogProblem(.whole, .unknownFormat(APDUTraceError(line: 1, reason: .unknownLine))))
        #expect(error?.description.hasPrefix("unknown log format: ") == true)
        #expect(error?.description.contains("the formats are trace, pairs, pcscd, pcsc-spy") == true)
        let binary = #expect(throws: LogProblem.self) { try LogImport([0x63, 0x61, 0x66, 0xE9]) }
        #expect(binary == LogProblem(.whole, .unknownFormat(nil)))
        #expect(throws: LogProblem(.line(1), .trace(.empty))) { try Sample.read("") }
        #expect(throws: LogProblem(.line(3), .trace(.empty))) { try Sample.read("\n \n") }
    }

    @Test("pcscd: a transmission that failed leaves a command without a status word") func aFailedTransmission() throws
    {
        let log = """
            00000003 APDU: \(Self.select)\u{20}
            00000005 ifdwrapper.c:527:IFDTransmit() Card not transacted: 612
            00000004 APDU: \(Self.record)\u{20}
            00000020 ccid_usb.c:783:ReadUSB() read failed (1/12): LIBUSB_ERROR_TIMEOUT
            00000004 APDU: \(Self.select)\u{20}
            00000007 SW: \(Self.selected)\u{20}
            """
        let trace = try Sample.read(log).trace
        #expect(trace.exchanges.count == 1)
        let unanswered = trace.entries.filter { if case .unanswered = $0.event { true } else { false } }
        #expect(unanswered.map(\.line) == [1, 3])
    }

    /// pcsc-spy: two threads, four columns more for the second, their calls mixed line by line.
    @Test(arguments: ["    ", "\t"]) func threadsOfPCSCSpy(_ margin: String) throws {
        let first = PCSCSpyLogTests.call(Sample.select, Sample.selected).split(separator: "\n")
        let second = PCSCSpyLogTests.call(Sample.record, Sample.recorded).split(separator: "\n").map { margin + $0 }
        var mixed: [String] = []
        for index in 0..<max(first.count, second.count) {
            if index < first.count { mixed.append(String(first[index])) }
            if index < second.count { mixed.append(second[index]) }
        }
        let exchanges = try Sample.read(mixed.joined(separator: "\n"), .pcscSpy).trace.exchanges
        #expect(Set(exchanges.map(\.command.bytes.hex)) == [Sample.select, Sample.record])
        #expect(exchanges.allSatisfy { $0.response.status == .success })
    }
}
