import Bytes
import CardModels
import DeviceIO
import ReaderDoubles
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

/// The driver against a chip that `EmulatedPN53x` plays.
@Suite("Contactless readers with a PN532 or PN533", .timeLimit(.minutes(20))) struct PN53xReaderTests {
    private static let command = CommandAPDU(ins: 0xA4, p1: 4, data: Array("2PAY.SYS.DDF01".utf8), expectedLength: 256)
    private static let answer = ResponseAPDU(Array("2PAY.SYS.DDF01".utf8))

    private static func card(_ kind: EmulatedContactlessCard.Kind = .typeA()) -> EmulatedContactlessCard {
        EmulatedContactlessCard(kind: kind, channel: EchoCard())
    }

    @Test(
        "a card of either type is found, and commands of every length go to it and back",
        arguments: EmulatedConnection.allCases,
        [.typeA(), .typeB()] as [EmulatedContactlessCard.Kind])
    func exchange(_ connection: EmulatedConnection, _ kind: EmulatedContactlessCard.Kind) async throws {
        let chip = EmulatedPN53x([Self.card(kind)])
        let reader = try chip.reader(connection)
        let channel = try await reader.powerOn()
        for count in [1, 5, 200, 246, 247, 255] {
            let data = (0..<count).map { UInt8($0 & 0xFF) }
            #expect(try await channel.transmit(CommandAPDU(ins: 0x10, data: data)) == ResponseAPDU(data), "\(count)")
        }
        #expect(chip.isFieldOn)
        await reader.powerOff()
        #expect(!chip.isFieldOn)
        #expect(chip.commands.suffix(3).map(\.hex) == ["42C2", "5200", "320100"], "deselected, released, field off")
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.command) }
        // And again, with the same connection.
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test(
        "a PN533 and a PN532 are known by their firmware, others are refused",
        arguments: [(0x32, true), (0x33, true), (0x07, false)] as [(UInt8, Bool)])
    func firmware(_ code: UInt8, _ isKnown: Bool) async throws {
        let reader = try EmulatedPN53x(code: code, [Self.card()]).reader(.pn533)
        guard !isKnown else {
            _ = try await reader.powerOn()
            return
        }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.pn53xAnswer, .unknownType)))) {
            _ = try await reader.powerOn()
        }
    }

    @Test("the frames of a card that has answered the chip's own RATS are used as they are")
    func answerToSelectOfTheChip() async throws {
        let chip = EmulatedPN53x([Self.card()])
        // SetParameters is the third command, after SAMConfiguration and GetFirmwareVersion.
        chip.fault(.answers([]), at: 2)
        let channel = try await chip.reader().powerOn()
        #expect(try await channel.transmit(Self.command) == Self.answer)
        #expect((channel as? PN53xCard)?.historicalBytes == [])
    }

    @Test("the channel has the historical bytes of a type A card") func historicalBytes() async throws {
        let card = Self.card(.typeA(answerToSelect: [0x08, 0x78, 0x80, 0x70, 0x02, 0x80, 0x73, 0xC0]))
        let channel = try await EmulatedPN53x([card]).reader().powerOn()
        #expect((channel as? PN53xCard)?.historicalBytes == [0x80, 0x73, 0xC0])
    }

    /// PC/SC part 3, 3.2.2.1.3. The identifier of a card of type B is its PUPI.
    @Test(
        "the reader answers GET DATA of class FF itself: the identifier, and the historical bytes if there are any",
        arguments: EmulatedConnection.allCases,
        [
            (.typeA(answerToSelect: [0x08, 0x78, 0x80, 0x70, 0x02, 0x80, 0x73, 0xC0]), "080102009000", "8073C09000"),
            (.typeA(), "080102009000", "6A81"), (.typeB(), "010203049000", "6A81"),
        ] as [(EmulatedContactlessCard.Kind, String, String)])
    func identity(
        _ connection: EmulatedConnection,
        _ card: (kind: EmulatedContactlessCard.Kind, identifier: String, historical: String)
    )
        async throws
    {
        let chip = EmulatedPN53x([Self.card(card.kind)])
        let reader = try chip.reader(connection)
        let channel = try await reader.powerOn()
        chip.forget()
        for (command, answer) in [
            ("FFCA000000", card.identifier), ("FFCA000004", card.identifier), ("FFCA010000", card.historical),
            ("FFCA020000", "6B00"),
            ("FFCA000002", "6C04"), ("FFB0000010", "6D00"),
        ] {
            let command = try #require(CommandAPDU([UInt8](hex: command)))
            #expect(try await channel.transmit(command).bytes.hex == answer, "\(command)")
        }
        #expect(chip.commands.isEmpty, "none of them goes to the card")
        #expect(try await channel.transmit(Self.command) == Self.answer)
        await reader.powerOff()
        let gone = try #require(CommandAPDU([UInt8](hex: "FFCA000000")))
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(gone) }
    }

    // MARK: The field

    @Test(
        "two cards are a collision, of one type or of both",
        arguments: [[.typeA(), .typeA()], [.typeB(), .typeB()], [.typeA(), .typeB()], [.typeB(), .typeA()]]
            as [[EmulatedContactlessCard.Kind]])
    func collision(_ kinds: [EmulatedContactlessCard.Kind]) async throws {
        let chip = EmulatedPN53x(kinds.map(Self.card))
        let reader = try chip.reader()
        await #expect(throws: CaptureError.severalCards) { _ = try await reader.powerOn() }
        chip.put([Self.card(kinds[0])])
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test(
        "a card that is not a payment card, or says nonsense of itself, is refused by name",
        arguments: [
            (.typeA(select: 0x08), .noPaymentCard),
            (.typeB(answerToRequest: [0x50, 1, 2, 3, 4, 0, 0, 0, 0, 0x80, 0x80, 0x71]), .noPaymentCard),
            (.typeA(answerToSelect: [0x05, 0x78]), .answerToSelect(.length(named: 5, received: 2))),
            (.typeA(answerToSelect: [0x02, 0x70]), .answerToSelect(.truncated)),
            (.typeA(answerToSelect: []), .answerToSelect(.empty)),
            (
                .typeB(answerToRequest: [0x51, 1, 2, 3, 4, 0, 0, 0, 0, 0x80, 0x81, 0x71]),
                .answerToRequest(.firstByte(0x51))
            ),
        ] as [(EmulatedContactlessCard.Kind, PN53xError)])
    func refusedCards(_ kind: EmulatedContactlessCard.Kind, _ error: PN53xError) async throws {
        let chip = EmulatedPN53x([Self.card(kind)])
        let reader = try chip.reader()
        await #expect(throws: CaptureError.readerFailed(.driver(error))) { _ = try await reader.powerOn() }
        #expect("\(error)".contains(": "), "it names the cure")
        chip.put([Self.card()])
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    /// PN532 user manual UM0701-02: InListPassiveTarget for type A (00) and type B (03) with AFI
    /// 00, field by RFConfiguration item 01.
    @Test(
        "a look at the field finds a card of any kind, and leaves the field off",
        arguments: [.typeA(), .typeA(select: 0x08), .typeB(), nil] as [EmulatedContactlessCard.Kind?])
    func looks(_ kind: EmulatedContactlessCard.Kind?) async throws {
        let chip = EmulatedPN53x(kind.map { [Self.card($0)] } ?? [])
        let reader = try chip.reader()
        for _ in 0..<2 {
            #expect(try await reader.isEmpty() == (kind == nil))
            #expect(!chip.isFieldOn)
        }
        let isTypeA = if case .typeA = kind { true } else { false }
        let polls = chip.commands.filter { $0.first == 0x4A }.map { $0[2] }
        #expect(polls == (isTypeA ? [0x00, 0x00] : [0x00, 0x03, 0x00, 0x03]))
        let field = chip.commands.suffix(isTypeA ? 4 : 5).filter { $0.first == 0x32 }.map(\.hex)
        #expect(field == ["320100", "320101", "320100"])
    }

    /// GetFirmwareVersion is 02 (PN532 user manual UM0701-02, 7.2.2).
    @Test(
        "the way to the chip is taken once for each exchange, and switches no field on",
        arguments: EmulatedConnection.allCases)
    func exchangesWithTheChip(_ connection: EmulatedConnection) async throws {
        let chip = EmulatedPN53x([Self.card()])
        let reader = try chip.reader(connection)
        try await reader.exchangeWithChip()
        chip.forget()
        for _ in 0..<3 { try await reader.exchangeWithChip() }
        #expect(chip.commands.map(\.hex) == ["02", "02", "02"])
        #expect(!chip.isFieldOn)
        chip.forget()
        chip.fault(.answers([]), at: 0)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.pn53xAnswer, .empty)))) {
            try await reader.exchangeWithChip()
        }
    }

    @Test("a look ends with a cancellation and with the reader") func looksThatFail() async throws {
        let chip = EmulatedPN53x()
        let reader = try chip.reader(.serial)
        #expect(try await reader.isEmpty())
        chip.forget()
        chip.fault(.hangs, at: 2)
        let task = Task { try await reader.isEmpty() }
        await chip.untilHanging()
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        chip.forget()
        chip.fault(.unplugs, at: 2)
        await #expect(throws: CaptureError.self) { try await reader.isEmpty() }
    }

    @Test(
        "an empty field is looked at until a card comes, and the wait can be cancelled again and again",
        arguments: [EmulatedConnection.serial, .acr122])
    func waitsForACard(_ connection: EmulatedConnection) async throws {
        let chip = EmulatedPN53x()
        let reader = try chip.reader(connection)
        for _ in 0..<3 {
            chip.forget()
            let task = Task { try await reader.powerOn() }
            while chip.commands.count(where: { $0.first == 0x4A }) < 6 { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        }
        // Type A and type B in turn.
        let polls = chip.commands.filter { $0.first == 0x4A }.map { $0[2] }
        #expect(polls.prefix(4) == [0x00, 0x03, 0x00, 0x03])
        let task = Task { try await reader.powerOn() }
        chip.put([Self.card()])
        #expect(try await task.value.transmit(Self.command) == Self.answer)
    }

    @Test("a card that leaves at any block is reported as removed, and another finds the reader ready") func removal()
        async throws
    {
        let reference = EmulatedPN53x([Self.card()])
        let long = CommandAPDU(ins: 0x10, data: [UInt8](repeating: 7, count: 255))
        _ = try await reference.reader().powerOn().transmit(long)
        for block in 0..<6 {
            var card = Self.card()
            card.change = { $0.leavesAt = block }
            let chip = EmulatedPN53x([card])
            let reader = try chip.reader()
            let events = reader.events.stream()
            let channel = try await reader.powerOn()
            await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(long) }
            await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.command) }
            chip.put([Self.card()])
            #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
            reader.events.finish()
            var received: [ReaderEvent] = []
            for await event in events { received.append(event) }
            #expect(received == [.connected, .cardRemoved(.contactless)], "\(block)")
        }
    }

    @Test(
        "a card that leaves at any command of its activation leaves an empty field behind",
        arguments: [.typeA(), .typeB()] as [EmulatedContactlessCard.Kind])
    func removalDuringActivation(_ kind: EmulatedContactlessCard.Kind) async throws {
        let reference = EmulatedPN53x([Self.card(kind)])
        _ = try await reference.reader().powerOn()
        for number in reference.commands.indices {
            let chip = EmulatedPN53x([Self.card(kind)])
            chip.fault(.clearsField, at: number)
            let reader = try chip.reader()
            let task = Task { try await reader.powerOn() }
            while chip.commands.count < reference.commands.count + 6 { try await Task.sleep(for: .milliseconds(1)) }
            chip.put([Self.card(kind)])
            #expect(try await task.value.transmit(Self.command) == Self.answer, "\(number)")
        }
    }

    @Test("lost and damaged blocks are asked for again") func blocks() async throws {
        for accident in ISODEPCard.Accident.allCases {
            for number in 0..<4 {
                var card = Self.card()
                card.change = { $0.accidents[number] = accident }
                let channel = try await EmulatedPN53x([card]).reader().powerOn()
                #expect(try await channel.transmit(Self.command) == Self.answer, "\(accident) \(number)")
            }
        }
    }

    @Test("a card that wants more time has it, and the chip waits so long") func waitingTime() async throws {
        var card = Self.card()
        card.change = { $0.extensions = [2, 59] }
        let chip = EmulatedPN53x([card])
        #expect(try await chip.reader().powerOn().transmit(Self.command) == Self.answer)
        // RATS 8.5 ms; FWI 7 is 38.7 ms and 3.6 of grace; twice is 77.3 ms; 59 times 2.3 s. Codes:
        // 100 µs · 2^(n − 1) or more.
        #expect(chip.commands.filter { $0.starts(with: [0x32, 0x02]) }.map { $0[4] } == [8, 10, 11, 16])
    }

    @Test("a card that may take longer than the chip can wait is waited for by the host") func longWaitingTime()
        async throws
    {
        let chip = EmulatedPN53x([Self.card(.typeA(answerToSelect: [0x03, 0x28, 0xE0]))])
        #expect(try await chip.reader().powerOn().transmit(Self.command) == Self.answer)
        #expect(chip.commands.filter { $0.starts(with: [0x32, 0x02]) }.map { $0[4] } == [8, 0])
    }

    // MARK: The chip and its line

    @Test(
        "a line that loses, damages and repeats harms no command among the first 16",
        arguments: [EmulatedConnection.serial, .pn533],
        [
            .losesAcknowledgment, .damagesAcknowledgment, .damagesAnswer(1), .damagesAnswer(2), .doesNotUnderstand(2),
            .isStale, .dribbles,
            .isTooLong,
        ]
            as [EmulatedPN53x.Fault])
    func accidents(_ connection: EmulatedConnection, _ fault: EmulatedPN53x.Fault) async throws {
        for number in 0..<16 {
            let chip = EmulatedPN53x([Self.card()])
            chip.fault(fault, at: number)
            let channel = try await chip.reader(connection).powerOn()
            #expect(try await channel.transmit(Self.command) == Self.answer, "\(fault) at \(number)")
            let blocks = chip.commands.filter { $0.starts(with: [0x42, 0x02]) }
            #expect(blocks.count == 1, "sent to the card once: \(fault) at \(number)")
        }
    }

    @Test(
        "a chip that fails becomes an error with a cause, and is opened again for the next use",
        arguments: [
            (.damagesAnswer(99), .malformed(.pn53xFrame, .damaged)),
            (.doesNotUnderstand(99), .rejected(.commandNotSupported)),
            (.isSilent, .timedOut), (.stalesForEver, .malformed(.pn53xAnswer, .unexpected)),
            (.cuts(7), .timedOut), (.cuts(0), .timedOut),
        ] as [(EmulatedPN53x.Fault, DeviceError)])
    func failures(_ fault: EmulatedPN53x.Fault, _ expected: DeviceError) async throws {
        let chip = EmulatedPN53x([Self.card()])
        // Long enough for a busy machine to find the card.
        let reader = try expected == .timedOut ? chip.reader(latency: .seconds(3)) : chip.reader()
        let channel = try await reader.powerOn()
        chip.forget()
        // The waiting time is set first, then the command is sent.
        chip.fault(fault, at: 1)
        await #expect(throws: CardChannelError(expected)) { try await channel.transmit(Self.command) }
        #expect(chip.commands.filter { $0.starts(with: [0x42, 0x02]) }.count <= 1, "the command is not sent again")
        chip.fault(nil, at: 1)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.command) }
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test(
        "a chip's error ends the command and is named", arguments: [EmulatedConnection.serial, .acr122],
        [([0x27], .rejected(.status("27"))), ([0x0A], .rejected(.status("A"))), ([], .malformed(.pn53xAnswer, .empty))]
            as [([UInt8], DeviceError)])
    func statuses(_ connection: EmulatedConnection, _ status: ([UInt8], DeviceError)) async throws {
        let chip = EmulatedPN53x([Self.card()])
        let reader = try chip.reader(connection)
        let channel = try await reader.powerOn()
        chip.forget()
        chip.fault(.answers(status.0), at: 1)
        await #expect(throws: CardChannelError.readerFailed(.driver(status.1))) {
            try await channel.transmit(Self.command)
        }
    }

    @Test(
        "a block that ISO/IEC 14443-4 does not have ends the command and is named",
        arguments: [
            ([0x00, 0x0A, 0x00], .addressedBlock), ([0x00, 0x06, 0x00], .addressedBlock), ([0x00], .invalidBlock),
            ([0x00, 0xE2], .invalidBlock),
            ([0x00, 0xA2], .unexpectedBlock), ([0x00, 0x03, 0x90, 0x00], .unexpectedBlock),
        ] as [([UInt8], CardChannelError.MalformedAnswer)])
    func malformedBlocks(_ answer: [UInt8], _ expected: CardChannelError.MalformedAnswer) async throws {
        let chip = EmulatedPN53x([Self.card()])
        let reader = try chip.reader()
        let channel = try await reader.powerOn()
        chip.forget()
        chip.fault(.answers(answer), at: 1)
        await #expect(throws: CardChannelError.malformedAnswer(expected)) { try await channel.transmit(Self.command) }
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test(
        "a reader that is unplugged at any command is disconnected, and used again when it is back",
        arguments: [EmulatedConnection.serial, .pn533, .acr122])
    func unplugged(_ connection: EmulatedConnection) async throws {
        for number in 0..<12 {
            let chip = EmulatedPN53x([Self.card()])
            chip.fault(.unplugs, at: number)
            let reader = try chip.reader(connection)
            let events = reader.events.stream()
            var failure = ""
            do {
                _ = try await reader.powerOn().transmit(Self.command)
            } catch {
                failure = "\(error)"
            }
            #expect(failure.contains("disconnected"), "\(number): \(failure)")
            chip.fault(nil, at: number)
            #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
            reader.events.finish()
            var received: [ReaderEvent] = []
            for await event in events { received.append(event) }
            #expect(received.contains(.disconnected(.unplugged)), "\(received)")
        }
    }

    @Test(
        "a cancelled command is called off, its late answer is passed over, and the reader goes on",
        arguments: [EmulatedConnection.serial, .pn533, .acr122])
    func cancellation(_ connection: EmulatedConnection) async throws {
        let chip = EmulatedPN53x([Self.card()])
        let reader = try chip.reader(connection)
        let channel = try await reader.powerOn()
        chip.forget()
        chip.fault(.hangs, at: 1)
        let task = Task { try await channel.transmit(Self.command) }
        await chip.untilHanging()
        task.cancel()
        await #expect(throws: CardChannelError.cancelled) { try await task.value }
        #expect(connection == .acr122 || chip.aborts > 0)
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.command) }
        chip.fault(nil, at: 1)
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test("a channel of an earlier activation reaches no later one") func activations() async throws {
        let reader = try EmulatedPN53x([Self.card()]).reader()
        let first = try await reader.powerOn()
        let second = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await first.transmit(Self.command) }
        #expect(try await second.transmit(Self.command) == Self.answer)
        await reader.close()
        await #expect(throws: CardChannelError.cardRemoved) { try await second.transmit(Self.command) }
        #expect(try await reader.powerOn().transmit(Self.command) == Self.answer)
    }

    @Test("a command has an end, however often the card asks for more time") func commandTimeout() async throws {
        let port = EmulatedPort { [chip = EmulatedPN53x([Self.card()])] line in chip.live(line) }
        let reader = try PN53xReader(name: "emulated", commandTimeout: .zero) { cancel throws(DeviceError) in
            PN53xFrameLink(PN53xSerialWire(try port.open(cancel)), latency: .seconds(20))
        }
        let channel = try await reader.powerOn()
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(Self.command) }
    }

    @Test("a device that sends for ever does not hold the driver") func endlessLine() async throws {
        let reader = try PN53xReader(
            name: "endless", latency: .zero,
            line: { _ throws(DeviceError) in EndlessLine([0x00, 0x00, 0xFF, 0x00, 0xFF]) })
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.timedOut))) {
            _ = try await reader.powerOn()
        }
    }

    @Test("a power off without a connection opens none") func powerOffUnopened() async throws {
        let chip = EmulatedPN53x([Self.card()])
        try await chip.reader().powerOff()
        #expect(chip.commands.isEmpty)
    }
}
