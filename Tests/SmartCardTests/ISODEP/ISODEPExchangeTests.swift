import Bytes
import CardModels
import SmartCard
import Testing

/// The reader's side against `ISODEPCard`, which knows nothing of it, and against blocks written by
/// hand from ISO/IEC 14443-4:2008, 7.5.
@Suite("The reader's side of ISO/IEC 14443-4") struct ISODEPExchangeTests {
    private static let parameters = ISODEPParameters(frameSizeInteger: 5, frameWaitingInteger: 4, guardInteger: 0)

    /// A card that answers with as many bytes as the command's last two say, then 9000.
    private static func card(_ change: (inout ISODEPCard) -> Void = { _ in }) -> ISODEPCard {
        var card = ISODEPCard { command in
            let count = Int(command[command.count - 2]) << 8 | Int(command[command.count - 1])
            return (0..<count).map { UInt8($0 * 7 & 0xFF) } + [0x90, 0x00]
        }
        change(&card)
        return card
    }

    /// Case 3, with the length of the answer in its last two bytes.
    private static func command(_ length: Int, answer: Int) -> CommandAPDU {
        CommandAPDU(
            ins: 0x10,
            data: (0..<(length - 2)).map { UInt8($0 * 3 & 0xFF) } + [UInt8(answer >> 8), UInt8(answer & 0xFF)])
    }

    private static func expected(_ count: Int) -> ResponseAPDU {
        ResponseAPDU((0..<count).map { UInt8($0 * 7 & 0xFF) })
    }

    private func send(
        _ command: CommandAPDU, _ exchange: inout ISODEPExchange, _ card: inout ISODEPCard
    ) throws(CardChannelError) -> ResponseAPDU {
        try exchange.transmit(command) { block, time throws(CardChannelError) in card.take(block, time) }
    }

    @Test("Chaining both ways, around the lengths of blocks", arguments: [0, 2, 5, 8] as [UInt8], [1, 13, 61, 253])
    func chaining(_ integer: UInt8, _ part: Int) throws {
        let parameters = ISODEPParameters(frameSizeInteger: integer, frameWaitingInteger: 4, guardInteger: 0)
        for length in [2, 7, 8, 9, 24, 56, 57, 249, 255] {
            for count in [0, 11, 12, 59, 60, 252, 256] {
                var card = Self.card { card in
                    card.frameSize = parameters.cardFrameSize
                    card.partSize = part
                }
                var exchange = ISODEPExchange(parameters)
                let command = Self.command(length, answer: count)
                // Three times, so that the numbers of the blocks go on from either value.
                for _ in 0..<3 { #expect(try send(command, &exchange, &card) == Self.expected(count)) }
                #expect(card.executed == [[UInt8]](repeating: command.bytes, count: 3))
                #expect(card.longestTaken <= parameters.cardFrameSize)
            }
        }
    }

    @Test(
        "Every block, in either direction, lost or damaged, one and any two: the command is executed once, and its answer is whole",
        arguments: ISODEPCard.Accident.allCases, ISODEPCard.Accident.allCases)
    func accidents(_ first: ISODEPCard.Accident, _ second: ISODEPCard.Accident) throws {
        let command = Self.command(100, answer: 70)
        for one in 0..<16 {
            for two in one..<20 {
                var card = Self.card { card in
                    card.accidents[two] = second
                    card.accidents[one] = first
                    card.extensions = [2, 3]
                    card.partSize = 30
                }
                var exchange = ISODEPExchange(Self.parameters)
                #expect(
                    try send(command, &exchange, &card) == Self.expected(70), "\(first) at \(one), \(second) at \(two)")
                #expect(card.executed == [command.bytes], "\(first) at \(one), \(second) at \(two)")
                #expect(try send(command, &exchange, &card) == Self.expected(70))
                #expect(card.executed.count == 2)
            }
        }
    }

    @Test("A card that leaves at any block is reported as removed, and its channel stays so") func removal() throws {
        var undisturbed = Self.card { card in
            card.partSize = 30
            card.extensions = [1]
        }
        var whole = ISODEPExchange(Self.parameters)
        #expect(try send(Self.command(100, answer: 70), &whole, &undisturbed) == Self.expected(70))
        // Two blocks of command, one request for time, three blocks of answer, in pairs.
        #expect(undisturbed.blocks == 10)
        for block in 0..<undisturbed.blocks {
            var card = Self.card { card in
                card.leavesAt = block
                card.partSize = 30
                card.extensions = [1]
            }
            var exchange = ISODEPExchange(Self.parameters)
            #expect(throws: CardChannelError.cardRemoved) { try send(Self.command(100, answer: 70), &exchange, &card) }
            #expect(card.executed.count <= 1)
            card.leavesAt = nil
            let blocks = card.blocks
            #expect(throws: CardChannelError.cardRemoved) { try send(Self.command(2, answer: 0), &exchange, &card) }
            #expect(card.blocks == blocks, "nothing is sent to a card whose session is lost")
        }
    }

