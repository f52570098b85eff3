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

@Suite(.serialized, .timeLimit(.minutes(1))) struct GemPCTwinTests {
    private func decode(_ text: String) throws -> [GemPCDecoder.Event] {
        var decoder = GemPCDecoder()
        return try [UInt8](hex: text).compactMap { decoder.take($0) }
    }

    @Test("CCID 1.1, 6.1.1, put together by hand: IccPowerOn with sequence number 7; 03 ^ 06 ^ 62 ^ 07 = 60") func frames() throws {
        let message = GemPCMessage(type: 0x62, sequence: 7)
        #expect(GemPCFrame.encode(message.bytes) == (try [UInt8](hex: "0306 62000000000007000000 60")))
        #expect(try decode("0306 62000000000007000000 60") == [.message(message.bytes)])
        let answer = try [UInt8](hex: "80020000000007000000 3B00")
        #expect(GemPCMessage(answer) == GemPCMessage(type: 0x80, sequence: 7, data: [0x3B, 0x00]))
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
        arguments: [Emulator.Misbehavior?.none, .refuses(2), .asksForTime, .stale, .dribbles])
    func exchange(_ misbehavior: Emulator.Misbehavior?) async throws {
        let emulator = Emulator(misbehavior, card: VirtualCard(try PersonalizedCard.make(.visaStyle())))
        let channel = try await emulator.reader().powerOn()
        let response = try await channel.transmit(CommandAPDU(ins: 0xA4, p1: 4, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256))
        #expect([.success, .fileNotFound].contains(response.status))
    }

    /// USB CCID 1.1, 6.2.6: the lowest two bits of the slot status.
    @Test("the slot is looked at between transactions") func looks() async throws {
        #expect(try await !Emulator(nil, card: ConsentingCard()).reader().isEmpty())
        #expect(try await Emulator(nil, card: nil).reader().isEmpty())
    }

    @Test("Without the APDU level a command has one length") func levelOfT0() async throws {
        let emulator = Emulator(.hasNoAPDULevel, card: ConsentingCard())
        let channel = try await emulator.reader().powerOn()
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10)).data == [0, 0x10, 0, 0, 0])
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10, expectedLength: 256)).data == [0, 0x10, 0, 0, 0])
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10, data: [1, 2], expectedLength: 256)).data == [0, 0x10, 0, 0, 2, 1, 2])
        #expect(try await channel.transmit(CommandAPDU(ins: 0x10, data: [1, 2])).data == [0, 0x10, 0, 0, 2, 1, 2])
    }

    @Test(
        "failures of reader and card become errors with a cure",
        arguments: [
            (Emulator.Misbehavior.refuses(99), .driver(DeviceError.rejected(.repeatedly(3)))),
            (.damages, .driver(DeviceError.malformed(.gemPCMessage, .damaged))), (.silent, .driver(DeviceError.timedOut)),
            (.asksForEver, .driver(DeviceError.timedOut)), (.mute, .cardMute), (.badReset, .answerToReset(.truncated)),
        ] as [(Emulator.Misbehavior, ReaderFailure)]) func failures(_ misbehavior: Emulator.Misbehavior, _ expected: ReaderFailure)
        async throws
    {
        let reader = try Emulator(misbehavior, card: ConsentingCard()).reader()
        await #expect(throws: CaptureError.readerFailed(expected)) { _ = try await reader.powerOn() }
    }

    @Test("A channel of an earlier activation reaches no later one") func activations() async throws {
        let reader = try Emulator(nil, card: ConsentingCard()).reader()
        let first = try await reader.powerOn()
        let second = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await first.transmit(CommandAPDU(ins: 0x10)) }
        _ = try await second.transmit(CommandAPDU(ins: 0x10))
        await reader.powerOff()
        await #expect(throws: CardChannelError.cardRemoved) { try await second.transmit(CommandAPDU(ins: 0x10)) }
    }

    @Test("a removed card is reported as removed") func removal() async throws {
        let emulator = Emulator(.removesCard, card: ConsentingCard())
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
        let emulator = Emulator(.unplugs(step), card: ConsentingCard())
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
        let emulator = Emulator(nil, card: ConsentingCard())
        let reader = try emulator.reader()
        _ = try await reader.powerOn()
        emulator.port.hangUp()
        _ = try await reader.powerOn()
        #expect(emulator.port.connections == 2)
    }

    @Test("Cancelled in the middle of a command to the card: its answer comes late, and is not taken for the next command's")
    func cancelledExchange() async throws {
        let emulator = Emulator(.answersLate, card: ConsentingCard())
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
        let emulator = Emulator(nil, card: nil)
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

    /// The reader's side of the line, with a framing of its own.
    final class Emulator: Sendable {
        enum Misbehavior: Sendable, Equatable {
            case refuses(Int)
            case asksForTime
            case asksForEver
            case stale
            case dribbles
            case damages
            case silent
            case mute
            case badReset
            case hasNoAPDULevel
            case removesCard
            case unplugs(Int)
            /// The first exchange is answered when the second has come.
            case answersLate
        }

        struct State {
            var refused = 0
            var answered = 0
            var isAsked = false
            var owed: [UInt8] = []
        }

        let state = Mutex(State())
        let port: EmulatedPort
        private let misbehavior: Misbehavior?
        private let card: (any CardChannel)?

        init(_ misbehavior: Misbehavior?, card: (any CardChannel)?) {
            self.misbehavior = misbehavior
            self.card = card
            let device = Mutex<Emulator?>(nil)
            port = EmulatedPort { line in device.withLock { $0 }?.live(line) }
            device.withLock { $0 = self }
        }

        func reader() throws -> GemPCTwinReader {
            try GemPCTwinReader(name: "Twin", timeout: misbehavior == .silent ? .milliseconds(40) : .seconds(20)) {
                [port] cancel throws(DeviceError) in try port.open(cancel)
            }
        }

        private func live(_ line: DeviceLine) {
            while let head = line.bytes(12) {
                let length = Int(head[3]) | Int(head[4]) << 8
                guard let rest = line.bytes(length + 1) else { return }
                precondition((head + rest).reduce(0, ^) == 0, "the driver's check is wrong")
                if misbehavior == .silent { continue }
                if case .refuses(let times) = misbehavior {
                    let isRefused = state.withLock { state in
                        state.refused += 1
                        return state.refused <= times
                    }
                    if isRefused {
                        line.write([0x03, 0x15, 0x16])
                        continue
                    }
                }
                send(head + rest, line)
                handle(head[2], sequence: head[8], data: Array(rest.dropLast()), line: line)
            }
        }

        private func handle(_ type: UInt8, sequence: UInt8, data: [UInt8], line: DeviceLine) {
            let number = state.withLock { state in
                state.answered += 1
                return state.answered
            }
            if misbehavior == .unplugs(number) { return line.unplug() }
            if misbehavior == .stale { answer(0x80, sequence: sequence &- 1, specific: [0, 0, 0], data: [0x6F, 0x00], line: line) }
            switch type {
            case 0x6B:
                answer(
                    0x83, sequence: sequence, specific: misbehavior == .hasNoAPDULevel ? [0x40, 0, 0] : [0, 0, 0], data: [], line: line)
            case 0x65:
                answer(0x81, sequence: sequence, specific: [card == nil ? 2 : 1, 0, 0], data: [], line: line)
                state.withLock { $0.isAsked = true }
            case 0x62:
                if misbehavior == .mute { return answer(0x80, sequence: sequence, specific: [0x41, 0xFE, 0], data: [], line: line) }
                answer(0x80, sequence: sequence, specific: [0, 0, 0], data: misbehavior == .badReset ? [0x3B] : [0x3B, 0x00], line: line)
            case 0x6F:
                if misbehavior == .answersLate {
                    let late = state.withLock { state in
                        state.isAsked = true
                        defer { if state.owed.isEmpty { state.owed = [sequence] + data } }
                        return state.owed
                    }
                    guard let number = late.first else { return }
                    answer(0x80, sequence: number, specific: [0, 0, 0], data: late.dropFirst() + [0x90, 0x00], line: line)
                }
                if misbehavior == .removesCard { return line.write([0x50, 0x02]) }
                guard let card, let command = CommandAPDU(data), let response = blocking({ try? await card.transmit(command) }) else {
                    return
                }
                // What the card was sent, for the echoing one.
                let bytes = card is ConsentingCard ? data + [0x90, 0x00] : (response?.bytes ?? [])
                answer(0x80, sequence: sequence, specific: [0, 0, 0], data: bytes, line: line)
            default: answer(0x81, sequence: sequence, specific: [1, 0, 0], data: [], line: line)
            }
        }

        private func answer(_ type: UInt8, sequence: UInt8, specific: [UInt8], data: [UInt8], line: DeviceLine) {
            if misbehavior == .asksForTime || misbehavior == .asksForEver {
                for _ in 0..<(misbehavior == .asksForTime ? 3 : 200) {
                    line.write([0x90])
                    send(Self.frame([type, 0, 0, 0, 0, 0, sequence, 0x80, 1, 0]), line)
                }
            }
            let header = [type, UInt8(data.count & 0xFF), UInt8(data.count >> 8), 0, 0, 0, sequence] + specific
            var frame = Self.frame(header + data)
            if misbehavior == .damages { frame[frame.count - 1] ^= 0x40 }
            send(frame, line)
        }

        private func send(_ frame: [UInt8], _ line: DeviceLine) {
            if misbehavior == .dribbles { for byte in frame { line.write([byte]) } } else { line.write(frame) }
        }

        private static func frame(_ message: [UInt8]) -> [UInt8] {
            var check: UInt8 = 0x05
            for byte in message { check ^= byte }
            return [0x03, 0x06] + message + [check]
        }
    }
}
