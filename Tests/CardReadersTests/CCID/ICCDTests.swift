import Bytes
import CardModels
import DeviceIO
import SmartCard
import Synchronization
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

/// A card that is a USB device itself (USB ICCD 1.0), both versions of its control transfers,
/// written from the specification.
private final class EmulatedICCD: USBTransport {
    struct Fault: Sendable {
        /// How often it is busy before each answer.
        var polls = 0
        /// From this request on, counted from 0, it is gone.
        var unplugAt: Int?
        var refuses: Set<UInt8> = []
        /// Of version B: error instead of data.
        var error: UInt8?
        var isMute = false
    }

    /// What passed, and what goes wrong; shared with the test.
    final class Wire: Sendable {
        let requests = Mutex<[String]>([])
        let fault = Mutex(Fault())
        let polls = Mutex(0)
    }

    let name = "emulated ICCD"
    let descriptors: USBDescriptors
    private let version: UInt8
    private let room: Int
    private let card: any CardChannel
    private let wire: Wire
    private var isPowered = false
    private var command: [UInt8] = []
    private var answer: ArraySlice<UInt8> = []
    private var part: [UInt8] = []

    init(_ version: UInt8, level: UInt32, largestMessage: Int, _ card: any CardChannel, _ wire: Wire)
        throws(DeviceError)
    {
        self.version = version
        room = largestMessage - 10
        self.card = card
        self.wire = wire
        var shape = EmulatedReader.Shape()
        shape.level = EmulatedReader.Shape.Level(rawValue: level) ?? .extended
        shape.features = 0x840
        shape.largestMessage = UInt32(largestMessage)
        let device: [UInt8] = [18, 1, 0, 2, 0, 0, 0, 64, 0xEB, 0x03, 0x09, 0x60, 0x57, 0x01, 1, 2, 0, 1]
        let configuration: [UInt8] = [9, 2, 72, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 0, 0x0B, 0, version, 0]
        descriptors = try USBDescriptors(parsing: device + configuration + EmulatedReader(shape).classDescriptor)
    }

    func claim(interface: UInt8) throws(DeviceError) {}
    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { throw .stalled }
    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        throw .stalled
    }
    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) { throw .stalled }
    func heard() throws(DeviceError) -> [UInt8]? { nil }
    func clearHalt(endpoint: UInt8) throws(DeviceError) {}
    var readiness: Int32 { -1 }

    private func begin(_ request: USBRequest, _ direction: String) throws(DeviceError) -> Fault {
        let count = wire.requests.withLock { requests in
            requests.append("\(direction)\(request.request.hex) \(request.value.hex)")
            return requests.count
        }
        let fault = wire.fault.withLock { $0 }
        if let gone = fault.unplugAt, count > gone { throw .disconnected }
        if fault.refuses.contains(request.request) { throw .stalled }
        return fault
    }

    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        _ = try begin(request, ">")
        switch request.request {
        case 0x62 where version == 2:
            isPowered = true
            part = [0x00] + EmulatedCard.t1
        case 0x63: isPowered = false
        case 0x65:
            guard isPowered else { throw .stalled }
            transfer(bytes, version == 2 ? request.value >> 8 : 0)
        default: throw .stalled
        }
        wire.polls.withLock { $0 = 0 }
    }

    private func transfer(_ bytes: [UInt8], _ level: UInt16) {
        switch level {
        case 1, 3:
            command += bytes
            part = [0x10]
        case 0x10: deliver(isFirst: false)
        default:
            let whole = command + bytes
            command = []
            let card = card
            answer =
                EmulatedReader.waiting {
                    (try? await card.transmit(CommandAPDU(whole) ?? CommandAPDU(ins: 0)).bytes) ?? [0x6F, 0]
                }[...]
            deliver(isFirst: true)
        }
    }

    private func deliver(isFirst: Bool) {
        guard version == 2 else { return part = Array(answer) }
        let bytes = Array(answer.prefix(room))
        answer = answer.dropFirst(bytes.count)
        part = [isFirst ? (answer.isEmpty ? 0 : 1) : (answer.isEmpty ? 2 : 3)] + bytes
    }

    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        let fault = try begin(request, "<")
        func isBusy() -> Bool {
            wire.polls.withLock { polls in
                polls += 1
                return polls <= fault.polls
            }
        }
        switch (request.request, version) {
        case (0x62, 1):
            isPowered = true
            return Array(EmulatedCard.t1.prefix(Int(count)))
        case (0xA0, 1): return [fault.isMute ? 0x80 : isBusy() ? 0x40 : 0x00]
        case (0x81, 2): return [isPowered ? 0 : 1, 0, 0]
        case (0x6F, 2) where isBusy(): return [0x80, 0, 0]
        case (0x6F, 2):
            if let error = fault.error { return [0x40, 0x40, error] }
            return Array(part.prefix(Int(count)))
        case (0x6F, 1): return Array(part.prefix(Int(count)))
        default: throw .stalled
        }
    }
}

@Suite(.serialized) struct ICCDTests {
    private static let command = CommandAPDU(ins: 0xDA, data: [1, 2, 3], expectedLength: 256)