    @Test("7.3: the multiplier goes back, and the next block alone may take so much longer, at most FWT of FWI 14")
    func waitingTime()
        throws
    {
        var card = Self.card { $0.extensions = [5, 59] }
        var exchange = ISODEPExchange(ISODEPParameters(frameSizeInteger: 8, frameWaitingInteger: 10, guardInteger: 0))
        #expect(try send(Self.command(2, answer: 1), &exchange, &card) == Self.expected(1))
        let (unit, grace) = (Duration.nanoseconds(302_065), Duration.nanoseconds(3_624_779))
        #expect(card.waitingTimes == [unit * 1024 + grace, unit * 1024 * 5 + grace, unit * 16384 + grace])
    }

    @Test(
        "A card that asks for time without end is ended by number and by time",
        arguments: [(0, 1, 300), (14, 59, 20)] as [(UInt8, UInt8, Int)])
    func timeWithoutEnd(_ integer: UInt8, _ multiplier: UInt8, _ bound: Int) throws {
        var card = Self.card { $0.extensions = [UInt8](repeating: multiplier, count: 10_000) }
        var exchange = ISODEPExchange(
            ISODEPParameters(frameSizeInteger: 8, frameWaitingInteger: integer, guardInteger: 0))
        #expect(throws: CardChannelError.timedOut) { try send(Self.command(2, answer: 1), &exchange, &card) }
        #expect(card.waitingTimes.count < bound)
        #expect(card.waitingTimes.reduce(.zero, +) < .seconds(70))
    }

    @Test("7.5.5: R(NAK) asks whether the card is there, between commands") func presence() throws {
        var card = Self.card()
        var exchange = ISODEPExchange(Self.parameters)
        func isPresent() throws(CardChannelError) -> Bool {
            try exchange.isPresent { block, time throws(CardChannelError) in card.take(block, time) }
        }
        for _ in 0..<3 {
            #expect(try isPresent())
            #expect(try send(Self.command(2, answer: 4), &exchange, &card) == Self.expected(4))
        }
        card.leavesAt = card.blocks
        #expect(try !isPresent())
        #expect(card.executed.count == 3)
    }

    @Test("8: DESELECT ends the session, answered or not, and two are lost") func deselect() throws {
        for lost in 0...3 {
            var card = Self.card { card in for number in 0..<lost { card.accidents[number * 2] = .loss } }
            var exchange = ISODEPExchange(Self.parameters)
            exchange.deselect { block, time throws(CardChannelError) in card.take(block, time) }
            #expect(card.isDeselected == (lost < 3))
            #expect(card.blocks == min(lost + 1, 3) * 2)
            #expect(throws: CardChannelError.cardRemoved) { try send(Self.command(2, answer: 0), &exchange, &card) }
        }
    }

    // MARK: Blocks by hand

    /// Sends `commands` one after the other to a card that sends these blocks: what the reader
    /// sent, and how the last ended.
    private func converse(
        _ receptions: [ISODEPExchange.Reception], _ command: [UInt8] = [0x00, 0x10, 0x00, 0x00],
        frameSizeInteger: UInt8 = 5
    ) -> (sent: [String], end: ISODEPExchange.End?) {
        var exchange = ISODEPExchange(
            ISODEPParameters(frameSizeInteger: frameSizeInteger, frameWaitingInteger: 4, guardInteger: 0))
        var sent: [String] = []
        var step = exchange.send(command)
        var rest = receptions[...]
        while case .send(let block, _) = step {
            sent.append(block.hex)
            guard let next = rest.popFirst() else { return (sent, nil) }
            step = exchange.take(next)
        }
        guard case .end(let end) = step, rest.isEmpty else { return (sent, nil) }
        return (sent, end)
    }

    private func blocks(_ text: String) throws -> [ISODEPExchange.Reception] {
        try text.split(separator: " ").map { word in
            switch word {
            case "silence": .silence
            case "damaged": .damaged
            default: .block(Wiped(try [UInt8](hex: word)))
            }
        }
    }

