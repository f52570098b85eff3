import Bytes
import SmartCard
import Testing
import VirtualCard

/// ISO/IEC 7816-3:2006, 12.2: how commands and answers go over T=0.
@Suite struct T0CardSideTests {
    /// Answers READ RECORD and SELECT with as many bytes as it was made with, and everything else
    /// with its status alone.
    private actor Card: CardChannel {
        let count: Int
        private(set) var commands: [CommandAPDU] = []
        init(_ count: Int) { self.count = count }

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            commands.append(command)
            guard [0xB2, 0xA4].contains(command.ins) else { return ResponseAPDU(status: .success) }
            return ResponseAPDU((0..<count).map { UInt8($0 & 0xFF) })
        }
    }

    private func answers(_ side: inout T0CardSide, _ commands: String...) async throws -> [String] {
        var answers: [String] = []
        for command in commands { answers.append(try await side.answer([UInt8](hex: command)).hex) }
        return answers
    }

    @Test func dataIsFetched() async throws {
        let card = Card(4)
        var side = T0CardSide(card)
        #expect(try await answers(&side, "00A4040001A0", "00C0000004") == ["6104", "000102039000"])
        let commands = await card.commands
        #expect(commands.count == 1 && commands[0].data == [0xA0])
    }

    @Test func lengthsThatDoNotFit() async throws {
        var side = T0CardSide(Card(4))
        #expect(try await answers(&side, "00B2010C00", "00B2010C04") == ["6C04", "000102039000"])
        // In two pieces; more than there is gives what there is.
        #expect(
            try await answers(&side, "00A4040001A0", "00C0000003", "00C0000009") == ["6104", "0001026101", "039000"])
        // 256 bytes are announced as 00.
        var long = T0CardSide(Card(256))
        #expect(try await answers(&long, "00A4040001A0")[0] == "6100")
        #expect(try await answers(&long, "00C0000000")[0].count == 2 * 258)
    }

    @Test("Another command between makes the card forget; GET RESPONSE then goes to the card itself")
    func anotherCommandBetween()
        async throws
    {
        let card = Card(4)
        var side = T0CardSide(card)
        #expect(try await answers(&side, "00A4040001A0", "0082000000", "00C0000004") == ["6104", "9000", "9000"])
        #expect(await card.commands.map(\.ins) == [0xA4, 0x82, 0xC0])
    }

    @Test("malformed commands are refused", arguments: ["", "00A40400", "00A4040002A0", "00A4040001A0A0"])
    func malformed(_ hex: String) async throws {
        var side = T0CardSide(Card(4))
        #expect(try await side.answer([UInt8](hex: hex)).hex == "6700")
    }

    /// The terminal's machine and the card's side together give what the card alone gives, byte by
    /// byte over a wire between them.
    @Test(arguments: [0, 1, 255, 256])
    func throughTheTerminalsMachine(_ count: Int) async throws {
        var side = T0CardSide(Card(count))
        func exchange(_ command: CommandAPDU) async throws -> ResponseAPDU {
            let bytes = try command.t0()
            var machine = T0Exchange(bytes)
            var step = machine.start
            // The procedure byte: INS for all the data there are, then the answer.
            let answer = try await side.answer(bytes)
            let hasData = answer.count > 2
            var wire = (bytes.count > 5 || hasData ? [bytes[1]] : []) + answer
            while case .send(_, let expected) = step {
                step = try machine.take(Array(wire.prefix(expected)))
                wire = Array(wire.dropFirst(expected))
            }
            guard case .done(let whole) = step else { return ResponseAPDU(status: .success) }
            return try #require(ResponseAPDU(bytes: whole))
        }
        let first = try await exchange(CommandAPDU(ins: 0xA4, p1: 4, data: [0xA0]))
        guard count > 0 else {
            #expect(first == ResponseAPDU(status: .success))
            return
        }
        #expect(first.status.sw1 == 0x61)
        let second = try await exchange(CommandAPDU(ins: 0xC0, expectedLength: count))
        #expect(second == ResponseAPDU((0..<count).map { UInt8($0 & 0xFF) }))
    }
}