    private func slot(
        _ version: UInt8, _ wire: EmulatedICCD.Wire, level: UInt32 = 0x40000, largestMessage: Int = 271,
        _ card: any CardChannel = EchoCard()
    ) async throws -> CCIDSlot {
        let reader = try CCIDReader(name: "emulated ICCD") { _ throws(DeviceError) in
            try EmulatedICCD(version, level: level, largestMessage: largestMessage, card, wire)
        }
        return try #require(try await reader.open().first)
    }

    /// The requests of a command, in their order: off, status, ATR; transfer, status, data (version
    /// A); off, on, data; transfer, data (version B).
    @Test(
        "the control requests of a command have the right order",
        arguments: [
            (1, [">63 0000", "<A0 0000", "<62 0000", ">65 0000", "<A0 0000", "<6F 0000"]),
            (2, [">63 0000", ">62 0001", "<6F 0000", ">65 0000", "<6F 0000"]),
        ] as [(UInt8, [String])])
    func requests(_ version: UInt8, _ expected: [String]) async throws {
        let wire = EmulatedICCD.Wire()
        let slot = try await slot(version, wire)
        wire.requests.withLock { $0 = [] }
        let channel = try await slot.activate()
        #expect(channel.answerToReset == EmulatedCard.t1)
        #expect(try await channel.transmit(Self.command) == ResponseAPDU([1, 2, 3]))
        #expect(wire.requests.withLock { $0 } == expected)
    }

    @Test("Whole sales, with a card that is busy before each answer", arguments: [1, 2] as [UInt8], [0, 1])
    func sale(_ version: UInt8, _ polls: Int) async throws {
        let bench = try SaleBench.shared.get()
        let wire = EmulatedICCD.Wire()
        wire.fault.withLock { $0.polls = polls }
        let slot = try await slot(version, wire, bench.fresh())
        #expect(try await bench.sell(slot).decision == .approvedOnline)
    }

    @Test("Version B takes long commands and answers in parts") func chaining() async throws {
        let wire = EmulatedICCD.Wire()
        let channel = try await slot(2, wire).activate()
        let data = (0..<1000).map { UInt8($0 & 0xFF) }
        let long = CommandAPDU(ins: 0xDA, data: data, expectedLength: 65536)
        wire.requests.withLock { $0 = [] }
        #expect(try await channel.transmit(long) == ResponseAPDU(data))
        let levels = wire.requests.withLock { $0 }.filter { $0.hasPrefix(">65") }.map { String($0.suffix(4)) }
        #expect(levels == ["0100", "0300", "0300", "0200", "1000", "1000", "1000"])
    }

    @Test("failures of an ICCD card become errors") func failures() async throws {
        let wire = EmulatedICCD.Wire()
        let second = try await slot(2, wire)
        var channel = try await second.activate()
        wire.fault.withLock { $0.error = 0xFE }
        await #expect(throws: CardChannelError.timedOut) { _ = try await channel.transmit(Self.command) }
        wire.fault.withLock { $0 = EmulatedICCD.Fault(refuses: [0x65]) }
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await channel.transmit(Self.command) }
        wire.fault.withLock { $0 = EmulatedICCD.Fault() }
        channel = try await second.activate()
        #expect(try await channel.transmit(Self.command) == ResponseAPDU([1, 2, 3]))

        let other = EmulatedICCD.Wire()
        let first = try await slot(1, other)
        let gone = try await first.activate()
        other.fault.withLock { $0.isMute = true }
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await gone.transmit(Self.command) }
        #expect(try await !first.isCardPresent)
    }

    @Test(arguments: [1, 2] as [UInt8])
    func unpluggedAtEveryRequest(_ version: UInt8) async throws {
        for request in 0..<10 {
            let wire = EmulatedICCD.Wire()
            wire.fault.withLock { $0.unplugAt = request }
            do {
                let channel = try await slot(version, wire).activate()
                for _ in 0..<5 { _ = try await channel.transmit(Self.command) }
                Issue.record("request \(request) went through")
            } catch {
                #expect("\(error)".contains("disconnected"), "request \(request)")
            }
        }
    }

    @Test(
        "A card that is busy without end can be cancelled, and is switched off so that it is ready again",
        arguments: [1, 2] as [UInt8])
    func cancelled(_ version: UInt8) async throws {
        let wire = EmulatedICCD.Wire()
        let slot = try await slot(version, wire)
        let channel = try await slot.activate()
        wire.fault.withLock { $0.polls = .max }
        let task = Task { try await channel.transmit(Self.command) }
        while wire.polls.withLock({ $0 }) < 3 { await Task.yield() }
        task.cancel()
        await #expect(throws: CardChannelError.cancelled) { _ = try await task.value }
        #expect(wire.requests.withLock { $0.last } == ">63 0000")
        wire.fault.withLock { $0.polls = 0 }
        let again = try await slot.activate()
        #expect(try await again.transmit(Self.command) == ResponseAPDU([1, 2, 3]))
    }
}
