import Bytes
import SmartCard
import Testing

/// ISO/IEC 7816-3:2006, 10.3.3: what follows each procedure byte.
@Suite struct T0ExchangeTests {
    private static let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x03, 0x31, 0x50, 0x41]
    private static let read: [UInt8] = [0x00, 0xB2, 0x01, 0x0C, 0x03]

    /// Plays a card that sends `replies`, each of them when so many bytes are expected; gives what
    /// was sent and how it ended.
    private func play(_ command: [UInt8], _ replies: String...) throws -> (sent: [String], answer: String?) {
        var exchange = T0Exchange(command)
        var sent: [String] = []
        var step = exchange.start
        for reply in replies {
            guard case .send(let bytes, let expected) = step else { break }
            sent.append("\(bytes.hex)/\(expected)")
            step = try exchange.take([UInt8](hex: reply))
        }
        switch step {
        case .done(let answer): return (sent, answer.hex)
        case .send(let bytes, let expected): return (sent + ["\(bytes.hex)/\(expected)"], nil)
        }
    }

    @Test func dataToTheCard() throws {
        let all = try play(Self.select, "A4", "61", "1A")
        #expect(all.sent == ["00A4040003/1", "315041/1", "/1"])
        #expect(all.answer == "611A")
        // The complement of INS takes one byte, INS all that are left.
        let single = try play(Self.select, "5B", "5B", "A4", "90", "00")
        #expect(single.sent == ["00A4040003/1", "31/1", "50/1", "41/1", "/1"])
        #expect(single.answer == "9000")
        let oneByOne = try play(Self.select, "5B", "5B", "5B", "6A", "82")
        #expect(oneByOne.sent == ["00A4040003/1", "31/1", "50/1", "41/1", "/1"])
        #expect(oneByOne.answer == "6A82")
    }

    @Test func dataFromTheCard() throws {
        let all = try play(Self.read, "B2", "AABBCC", "90", "00")
        #expect(all.sent == ["00B2010C03/1", "/3", "/1", "/1"])
        #expect(all.answer == "AABBCC9000")
        let single = try play(Self.read, "4D", "AA", "4D", "BB", "B2", "CC", "90", "00")
        #expect(single.sent == ["00B2010C03/1", "/1", "/1", "/1", "/1", "/1", "/1", "/1"])
        #expect(single.answer == "AABBCC9000")
        // The reader hands on what it has so far.
        let inParts = try play(Self.read, "B2", "AA", "BBCC", "90", "00")
        #expect(inParts.sent == ["00B2010C03/1", "/3", "/2", "/1", "/1"])
        #expect(inParts.answer == "AABBCC9000")
        let wrongLength = try play(Self.read, "6C", "1F")
        #expect(wrongLength.answer == "6C1F")
        // P3 of 00 is 256.
        let long = try play([0x00, 0xB2, 0x01, 0x0C, 0x00], "B2")
        #expect(long.sent.last == "/256")
    }

    @Test("60 is nothing but time, anywhere a procedure byte can be") func moreTime() throws {
        let waits = try play(Self.select, "60", "60", "A4", "60", "90", "00")
        #expect(waits.answer == "9000")
        #expect(waits.sent == ["00A4040003/1", "/1", "/1", "315041/1", "/1", "/1"])
        var exchange = T0Exchange(Self.select)
        var asked = 0
        #expect(throws: CardChannelError.timedOut) {
            while asked < 100_000 {
                asked += 1
                _ = try exchange.take([0x60])
            }
        }
        #expect(asked < 100_000)
    }

    @Test func commandWithoutData() throws {
        #expect(try play([0x00, 0x82, 0x00, 0x00, 0x00], "90", "00").answer == "9000")
        // For any status: 61 to 6F and 90 to 9F begin one.
        for first in [UInt8](0x61...0x6F) + [UInt8](0x90...0x9F) {
            #expect(try play([0x00, 0x82, 0, 0, 0], first.hex, "55").answer == first.hex + "55")
        }
    }

    @Test func whatCannotBe() throws {
        let bytes = [UInt8](UInt8.min...UInt8.max)
        for byte in bytes
        where !([0x60, 0xA4, 0x5B].contains(byte) || (0x61...0x6F).contains(byte) || (0x90...0x9F).contains(byte)) {
            #expect(throws: CardChannelError.malformedAnswer(.invalidProcedureByte)) { try play(Self.select, byte.hex) }
        }
        // More data than there are, in either direction; more bytes than were expected; none.
        #expect(throws: CardChannelError.self) { try play(Self.select, "A4", "A4") }
        #expect(throws: CardChannelError.self) { try play(Self.read, "B2", "AABBCC", "B2") }
        #expect(throws: CardChannelError.self) { try play(Self.read, "B2", "AABBCCDD") }
        #expect(throws: CardChannelError.timedOut) { try play(Self.read, "") }
        #expect(throws: CardChannelError.timedOut) { try play(Self.read, "B2", "") }
    }

    @Test("ISO/IEC 7816-3:2006, 12.2: case 4 goes without Le, case 1 with a P3 of 00") func commandsOfT0() throws {
        #expect(try CommandAPDU(ins: 0x44).t0().hex == "0044000000")
        #expect(try CommandAPDU(ins: 0xB2, p1: 1, p2: 0x0C, expectedLength: 256).t0().hex == "00B2010C00")
        #expect(try CommandAPDU(ins: 0xC0, expectedLength: 0x1A).t0().hex == "00C000001A")
        #expect(try CommandAPDU(ins: 0xA4, p1: 4, data: [0xA0], expectedLength: 256).t0().hex == "00A4040001A0")
        let long = CommandAPDU(ins: 0xD6, data: [UInt8](repeating: 0, count: 256))
        #expect(throws: CardChannelError.self) { try long.t0() }
        #expect(throws: CardChannelError.self) { try CommandAPDU(ins: 0xB0, expectedLength: 257).t0() }
    }
}