    @Test(
        "scenarios of annex B, block by block",
        arguments: [
            ("029000", "0200100000"),
            ("F201 029000", "0200100000 F201"),
            ("silence A3 029000", "0200100000 B2 0200100000"),
            ("damaged 029000", "0200100000 B2"),
            ("silence F201 029000", "0200100000 B2 F201"),
            ("12AA 039000", "0200100000 A3"),
            ("12AA damaged 039000", "0200100000 A3 A3"),
            ("12AA silence 13BB 029000", "0200100000 A3 A3 A2"),
            ("12AA F202 039000", "0200100000 A3 F202"),
        ])
    func scenarios(_ received: String, _ expected: String) throws {
        let (sent, end) = converse(try blocks(received))
        #expect(sent.joined(separator: " ") == expected)
        guard case .answered(let bytes) = end else { return #expect(Bool(false), "no answer") }
        #expect(bytes.wrappedValue.suffix(2) == [0x90, 0x00])
    }

    /// FSC 16 leaves 13 bytes for a part.
    @Test(
        "scenarios with a chained command",
        arguments: [
            ("A2 039000", "12 13-byte, 03 rest"), ("silence A2 039000", "12, B2, 03"),
            ("silence A3 A2 039000", "12, B2, 12, 03"),
            ("A2 silence A2 039000", "12, 03, B3, 03"),
        ])
    func chainedCommands(_ received: String, _ sequence: String) throws {
        let command = (0..<20).map { UInt8($0) }
        let (sent, end) = converse(try blocks(received), command, frameSizeInteger: 0)
        let first = "12" + command.prefix(13).hex
        let second = "03" + command.dropFirst(13).hex
        let names = ["12": first, "03": second, "12 13-byte": first, "03 rest": second]
        #expect(sent == sequence.split(separator: ", ").map { names[String($0)] ?? String($0) })
        #expect(end == .answered([0x90, 0x00]))
    }

    @Test(
        "what a card may not do ends the exchange at once, and is named",
        arguments: [
            ("silence silence silence", .silence), ("damaged silence damaged", .damaged),
            ("0A009000", .malformed(.cardIdentifier)),
            ("06009000", .malformed(.nodeAddress)), ("F200", .malformed(.multiplier(0))),
            ("E2", .malformed(.control(0xE2))),
            ("039000", .unexpectedBlock), ("A2", .unexpectedBlock), ("B2", .unexpectedBlock), ("B3", .unexpectedBlock),
            ("C2", .unexpectedBlock),
            ("A3 A3 A3", .blockNotReceived), ("12", .emptyPart), ("12AA 13", .emptyPart),
            ("12AA 02BB", .unexpectedBlock),
            ("12AA A3", .unexpectedBlock), ("12AA B3", .unexpectedBlock), ("12AA silence silence silence", .silence),
        ] as [(String, ISODEPExchange.Failure)])
    func protocolErrors(_ received: String, _ expected: ISODEPExchange.Failure) throws {
        #expect(converse(try blocks(received)).end == .failed(expected))
    }

    @Test func answerWithoutEnd() {
        var exchange = ISODEPExchange(Self.parameters)
        var step = exchange.send([0, 0x10, 0, 0])
        var number: UInt8 = 0
        var count = 0
        while case .send = step {
            step = exchange.take(.block(Wiped([0x12 | number] + [UInt8](repeating: 0xAA, count: 253))))
            number ^= 1
            count += 1
        }
        #expect(step == .end(.failed(.answerTooLong)))
        #expect(count == 65538 / 253 + 1)
    }

    @Test("the last block of a command has no acknowledgment, a part has no answer") func partsAreAcknowledged() throws
    {
        let command = [UInt8](repeating: 0, count: 20)
        #expect(converse(try blocks("029000"), command, frameSizeInteger: 0).end == .failed(.unexpectedBlock))
        #expect(converse(try blocks("12AA"), command, frameSizeInteger: 0).end == .failed(.unexpectedBlock))
        #expect(converse(try blocks("A2 A3"), command, frameSizeInteger: 0).end == .failed(.unexpectedBlock))
    }

    @Test("a reader that fails in between loses the session, and says why") func readerFails() {
        var exchange = ISODEPExchange(Self.parameters)
        #expect(throws: CardChannelError.cancelled) {
            try exchange.transmit(CommandAPDU(ins: 0x10)) { _, _ throws(CardChannelError) in throw .cancelled }
        }
        #expect(throws: CardChannelError.cardRemoved) {
            try exchange.transmit(CommandAPDU(ins: 0x10)) { _, _ throws(CardChannelError) in .block([0x02, 0x90, 0x00])
            }
        }
    }

    @Test(
        "each failure has an error of the channel",
        arguments: [
            (.silence, .cardRemoved), (.sessionLost, .cardRemoved), (.tooMuchTime, .timedOut),
            (.damaged, .malformedAnswer(.damagedBlocks)),
            (.malformed(.cardIdentifier), .malformedAnswer(.addressedBlock)),
            (.malformed(.nodeAddress), .malformedAnswer(.addressedBlock)),
            (.malformed(.empty), .malformedAnswer(.invalidBlock)),
            (.unexpectedBlock, .malformedAnswer(.unexpectedBlock)),
            (.blockNotReceived, .malformedAnswer(.blockNotReceived)),
            (.answerTooLong, .malformedAnswer(.tooLong(maximum: 65538))),
            (.emptyPart, .malformedAnswer(.emptyPart)),
        ] as [(ISODEPExchange.Failure, CardChannelError)])
    func errors(_ failure: ISODEPExchange.Failure, _ expected: CardChannelError) {
        #expect(CardChannelError(failure) == expected)
        #expect(!"\(expected)".isEmpty)
    }

    @Test func answersWithoutStatusWord() throws {
        for block: [UInt8] in [[0x02], [0x02, 0x90]] {
            var exchange = ISODEPExchange(Self.parameters)
            #expect(throws: CardChannelError.malformedAnswer(.noStatusWord)) {
                try exchange.transmit(CommandAPDU(ins: 0x10)) { _, _ throws(CardChannelError) in .block(Wiped(block)) }
            }
        }
    }
}
