import Bytes
import CardModels
import DeviceIO
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

/// The driver against a reader that misbehaves.
@Suite(.serialized) struct CCIDReaderTests {
    /// Answers with as many bytes as P2 says.
    private struct Card: CardChannel {
        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            ResponseAPDU([UInt8](repeating: command.p1, count: Int(command.p2)))
        }
    }

    private static let read = CommandAPDU(ins: 0xB2, p1: 0xAA, p2: 5, expectedLength: 5)
    private static let answer = ResponseAPDU([UInt8](repeating: 0xAA, count: 5))

    private static let other = CommandAPDU(ins: 0xB2, p1: 0xBB, p2: 7, expectedLength: 7)
    private static let otherAnswer = ResponseAPDU([UInt8](repeating: 0xBB, count: 7))

    private func opened(_ atr: [UInt8] = EmulatedCard.t0, _ change: (inout EmulatedReader.Shape) -> Void = { _ in })
        async throws -> (
            device: EmulatedReader, slot: CCIDSlot, channel: CCIDChannel
        )
    {
        var shape = EmulatedReader.Shape()
        change(&shape)
        let device = EmulatedReader(shape, card: EmulatedCard(atr, Card()))
        let slot = try #require(try await device.driver().open().first)
        return (device, slot, try await slot.activate())
    }

    @Test("Opened, used and closed: what belonged to it goes with it") func leavesNothingBehind() async throws {
        weak var reader: CCIDReader?
        for _ in 0..<20 {
            let device = EmulatedReader(EmulatedReader.Shape(), card: EmulatedCard(EmulatedCard.t0, Card()))
            let opened = try device.driver()
            reader = opened
            let slot = try #require(try await opened.open().first)
            #expect(try await slot.activate().transmit(Self.read) == Self.answer)
            await opened.close()
        }
        for _ in 0..<500 where reader != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(reader == nil)
    }

    /// The version of an ACR1281U-C1 is the example of its manual (ACS, ACR1281U-C1 API 1.08,
    /// 5.3.1).
    @Test("Commands of the reader's maker need no card, and do not disturb the one that is there") func escapes()
        async throws
    {
        let version: [UInt8] = [0xE1, 0, 0, 0, 0x0F] + Array("ACR1281U_V503.1".utf8)
        let command: [UInt8] = [0xE0, 0x00, 0x00, 0x18, 0x00]
        let (device, slot, channel) = try await opened { $0.escapes = [command: version] }
        #expect(try await slot.escape(command) == version)
        #expect(
            device.commands.last == [0x6B, 5, 0, 0, 0, 0, try #require(device.commands.last)[6], 0, 0, 0] + command)
        #expect(try await channel.transmit(Self.read) == Self.answer)
        await #expect(throws: CaptureError.readerFailed(.driver(CCIDError.notSupported))) {
            try await slot.escape([0xE0])
        }
        let maximum = EmulatedReader.Shape().largestMessage - 10
        await #expect(throws: CaptureError(DeviceError.rejected(.dataTooLong(maximum: Int(maximum))))) {
            try await slot.escape([UInt8](repeating: 0, count: Int(maximum) + 1))
        }
        device.remove()
        #expect(try await slot.escape(command) == version)
        device.unplug()
        await #expect(throws: CaptureError.self) { try await slot.escape(command) }
    }

    /// What a reader may do without harm: old answers, those for other slots, more time, short and
    /// empty transfers.
    @Test(
        "harmless peculiarities of a reader are accepted",
        arguments: [
            .stale(1), .stale(16), .wrongSlot, .moreTime([1]), .moreTime([0, 255, 3]), .split(1), .split(10),
            .split(63),
            .emptyTransfers(1),
            .emptyTransfers(20),
        ] as [EmulatedReader.Fault])
    func harmless(_ fault: EmulatedReader.Fault) async throws {
        let (device, _, channel) = try await opened()
        device.fault(fault)
        #expect(try await channel.transmit(Self.read) == Self.answer)
        #expect(try await channel.transmit(Self.read) == Self.answer)
        #expect(!device.commands.contains { $0[0] == 0x72 })
    }

    @Test(
        "What ends the command, and how; the one after it works, since the reader has aborted the first (5.3.1)",
        arguments: [
            (.silence, .timedOut), (.stallIn, .readerFailed(.driver(DeviceError.stalled))),
            (.stallOut, .readerFailed(.driver(DeviceError.stalled))),
            (.otherKind, .readerFailed(.driver(DeviceError.malformed(.ccidResponse, .unexpected)))),
            (.stale(17), .readerFailed(.driver(DeviceError.malformed(.ccidResponse, .unexpected)))),
            (
                .garbage([0x7F, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
                .readerFailed(.driver(DeviceError.malformed(.ccidResponse, .invalid)))
            ),
            (.garbage([UInt8](repeating: 0xFF, count: 64)), nil), (.cut(9), .timedOut), (.cut(12), .timedOut),
            (.garbage([]), .timedOut),
        ] as [(EmulatedReader.Fault, CardChannelError?)])
    func endsTheCommand(_ fault: EmulatedReader.Fault, _ expected: CardChannelError?) async throws {
        for atr in [EmulatedCard.t0, EmulatedCard.t1] {
            let (device, _, channel) = try await opened(atr)
            device.fault(fault)
            let error = await #expect(throws: CardChannelError.self) { _ = try await channel.transmit(Self.read) }
            #expect(expected == nil || error == expected, "\(fault)")
            let abort = try #require(device.commands.last)
            #expect(abort[0] == 0x72 && abort[6] == device.commands[device.commands.count - 2][6])
            // Not the answer to the first that was lost.
            #expect(try await channel.transmit(Self.other) == Self.otherAnswer, "\(fault)")
        }
    }

    @Test(
        "Each slot error of table 6.2-2 has its meaning",
        arguments: [
            (0xFE, .timedOut), (0xFD, .malformedAnswer(.parity)), (0xFC, .malformedAnswer(.overrun)),
            (0xF4, .malformedAnswer(.invalidProcedureByte)), (0xFF, .cancelled),
            (0xFB, .readerFailed(.driver(CCIDError.hardware))), (0xE0, .readerFailed(.busy)),
            (0x00, .readerFailed(.driver(CCIDError.notSupported))),
            (0x05, .readerFailed(.driver(CCIDError(5)))),
        ] as [(UInt8, CardChannelError)])
    func errors(_ code: UInt8, _ expected: CardChannelError) async throws {
        let (device, _, channel) = try await opened()
        device.fault(.error(code))
        await #expect(throws: expected) { _ = try await channel.transmit(Self.read) }
        #expect(try await channel.transmit(Self.read) == Self.answer)
    }

    @Test(
        "With T=1 on the host a mute card, parity errors and overruns are asked again",
        arguments: [0xFE, 0xFD, 0xFC] as [UInt8])
    func recoversBlocks(_ code: UInt8) async throws {
        let (device, _, channel) = try await opened(EmulatedCard.t1)
        device.fault(.error(code))
        #expect(try await channel.transmit(Self.read) == Self.answer)
    }

    /// Cancelled while the reader is silent, at every command from opening to switching off: the
    /// wait ends, the reader gets an abort, and the next command works.
    @Test("every command can be cancelled, and the next one works", arguments: [EmulatedCard.t0, EmulatedCard.t1])
    func cancelled(_ atr: [UInt8]) async throws {
        for command in 0..<5 {
            let device = EmulatedReader(card: EmulatedCard(atr, Card()))
            let slot = try #require(try await device.driver().open().first)
            device.fault(.hang, at: command)
            let task = Task {
                let channel = try await slot.activate()
                for _ in 0..<5 { _ = try await channel.transmit(Self.read) }
            }
            await device.waitUntilItHangs()
            task.cancel()
            let error = await #expect(throws: (any Error).self) { try await task.value }
            #expect(
                error as? CaptureError == .cancelled || error as? CardChannelError == .cancelled,
                "command \(command): \(String(describing: error))")
            #expect(device.commands.last?[0] == 0x72)
            #expect(try await slot.isCardPresent)
            let channel = try await slot.activate()
            #expect(try await channel.transmit(Self.read) == Self.answer, "command \(command)")
        }
    }

    @Test("A cancellation that comes as the operation ends does not hit the one after it") func cancelledTooLate()
        async throws
    {
        let (device, slot, channel) = try await opened()
        for _ in 0..<2 {
            device.fault(.lateCancel)
            #expect(try await channel.transmit(Self.read) == Self.answer)
            #expect(try await slot.isCardPresent)
            device.fault(.lateCancel)
            #expect(try await channel.transmit(Self.read) == Self.answer)
            #expect(try await channel.transmit(Self.other) == Self.otherAnswer)
        }
        device.fault(.lateCancel)
        _ = try await slot.isCardPresent
        await slot.powerOff()
        #expect(device.commands.last?[0] == 0x63)
        #expect(try await slot.isCardPresent)
    }

    @Test("A command in a task that is cancelled already is not sent") func cancelledBeforehand() async throws {
        let (_, slot, channel) = try await opened()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await #expect(throws: CardChannelError.cancelled) { _ = try await channel.transmit(Self.read) }
            await #expect(throws: CaptureError.cancelled) { _ = try await slot.activate() }
        }
        await task.value
        #expect(try await channel.transmit(Self.read) == Self.answer)
    }

    @Test(
        "A card that is taken out while nobody asks; another one has no use for the old channel",
        arguments: [true, false])
    func anotherCard(_ notifies: Bool) async throws {
        let (device, slot, channel) = try await opened { $0.notifies = notifies }
        device.remove()
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await channel.transmit(Self.read) }
        #expect(try await !slot.isCardPresent)
        device.insert(EmulatedCard(EmulatedCard.t0, Card()))
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await channel.transmit(Self.read) }
        let fresh = try await slot.activate()
        #expect(try await fresh.transmit(Self.read) == Self.answer)
        _ = try await slot.activate()
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await fresh.transmit(Self.read) }
    }

    /// Waiting for a card, by notifications and by asking; cancelled, the wait is over.
    @Test(arguments: [true, false])
    func waitsForACard(_ notifies: Bool) async throws {
        var shape = EmulatedReader.Shape()
        shape.notifies = notifies
        let device = EmulatedReader(shape)
        let slot = try #require(try await device.driver().open().first)
        #expect(slot.capabilities.contains(.cardEvents) == notifies)
        let cancelled = Task { try await slot.powerOn() }
        while device.commands.count < 2 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await cancelled.value }
        let task = Task { try await slot.powerOn() }
        while device.commands.count < 3 { await Task.yield() }
        device.insert(EmulatedCard(EmulatedCard.t0, Card()))
        #expect(try await task.value.transmit(Self.read) == Self.answer)
    }

    @Test("a reader reports cards that come and go") func events() async throws {
        let device = EmulatedReader()
        let reader = try device.driver()
        let slot = try #require(try await reader.open().first)
        var events = slot.events.stream().makeAsyncIterator()
        device.insert(EmulatedCard(EmulatedCard.t0, Card()))
        #expect(await events.next() == .cardPresented(.contact))
        device.remove()
        #expect(await events.next() == .cardRemoved(.contact))
        await reader.close()
        #expect(await events.next() == .disconnected(.closed))
        #expect(await events.next() == nil)
    }

    @Test("Slots have numbers of their own for their commands, and cards do not know of each other") func severalSlots()
        async throws
    {
        var shape = EmulatedReader.Shape()
        shape.slots = 5
        let device = EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t0, Card()))
        let slots = try await device.driver().open()
        #expect(slots.count == 5 && slots[4].name == "emulated reader, slot 5")
        device.insert(EmulatedCard(EmulatedCard.t1, Card()), slot: 4)
        let first = try await slots[0].activate()
        let last = try await slots[4].activate()
        async let one = first.transmit(Self.read)
        async let other = last.transmit(Self.read)
        #expect(try await one == Self.answer)
        #expect(try await other == Self.answer)
        device.remove(slot: 0)
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await first.transmit(Self.read) }
        #expect(try await last.transmit(Self.read) == Self.answer)
        for slot in 0..<5 {
            let numbers = device.commands.filter { $0[5] == UInt8(slot) }.map { $0[6] }
            #expect(numbers == (0..<numbers.count).map { UInt8($0) })
        }
    }

    @Test("Numbers of commands begin again after 255") func manyCommands() async throws {
        let (device, _, channel) = try await opened()
        for _ in 0..<300 { #expect(try await channel.transmit(Self.read) == Self.answer) }
        #expect(device.commands.count > 300)
    }

    @Test("Long commands and answers: in parts at the extended level, refused at the short one and with T=0")
    func longCommands()
        async throws
    {
        let data = (0..<2000).map { UInt8($0 & 0xFF) }
        let long = CommandAPDU(ins: 0xDA, data: data, expectedLength: 65536)
        var shape = EmulatedReader.Shape()
        shape.level = .extended
        let device = EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t1, EchoCard()))
        let channel = try await #require(try await device.driver().open().first).activate()
        #expect(try await channel.transmit(long) == ResponseAPDU(data))
        let levels = device.commands.filter { $0[0] == 0x6F }.map { $0[8] }
        #expect(levels == [1] + [UInt8](repeating: 3, count: 6) + [2] + [UInt8](repeating: 0x10, count: 7))
        for data in [[UInt8]](
            arrayLiteral: [], [1], Array(data.prefix(254)), Array(data.prefix(255)), Array(data.prefix(256)))
        {
            #expect(
                try await channel.transmit(CommandAPDU(ins: 0xDA, data: data, expectedLength: 256))
                    == ResponseAPDU(data))
        }
        let (_, _, short) = try await opened(EmulatedCard.t1) { $0.level = .short }
        await #expect(throws: CardChannelError.self) { _ = try await short.transmit(long) }
        let (_, _, zero) = try await opened()
        await #expect(throws: CardChannelError.self) { _ = try await zero.transmit(long) }
        let (_, _, one) = try await opened(EmulatedCard.t1)
        #expect(try await one.transmit(CommandAPDU(ins: 0xB2, p1: 1, p2: 255, expectedLength: 65536)).data.count == 255)
    }

    @Test("A reader that is unplugged says so to those who listen, and can be opened again") func unplugged()
        async throws
    {
        let (device, slot, channel) = try await opened()
        var events = slot.events.stream().makeAsyncIterator()
        device.unplug()
        await #expect(throws: CardChannelError.readerFailed(.driver(DeviceError.disconnected))) {
            _ = try await channel.transmit(Self.read)
        }
        #expect(await events.next() == .disconnected(.unplugged))
        await #expect(throws: DeviceError.disconnected) { _ = try await slot.isCardPresent }
    }

    @Test("Readers that are known for something (CCIDQuirks): what is said of them, and what is done") func quirks()
        async throws
    {
        func information(_ vendor: UInt16, _ product: UInt16, _ version: UInt16, pin: UInt8 = 0) async throws -> (
            CCIDReader.Information, CCIDSlot
        ) {
            var shape = EmulatedReader.Shape()
            (shape.vendor, shape.product, shape.version, shape.pin) = (vendor, product, version, pin)
            let reader = try EmulatedReader(shape).driver()
            let slot = try #require(try await reader.open().first)
            return (try #require(await reader.information), slot)
        }
        let (old, _) = try await information(0x04E6, 0xE001, 0x0515)
        #expect(old.remarks == ["this firmware version has known faults: update it"])
        #expect(try await information(0x04E6, 0xE001, 0x0516).0.remarks == [])
        let (keyboard, leaking) = try await information(0x03F0, 0x1024, 0x0100, pin: 3)
        #expect(keyboard.descriptor.pin == [])
        #expect(leaking.pinPad == nil)
        #expect(keyboard.remarks.count == 1)
        let (omnikey, _) = try await information(0x076B, 0x3A21, 0x0100, pin: 1)
        #expect(omnikey.descriptor.level == .extendedAPDU)
        #expect(omnikey.descriptor.pin == [])
        let (plain, pad) = try await information(0x1234, 0x0001, 0x0100, pin: 1)
        #expect(plain.descriptor.level == .tpdu)
        #expect(pad.pinPad != nil)
        #expect(pad.capabilities.contains(.pinPad))
        #expect(plain.remarks == [])
    }

    /// What the card gets where the reader's pad takes PINs: blocks of format 2, the old one and
    /// the new one (ISO/IEC 7816-4, CHANGE REFERENCE DATA).
    @Test(arguments: [EmulatedReader.Shape.Level.tpdu, .short, .extended], [EmulatedCard.t0, EmulatedCard.t1])
    func changesThePIN(_ level: EmulatedReader.Shape.Level, _ atr: [UInt8]) async throws {
        actor Listening: CardChannel {
            var commands: [CommandAPDU] = []
            func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
                commands.append(command)
                return ResponseAPDU(status: StatusWord(rawValue: 0x63C2))
            }
        }
        var shape = EmulatedReader.Shape()
        (shape.level, shape.pin) = (level, 3)
        let card = Listening()
        let device = EmulatedReader(shape, card: EmulatedCard(atr, card))
        let slot = try #require(try await device.driver().open().first)
        let pad = try #require(slot.pinPad)
        // Nobody powered the card.
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await pad.changePIN() }
        let channel = try await slot.activate()
        device.enter(.enters("123456"))
        #expect(try await pad.changePIN() == StatusWord(rawValue: 0x63C2))
        let command = try #require(await card.commands.last)
        #expect(command.header == [0x00, 0x24, 0x00, 0x80])
        #expect(command.data.hex == "26123456FFFFFFFF" + "26654321FFFFFFFF")
        device.enter(.cancels)
        #expect(try await pad.changePIN() == CCIDPINPad.cancelled)
        device.enter(.timesOut)
        #expect(try await pad.changePIN() == CCIDPINPad.timedOut)
        // The card is where it was.
        #expect(try await channel.transmit(Self.read).status.rawValue == 0x63C2)
        #expect(device.commands.filter { $0[0] == 0x69 }.count == 3 && !device.commands.contains { $0[0] == 0x72 })
    }

    @Test("A reader without a pad, or one that exchanges characters, enters nothing") func noPad() async throws {
        let (_, plain, _) = try await opened()
        #expect(plain.pinPad == nil)
        let (device, slot, _) = try await opened { shape in
            shape.level = .character
            shape.pin = 3
        }
        #expect(try await slot.pinPad?.changePIN() == nil)
        #expect(!device.commands.contains { $0[0] == 0x69 })
    }

    /// Cancelled while the cardholder is at the keys: the reader gets an abort, and the next entry
    /// works.
    @Test func cancelledAtThePad() async throws {
        let (device, slot, _) = try await opened(EmulatedCard.t1) { $0.pin = 3 }
        let pad = try #require(slot.pinPad)
        device.fault(.hang)
        let task = Task { try await pad.changePIN() }
        await device.waitUntilItHangs()
        task.cancel()
        await #expect(throws: CardChannelError.cancelled) { _ = try await task.value }
        #expect(device.commands.last?[0] == 0x72)
        device.enter(.cancels)
        #expect(try await pad.changePIN() == CCIDPINPad.cancelled)
    }
}
