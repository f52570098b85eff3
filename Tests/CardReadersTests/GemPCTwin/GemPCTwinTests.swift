import Bytes
import CardModels
import DeviceIO
import ReaderDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized, .timeLimit(.minutes(20))) struct GemPCTwinTests {
    private func decode(_ text: String) throws -> [GemPCDecoder.Event] {
        var decoder = GemPCDecoder()
        return try [UInt8](hex: text).compactMap { decoder.take($0) }
    }

    @Test("CCID 1.1, 6.1.1, put together by hand: IccPowerOn with sequence number 7; 03 ^ 06 ^ 62 ^ 07 = 60")
    func frames() throws {
        let message = GemPCMessage(type: 0x62, sequence: 7)
        #expect(GemPCFrame.encode(message.bytes) == (try [UInt8](hex: "0306 62000000000007000000 60")))
        #expect(try decode("0306 62000000000007000000 60") == [.message(Wiped(message.bytes))])
        let answer = try [UInt8](hex: "80020000000007000000 3B00")
        #expect(GemPCMessage(Wiped(answer)) == GemPCMessage(type: 0x80, sequence: 7, data: [0x3B, 0x00]))
    }

    @Test("Refusals, card movements, waiting and damaged frames are recognized") func otherEvents() throws {
        #expect(try decode("031516") == [.refused])
        #expect(try decode("5003 5002 80 FF") == [.card(isPresent: true), .card(isPresent: false), .wait, .wait])
        #expect(try decode("031517") == [.damaged])
        #expect(try decode("5007") == [.damaged])
        #expect(try decode("0307") == [.damaged])
        #expect(try decode("41") == [.damaged])
        #expect(try decode("0306 62000000000007000000 61") == [.damaged])
        #expect(try decode("0306 62FFFFFF7F0007000000") == [.damaged], "longer than any message")
    }

    @Test(
        "a command is sent and answered through the reader",
        arguments: [EmulatedGemPCTwin.Misbehavior?.none, .refuses(2), .asksForTime, .stale, .dribbles])
    func exchange(_ misbehavior: EmulatedGemPCTwin.Misbehavior?) async throws {
        let emulator = EmulatedGemPCTwin(misbehavior, card: VirtualCard(try PersonalizedCard.make(.visaStyle())))
        let channel = try await emulator.reader().powerOn()
        let response = try await channel.transmit(
            CommandAPDU(ins: 0xA4, p1: 4, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256))
        #expect([.success, .fileNotFound].contains(response.status))
    }

    /// USB CCID 1.1, 6.2.6: the lowest two bits of the slot status.
    @Test("the slot is looked at between transactions") func looks() async throws {
        #expect(try await !EmulatedGemPCTwin(nil, card: ConsentingCard()).reader().isEmpty())
        #expect(try await EmulatedGemPCTwin(nil, card: nil).reader().isEmpty())
    }

    @Test("Without the APDU level a command has one length") func levelOfT0() async throws {
        let emulator = EmulatedGemPCTwin(.hasNoAPDULevel, card: ConsentingCard())
        let channel = try await emulator.reader().powerOn()
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10)).data == [0, 0x10, 0, 0, 0])
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10, expectedLength: 256)).data == [0, 0x10, 0, 0, 0])
        #expect(
            try await channel.transmit(CommandAPDU(ins: 0x10, data: [1, 2], expectedLength: 256)).data == [
                0, 0x10, 0, 0, 2, 1, 2,
            ])
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10, data: [1, 2])).data == [0, 0x10, 0, 0, 2, 1, 2])
    }

    @Test(
        "failures of reader and card become errors with a cure",
        arguments: [
            (EmulatedGemPCTwin.Misbehavior.refuses(99), .driver(DeviceError.rejected(.repeatedly(3)))),
            (.damages, .driver(DeviceError.malformed(.gemPCMessage, .damaged))),
            (.silent, .driver(DeviceError.timedOut)),
            (.asksForEver, .driver(DeviceError.timedOut)), (.mute, .cardMute), (.badReset, .answerToReset(.truncated)),
        ] as [(EmulatedGemPCTwin.Misbehavior, ReaderFailure)]) func failures(
            _ misbehavior: EmulatedGemPCTwin.Misbehavior, _ expected: ReaderFailure
        )
        async throws
    {
        let reader = try EmulatedGemPCTwin(misbehavior, card: ConsentingCard()).reader()
        await #expect(throws: CaptureError.readerFailed(expected)) { _ = try await reader.powerOn() }
    }

    @Test("A channel of an earlier activation reaches no later one") func activations() async throws {
        let reader = try EmulatedGemPCTwin(nil, card: ConsentingCard()).reader()
        let first = try await reader.powerOn()
        let second = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await first.transmit(CommandAPDU(ins: 0x10)) }
        _ = try await second.transmit(CommandAPDU(ins: 0x10))
        await reader.powerOff()
        await #expect(throws: CardChannelError.cardRemoved) { try await second.transmit(CommandAPDU(ins: 0x10)) }
    }

    @Test("a removed card is reported as removed") func removal() async throws {
        let emulator = EmulatedGemPCTwin(.removesCard, card: ConsentingCard())
        let reader = try emulator.reader()
        let events = reader.events.stream()
        let channel = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(CommandAPDU(ins: 0x10)) }
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received == [.connected, .cardRemoved(.contact)])
    }

    @Test("an unplugged reader is reported as disconnected", arguments: 1...4)
    func unplugged(_ step: Int) async throws {
        let emulator = EmulatedGemPCTwin(.unplugs(step), card: ConsentingCard())
        let reader = try emulator.reader()
        var failure = ""
        do {
            _ = try await reader.powerOn().transmit(CommandAPDU(ins: 0x10))
        } catch {
            failure = "\(error)"
        }
        #expect(failure.contains("disconnected"))
        #expect(try await reader.powerOn().transmit(CommandAPDU(ins: 0x10)).status == .success)
        #expect(emulator.port.connections == 2)
    }

    @Test func goneBetweenTwoCommands() async throws {
        let emulator = EmulatedGemPCTwin(nil, card: ConsentingCard())
        let reader = try emulator.reader()
        _ = try await reader.powerOn()
        emulator.port.hangUp()
        _ = try await reader.powerOn()
        #expect(emulator.port.connections == 2)
    }

    @Test(
        "Cancelled in the middle of a command to the card: its answer comes late, and is not taken for the next command's"
    )
    func cancelledExchange() async throws {
        let emulator = EmulatedGemPCTwin(.answersLate, card: ConsentingCard())
        let channel = try await emulator.reader().powerOn()
        emulator.state.withLock { $0.isAsked = false }
        let task = Task { try await channel.transmit(CommandAPDU(ins: 0x11)) }
        while !emulator.state.withLock({ $0.isAsked }) { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await #expect(throws: CardChannelError.cancelled) { try await task.value }
        #expect(try await channel.transmit(CommandAPDU(ins: 0x22)).data == [0, 0x22, 0, 0])
        #expect(emulator.port.connections == 1)
    }

    /// The slot is empty: it waits until a card comes, and can be cancelled again and again.
    @Test func waitsForACard() async throws {
        let emulator = EmulatedGemPCTwin(nil, card: nil)
        let reader = try emulator.reader()
        for _ in 0..<3 {
            let task = Task { try await reader.powerOn() }
            while !emulator.state.withLock({ $0.isAsked }) { try await Task.sleep(for: .milliseconds(1)) }
            emulator.state.withLock { $0.isAsked = false }
            task.cancel()
            await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        }
        #expect(emulator.port.connections == 1)
    }
}

extension EmulatedGemPCTwin {
    fileprivate func reader() throws -> GemPCTwinReader {
        try GemPCTwinReader(name: "Twin", timeout: isSilent ? .milliseconds(40) : .seconds(20)) {
            [port] cancel throws(DeviceError) in try port.open(cancel)
        }
    }
}
