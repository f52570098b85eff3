import Bytes
import CardModels
import SmartCard
import Testing

/// The terminal's side of T=1 against `T1Card`, which knows nothing of it.
@Suite struct T1ExchangeTests {
    /// A bank card's parameters: IFSC 254 unless the test says another.
    private static func parameters(_ fieldSize: UInt8 = 0xFE, crc: Bool = false) throws -> CardParameters {
        let answer = crc ? try checkedATR("3B808171\(fieldSize.hex)4501") : try checkedATR("3B808131\(fieldSize.hex)45")
        return try #require(CardParameters(answer))
    }

    /// A card that answers with as many bytes as the command's last two say, then 9000.
    private static func card(_ change: (inout T1Card) -> Void = { _ in }) -> T1Card {
        var card = T1Card { command in
            let count = Int(command[command.count - 2]) << 8 | Int(command[command.count - 1])
            return (0..<count).map { UInt8($0 * 7 & 0xFF) } + [0x90, 0x00]
        }
        change(&card)
        return card
    }

    private static func command(_ length: Int, answer: Int) -> [UInt8] {
        (0..<(length - 2)).map { UInt8($0 * 3 & 0xFF) } + [UInt8(answer >> 8), UInt8(answer & 0xFF)]
    }

    private static func expected(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 * 7 & 0xFF) } + [0x90, 0x00] }

    private func send(
        _ command: [UInt8], _ exchange: inout T1Exchange, _ card: inout T1Card
    ) throws(CardChannelError) -> [UInt8] {
        try exchange.transmit(command) { block, times throws(CardChannelError) in card.take(block, times) }
    }

    @Test(
        "Chaining both ways, with commands and answers around the lengths of blocks", arguments: [1, 16, 32, 254],
        [false, true])
    func chaining(_ fieldSize: UInt8, _ crc: Bool) throws {
        for length in [2, 31, 32, 33, 64, 65, 261] {
            for count in [0, 29, 30, 31, 32, 256] {
                var card = Self.card { card in
                    card.fieldSize = Int(fieldSize)
                    card.checksum = crc ? .crc : .lrc
                }
                var exchange = T1Exchange(try Self.parameters(fieldSize, crc: crc))
                // Three times, so that the numbers of the blocks go on from either value.
                for _ in 0..<3 {
                    #expect(try send(Self.command(length, answer: count), &exchange, &card) == Self.expected(count))
                }
                #expect(card.executed == [[UInt8]](repeating: Self.command(length, answer: count), count: 3))
                #expect(card.longestTaken == min(length, Int(fieldSize)))
                #expect(card.longestSent <= 32)
                #expect(card.resynchronizations == 0)
            }
        }
    }

    /// Every block, in either direction, lost or damaged, one and any two of them: the command is
    /// carried out once and its answer is whole.
    @Test(
        "lost and damaged blocks are recovered, and the command is executed once", arguments: T1Card.Accident.allCases,
        T1Card.Accident.allCases)
    func accidents(_ first: T1Card.Accident, _ second: T1Card.Accident) throws {
        let command = Self.command(40, answer: 70)
        // Undisturbed: two blocks out, three back.
        let parameters = try Self.parameters(32)
        for one in 0..<12 {
            for two in one..<16 {
                var card = Self.card { card in
                    card.accidents[two] = second
                    card.accidents[one] = first
                    card.extensions = [2]
                }
                var exchange = T1Exchange(parameters)
                let answer = try? send(command, &exchange, &card)
                #expect(answer == Self.expected(70), "\(first) at \(one), \(second) at \(two)")
                #expect(card.executed == [command], "\(first) at \(one), \(second) at \(two)")
                #expect(try send(command, &exchange, &card) == Self.expected(70))
                #expect(card.executed.count == 2)
            }
        }
    }

    @Test(
        "However much is lost, a command is never carried out twice, and the one after it finds the card",
        arguments: T1Card.Accident.allCases)
    func manyAccidents(_ accident: T1Card.Accident) throws {
        let parameters = try Self.parameters(32)
        for start in 0..<12 {
            for count in 3...9 {
                var card = Self.card { card in
                    for block in start..<(start + count) { card.accidents[block] = accident }
                }
                var exchange = T1Exchange(parameters)
                let command = Self.command(40, answer: 70)
                let answer = try? send(command, &exchange, &card)
                #expect(answer == nil || answer == Self.expected(70), "\(start), \(count)")
                #expect(card.executed.count <= 1, "\(start), \(count)")
                #expect((answer == nil || card.executed == [command]), "\(start), \(count)")
                card.accidents = [:]
                let next = Self.command(33, answer: 1)
                #expect(try send(next, &exchange, &card) == Self.expected(1), "\(start), \(count)")
                #expect(card.executed.last == next)
            }
        }
    }

    /// A block that the card did not get three times: both sides resynchronize and the command is
    /// sent again, since it was not executed.
    @Test("after a block is lost three times both sides resynchronize") func resynchronises() throws {
        var card = Self.card { $0.accidents = [0: .damage, 2: .damage, 4: .damage] }
        var exchange = T1Exchange(try Self.parameters())
        #expect(try send(Self.command(5, answer: 3), &exchange, &card) == Self.expected(3))
        #expect(card.resynchronizations == 1)
        #expect(card.executed.count == 1)
    }

    /// A command whose answer never comes was perhaps carried out: it ends in an error, and the
    /// next one resynchronises.
    @Test func answerThatNeverComes() throws {
        var card = Self.card { $0.accidents = [1: .loss, 3: .loss, 5: .loss] }
        var exchange = T1Exchange(try Self.parameters())
        #expect(throws: CardChannelError.timedOut) { try send(Self.command(5, answer: 3), &exchange, &card) }
        #expect(try send(Self.command(6, answer: 4), &exchange, &card) == Self.expected(4))
        #expect(card.executed == [Self.command(5, answer: 3), Self.command(6, answer: 4)])
        #expect(card.resynchronizations == 1)
    }

    /// A mute card ends in an error after a bounded number of blocks, and so does one that sends
    /// rubbish.
    @Test(arguments: [T1Exchange.Reception.silence, .damaged, .bytes([]), .bytes([0xFF, 0xFF, 0xFF, 0xFF])])
    func noCardAtAll(_ reception: T1Exchange.Reception) throws {
        var exchange = T1Exchange(try Self.parameters())
        for _ in 0..<3 {
            var blocks = 0
            #expect(throws: CardChannelError.self) {
                try exchange.transmit([0, 0xA4, 4, 0]) { _, _ throws(CardChannelError) in
                    blocks += 1
                    return reception
                }
            }
            #expect((1...3).contains(blocks))
        }
    }

    @Test("An error of the reader's comes through as it is, and the next command starts with a resynchronization")
    func readerFails() throws {
        var card = Self.card()
        var exchange = T1Exchange(try Self.parameters())
        #expect(throws: CardChannelError.cancelled) {
            try exchange.transmit(Self.command(5, answer: 3)) { block, times throws(CardChannelError) in
                _ = card.take(block, times)
                throw .cancelled
            }
        }
        #expect(try send(Self.command(6, answer: 4), &exchange, &card) == Self.expected(4))
        #expect(card.resynchronizations == 1)
        #expect(card.executed.count == 2)
    }

    @Test(
        "The waiting time that the card asks for is what the wait for its next block is multiplied by, and no other (11.4.3)"
    )
    func waitingTimeExtension() throws {
        var card = Self.card { $0.extensions = [5, 0, 255] }
        var exchange = T1Exchange(try Self.parameters())
        #expect(try send(Self.command(5, answer: 3), &exchange, &card) == Self.expected(3))
        #expect(card.granted == [1, 5, 1, 255])
    }

    @Test func waitingTimeExtensionWithoutEnd() throws {
        var card = Self.card { $0.extensions = [UInt8](repeating: 1, count: 1000) }
        var exchange = T1Exchange(try Self.parameters())
        #expect(throws: CardChannelError.timedOut) { try send(Self.command(5, answer: 3), &exchange, &card) }
        #expect(card.blocks < 200)
        card.extensions = []
        #expect(try send(Self.command(5, answer: 3), &exchange, &card) == Self.expected(3))
    }

    /// S(IFS) of the card: from then on its blocks may be as long as it says.
    @Test(arguments: [UInt8(8), 254])
    func cardChangesItsFieldSize(_ size: UInt8) throws {
        var card = Self.card { $0.newFieldSize = size }
        var exchange = T1Exchange(try Self.parameters(32))
        #expect(try send(Self.command(100, answer: 3), &exchange, &card) == Self.expected(3))
        card.newFieldSize = nil
        #expect(try send(Self.command(200, answer: 3), &exchange, &card) == Self.expected(3))
        #expect(card.longestTaken == (size == 8 ? 32 : 200))
    }

    @Test func fieldSizeThatCannotBe() throws {
        for size: UInt8 in [0, 255] {
            var card = Self.card { $0.newFieldSize = size }
            var exchange = T1Exchange(try Self.parameters())
            #expect(throws: CardChannelError.self) { try send(Self.command(5, answer: 3), &exchange, &card) }
        }
    }

    /// S(IFS) of the terminal: the card may answer in longer blocks; one that does not take it goes
    /// on with 32.
    @Test func offersItsFieldSize() throws {
        var card = Self.card()
        var exchange = T1Exchange(try Self.parameters())
        try exchange.offer(fieldSize: 254) { block, times throws(CardChannelError) in card.take(block, times) }
        #expect(try send(Self.command(5, answer: 500), &exchange, &card) == Self.expected(500))
        #expect(card.longestSent == 254)

        var deaf = Self.card { $0.accidents = [1: .loss, 3: .loss, 5: .loss] }
        exchange = T1Exchange(try Self.parameters())
        try exchange.offer(fieldSize: 254) { block, times throws(CardChannelError) in deaf.take(block, times) }
        #expect(deaf.blocks == 6)
    }

    @Test("An aborted chain is answered, and the next command starts with a resynchronization") func abort() throws {
        var card = Self.card { $0.aborts = true }
        var exchange = T1Exchange(try Self.parameters(32))
        #expect(throws: CardChannelError.malformedAnswer(.chainAborted)) {
            try send(Self.command(100, answer: 3), &exchange, &card)
        }
        card.aborts = false
        #expect(try send(Self.command(100, answer: 3), &exchange, &card) == Self.expected(3))
        #expect(card.resynchronizations == 1)
    }

    @Test("Chains of empty blocks, or of blocks with data, that do not end", arguments: [0, 32])
    func answerWithoutEnd(_ count: Int) throws {
        var exchange = T1Exchange(try Self.parameters())
        var number: UInt8 = 0
        var blocks = 0
        #expect(throws: CardChannelError.malformedAnswer(.tooLong(maximum: 65538))) {
            try exchange.transmit([0, 0xB0, 0, 0, 0]) { _, _ throws(CardChannelError) in
                defer { number ^= 1 }
                blocks += 1
                return .bytes(
                    T1Block(.information(number: number, more: true), [UInt8](repeating: 1, count: count)).bytes(.lrc))
            }
        }
        #expect(blocks <= 65538 / 32 + 2)
    }

    @Test("Blocks by chance, with right check bytes: every exchange ends (xorshift64, the same in every run)")
    func randomBlocks() throws {
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        func random() -> UInt8 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
        let controls: [UInt8] = [
            0x00, 0x20, 0x40, 0x60, 0x80, 0x90, 0x81, 0x92, 0xC0, 0xC1, 0xC2, 0xC3, 0xE0, 0xE1, 0xE3,
        ]
        var exchange = T1Exchange(try Self.parameters(16))
        var answers = 0
        for _ in 0..<5000 {
            var blocks = 0
            let answer = try? exchange.transmit(Self.command(40, answer: 3)) { _, _ throws(CardChannelError) in
                blocks += 1
                let field = [UInt8](repeating: 0x90, count: Int(random() & 3))
                let body = [0, controls[Int(random()) % controls.count], UInt8(field.count)] + field
                return .bytes(body + [body.reduce(0, ^)])
            }
            if answer != nil { answers += 1 }
            #expect(blocks < 500)
        }
        #expect(answers > 0)
    }
}
