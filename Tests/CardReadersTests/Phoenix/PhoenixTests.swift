import Bytes
import DeviceIO
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized, .timeLimit(.minutes(20))) struct PhoenixTests {
    /// ISO/IEC 7816-3, 8.1: TS of the inverse convention is (H)LHHLLLLLLH, which is 3F to the card
    /// and 03 to a port; that of the direct one is 3B to both.
    @Test("both conventions are recognized") func convention() {
        #expect(InverseConvention.convert(0x03) == 0x3F)
        for byte in 0...255 as ClosedRange<UInt8> {
            let bits = (0..<8).map { byte >> $0 & 1 }
            let expected = bits.reduce(UInt8(0)) { $0 << 1 | (1 - $1) }
            #expect(InverseConvention.convert(byte) == expected)
            #expect(InverseConvention.convert(expected) == byte)
        }
    }

    @Test("a command is sent and answered through the reader", arguments: [false, true], [false, true])
    func exchange(isInverse: Bool, oneByOne: Bool) async throws {
        let device = PhoenixDevice(isInverse: isInverse, oneByOne: oneByOne)
        let channel = try await device.reader().powerOn()
        // SELECT: 61 05, then GET RESPONSE.
        let selected = try await channel.transmit(
            CommandAPDU(ins: 0xA4, p1: 4, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256))
        #expect(selected == ResponseAPDU([1, 2, 3, 4, 5]))
        // READ RECORD with the length not known: 6C 05, then the right one.
        #expect(
            try await channel.transmit(CommandAPDU(ins: 0xB2, p1: 1, p2: 12, expectedLength: 256))
                == ResponseAPDU([1, 2, 3, 4, 5]))
        #expect(device.state.withLock { $0.selected } == Array("1PAY.SYS.DDF01".utf8))
        #expect(device.state.withLock { $0.parity } == (isInverse ? .odd : .even))
        #expect(device.state.withLock { $0.resets } == 1)
    }

    @Test(
        "failures of reader and card become errors with a cure",
        arguments: [
            (.mute, .cardMute), (.noEcho, .driver(DeviceError.malformed(.echo, .differs))), (.t1, .initialRateRequired),
            (.noise, .answerToReset(.initialCharacter(0x55))), (.shortReset, .answerToReset(.truncated)),
        ] as [(PhoenixDevice.Fault, ReaderFailure)]) func failures(
            _ fault: PhoenixDevice.Fault, _ expected: ReaderFailure
        ) async throws
    {
        let reader = try PhoenixDevice(fault: fault).reader()
        var failure: ReaderFailure?
        do {
            _ = try await reader.powerOn().transmit(CommandAPDU(ins: 0xB2, expectedLength: 5))
        } catch CaptureError.readerFailed(let reason) {
            failure = reason
        } catch CardChannelError.readerFailed(let reason) {
            failure = reason
        }
        #expect(failure == expected)
    }

    @Test("a removed card is reported as removed") func removal() async throws {
        let device = PhoenixDevice()
        let channel = try await device.reader().powerOn()
        device.state.withLock { $0.hasCard = false }
        await #expect(throws: CardChannelError.cardRemoved) {
            try await channel.transmit(CommandAPDU(ins: 0xB2, expectedLength: 5))
        }
    }

    @Test(
        "A card that breaks the protocol or falls silent is an error",
        arguments: [PhoenixDevice.Fault.badProcedure, .silence])
    func brokenCard(_ fault: PhoenixDevice.Fault) async throws {
        let channel = try await PhoenixDevice(fault: fault).reader().powerOn()
        await #expect(throws: CardChannelError.self) {
            try await channel.transmit(CommandAPDU(ins: 0xB2, expectedLength: 5))
        }
    }

    @Test func waitsForACard() async throws {
        let device = PhoenixDevice()
        device.state.withLock { $0.hasCard = false }
        let reader = try device.reader()
        let task = Task { try await reader.powerOn() }
        while !device.state.withLock({ $0.isAsked }) { try await Task.sleep(for: .milliseconds(1)) }
        device.state.withLock { $0.hasCard = true }
        _ = try await task.value
        #expect(device.state.withLock { $0.resets } == 1)
    }

    /// A command has one deadline, even if the card asks for more time; afterwards only a reset
    /// brings the card back.
    @Test func oneDeadlineForACommand() async throws {
        let reader = try PhoenixDevice().reader(commandTimeout: .zero)
        let channel = try await reader.powerOn()
        let command = CommandAPDU(ins: 0xB2, expectedLength: 5)
        await #expect(throws: CardChannelError.timedOut) { try await channel.transmit(command) }
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(command) }
    }

    @Test("A channel of an earlier activation reaches no later one") func activations() async throws {
        let reader = try PhoenixDevice().reader()
        let command = CommandAPDU(ins: 0xB2, expectedLength: 5)
        let first = try await reader.powerOn()
        let second = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await first.transmit(command) }
        #expect(try await second.transmit(command) == ResponseAPDU([1, 2, 3, 4, 5]))
        await reader.powerOff()
        await #expect(throws: CardChannelError.cardRemoved) { try await second.transmit(command) }
    }

    @Test func oneUseAtATime() async throws {
        let device = PhoenixDevice()
        device.state.withLock { $0.hasCard = false }
        let reader = try device.reader()
        let task = Task { try await reader.powerOn() }
        while !device.state.withLock({ $0.isAsked }) { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: DeviceClaim.captureRefusal) { _ = try await reader.powerOn() }
        device.state.withLock { $0.hasCard = true }
        _ = try await task.value
        await reader.close()
    }

    @Test("an unplugged reader is reported as disconnected") func unplugged() async throws {
        let device = PhoenixDevice()
        let reader = try device.reader()
        let channel = try await reader.powerOn()
        device.state.withLock { $0.isGone = true }
        await #expect(throws: CardChannelError.readerFailed(.driver(DeviceError.disconnected))) {
            try await channel.transmit(CommandAPDU(ins: 0xB2, expectedLength: 5))
        }
        device.state.withLock { $0.isGone = false }
        _ = try await reader.powerOn()
    }

    @Test("the card switch is looked at between transactions") func looks() async throws {
        let device = PhoenixDevice()
        let reader = try device.reader()
        #expect(try await !reader.isEmpty())
        device.state.withLock { $0.hasCard = false }
        #expect(try await reader.isEmpty())
    }
}

/// A reader and a T=0 card in it, as the serial port sees them.
final class PhoenixDevice: Sendable {
    enum Fault: Sendable { case mute, noEcho, t1, noise, shortReset, badProcedure, silence }

    struct State {
        var hasCard = true
        var isGone = false
        var isAsked = false
        var isHeld = false
        var resets = 0
        var parity = SerialLine.Parity.none
        var outgoing: [UInt8] = []
        var header: [UInt8] = []
        var data: [UInt8] = []
        var selected: [UInt8] = []
    }

    let state = Mutex(State())
    fileprivate let isInverse, oneByOne: Bool
    fileprivate let fault: Fault?

    init(isInverse: Bool = false, oneByOne: Bool = false, fault: Fault? = nil) {
        self.isInverse = isInverse
        self.oneByOne = oneByOne
        self.fault = fault
    }

    func reader(commandTimeout: Duration = .seconds(20)) throws -> PhoenixReader {
        try PhoenixReader(name: "Phoenix", timeout: .milliseconds(50), commandTimeout: commandTimeout) {
            _ throws(DeviceError) in
            PhoenixLine(self)
        }
    }

    /// What the card makes of a byte: five of a header, then data as the procedure bytes ask for
    /// them.
    fileprivate func take(_ byte: UInt8, _ state: inout State) {
        guard state.hasCard, fault != .silence else { return }
        if state.header.count < 5 {
            state.header.append(byte)
            guard state.header.count == 5 else { return }
            if fault == .badProcedure { return state.outgoing.append(0x12) }
            state.outgoing += [0x60, 0x60]
            return answer(&state)
        }
        state.data.append(byte)
        if oneByOne || state.data.count == Int(state.header[4]) { answer(&state) }
    }

    private func answer(_ state: inout State) {
        let (instruction, length) = (state.header[1], Int(state.header[4]))
        switch instruction {
        case 0xA4 where state.data.count < length: return state.outgoing.append(oneByOne ? ~instruction : instruction)
        case 0xA4:
            state.selected = state.data
            state.outgoing += [0x61, 0x05]
        case 0xB2 where length != 5: state.outgoing += [0x6C, 0x05]
        case 0xB2, 0xC0:
            let data: [UInt8] = [1, 2, 3, 4, 5]
            state.outgoing += (oneByOne ? data.flatMap { [~instruction, $0] } : [instruction] + data) + [0x90, 0x00]
        default: state.outgoing += [0x6D, 0x00]
        }
        (state.header, state.data) = ([], [])
    }

    fileprivate var answerToReset: [UInt8] {
        switch fault {
        case .mute: []
        case .t1: [0x3B, 0x80, 0x01, 0x81]
        case .noise: [0x55, 0x00]
        case .shortReset: [0x3B, 0x65]
        default: [isInverse ? 0x3F : 0x3B, 0x02, 0x14, 0x50]
        }
    }
}

private final class PhoenixLine: SerialTransport {
    let name = "line"
    let readiness: CInt = -1
    private let device: PhoenixDevice

    init(_ device: PhoenixDevice) { self.device = device }

    /// Independent of the driver's: the levels of the character, least significant bit first for
    /// the port.
    private func level(_ byte: UInt8) -> UInt8 {
        guard device.isInverse else { return byte }
        return (0..<8).reduce(UInt8(0)) { byte & (0x80 >> UInt8($1)) == 0 ? $0 | 1 << UInt8($1) : $0 }
    }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        let isGone = device.state.withLock { state in
            // The echo comes before the card's own bytes.
            state.outgoing += bytes.map { device.fault == .noEcho ? ~level($0) : level($0) }
            for byte in bytes { device.take(level(byte), &state) }
            return state.isGone
        }
        if isGone { throw .disconnected }
    }

    func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        let (bytes, isGone) = device.state.withLock { state in
            let bytes = Array(state.outgoing.prefix(count))
            state.outgoing.removeFirst(bytes.count)
            return (bytes, state.isGone)
        }
        if isGone { throw .disconnected }
        guard !bytes.isEmpty else { throw .timedOut }
        return bytes.map { device.isInverse ? level($0) : $0 }
    }

    func configure(_ line: SerialLine) throws(DeviceError) { device.state.withLock { $0.parity = line.parity } }

    var modemLines: ModemLines {
        get throws(DeviceError) {
            device.state.withLock { state in
                state.isAsked = true
                return state.hasCard ? .clearToSend : []
            }
        }
    }

    func setModemLines(on: ModemLines, off: ModemLines) throws(DeviceError) {
        device.state.withLock { state in
            let isHeld = on.contains(.requestToSend)
            if state.isHeld && !isHeld {
                state.resets += 1
                state.outgoing = device.answerToReset
                state.header = []
            }
            state.isHeld = isHeld
        }
    }

    func discard() throws(DeviceError) { device.state.withLock { $0.outgoing = [] } }
}
