import Foundation
import Testing

@testable import DeviceIO

/// `ttyACM0` is a USB device that sends back what it is sent, `ttyUSB0` and `ttyS1` are joined by a
/// null modem cable.
@Suite(.serialized, .enabled(if: RealDevices.serial.areSetUp), .timeLimit(.minutes(20))) struct SerialDeviceTests {
    private static let echoing = "/dev/ttyACM0"
    private static let cable = ["/dev/ttyUSB0", "/dev/ttyS1"]

    private func open(_ path: String, _ line: SerialLine = SerialLine(rate: 115_200)) throws -> OnDeviceThread<
        SerialPort
    > {
        try OnDeviceThread { cancel throws(DeviceError) in try SerialPort(path: path, line: line, cancel: cancel) }
    }

    /// No pattern that a lost or doubled block would leave as it is.
    private func bytes(_ count: Int, seed: UInt32) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }

    private func send(_ bytes: [UInt8], _ port: OnDeviceThread<SerialPort>) async throws {
        try await port.perform { transport throws(DeviceError) in try transport.write(bytes, by: .after(.seconds(30))) }
    }

    private func receive(_ count: Int, _ port: OnDeviceThread<SerialPort>) async throws -> [UInt8] {
        try await port.perform { transport throws(DeviceError) in
            try transport.read(exactly: count, by: .after(.seconds(30)))
        }
    }

    @Test func echoOf64KiB() async throws {
        let port = try open(Self.echoing)
        let sent = bytes(65536, seed: 1)
        try await send(sent, port)
        let received = try await receive(sent.count, port)
        #expect(received == sent)
    }

    /// In blocks, each waited for: QEMU's adapter throws away what the other end has not yet taken.
    @Test(arguments: [(0, 1), (1, 0)])
    func cableOf64KiB(_ from: Int, _ to: Int) async throws {
        let (sender, receiver) = (try open(Self.cable[from]), try open(Self.cable[to]))
        let sent = bytes(65536, seed: UInt32(from))
        for start in stride(from: 0, to: sent.count, by: 2048) {
            let block = Array(sent[start..<(start + 2048)])
            async let sending: Void = send(block, sender)
            let received = try await receive(block.count, receiver)
            try await sending
            try #require(received == block, "the block at \(start)")
        }
    }

    /// What arrives at the device: SET_LINE_CODING of CDC PSTN 1.2, 6.3.10: rate, stop bits (0:
    /// one, 2: two), parity (1: odd, 2: even), data bits.
    @Test(arguments: [
        (SerialLine(rate: 10753), "line 10753 0 0 8"), (SerialLine(rate: 115_200, parity: .even), "line 115200 0 2 8"),
        (SerialLine(rate: 12_345, parity: .odd, stopBits: 2), "line 12345 2 1 8"),
    ])
    func settingsReachTheDevice(_ line: SerialLine, _ expected: String) async throws {
        let port = try open(Self.echoing)
        try await port.perform { transport throws(DeviceError) in try transport.configure(line) }
        let device = FarSide("acm")
        try await eventually("the device gets its line settings") {
            try device.said().last { $0.hasPrefix("line ") } == expected
        }
    }

    /// Rates of smart cards and readers that no constant names, as the driver then has them: an
    /// asynchronous line stands 3 %.
    @Test(
        "A rate without a constant is set as the driver says", arguments: cable,
        [9600, 10753, 31250, 115_200] as [UInt32])
    func rates(_ path: String, _ rate: UInt32) async throws {
        let port = try open(path, SerialLine(rate: 9600))
        try await port.perform { transport throws(DeviceError) in try transport.configure(SerialLine(rate: rate)) }
        let actual = try #require(Self.outputRate(path))
        #expect(abs(Int(actual) - Int(rate)) * 100 <= Int(rate) * 3, "\(actual)")
    }

    /// c_ospeed of `struct termios2`, TCGETS2 of Linux (asm-generic/termbits.h).
    private static func outputRate(_ path: String) -> UInt32? {
        let other = TestDescriptor(unsafe Foundation.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY))
        var settings = [UInt32](repeating: 0, count: 11)
        return unsafe ioctl(other.descriptor, 0x802C_542A, &settings) == 0 ? settings[10] : nil
    }

    /// A 16550 at 1.8432 MHz ends at 115200.
    @Test func rateThatThePortCannotDo() async throws {
        #expect(throws: DeviceError.rejected(.serialRate(921600))) {
            try open("/dev/ttyS1", SerialLine(rate: 921_600))
        }
    }

    @Test("The device's DSR follows DTR, its carrier RTS") func modemLines() async throws {
        let port = try open(Self.echoing)
        for (on, expected) in [
            ([.dataTerminalReady], [.dataSetReady]), ([.requestToSend], [.carrierDetect]),
            ([.dataTerminalReady, .requestToSend], [.dataSetReady, .carrierDetect]), ([], []),
        ] as [(ModemLines, ModemLines)] {
            let off = ModemLines([.dataTerminalReady, .requestToSend]).subtracting(on)
            try await port.perform { transport throws(DeviceError) in try transport.setModemLines(on: on, off: off) }
            try await eventually("\(on.rawValue) → \(expected.rawValue)") {
                let lines = try await port.perform { transport throws(DeviceError) in try transport.modemLines }
                return lines.intersection([.dataSetReady, .carrierDetect]) == expected
                    && lines.intersection([.dataTerminalReady, .requestToSend]) == on
            }
        }
    }

    @Test func linesOfTheAdapter() async throws {
        let port = try open(Self.cable[0])
        for on in [[], [.dataTerminalReady], [.requestToSend]] as [ModemLines] {
            let off = ModemLines([.dataTerminalReady, .requestToSend]).subtracting(on)
            try await port.perform { transport throws(DeviceError) in try transport.setModemLines(on: on, off: off) }
            let lines = try await port.perform { transport throws(DeviceError) in try transport.modemLines }
            #expect(lines.intersection([.dataTerminalReady, .requestToSend]) == on)
        }
    }

    /// Programs of this library are kept away by the lock and learn who has the port, others by the
    /// claim on the tty (root excepted).
    @Test(arguments: [echoing] + cable)
    func oneProgramOnly(_ path: String) async throws {
        do {
            let port = try open(path)
            #expect(throws: DeviceError.busy(path, holder: nil)) { try open(path) }
            #expect(try opensAsNobody(path) != 0)
            try await send([1], port)
        }
        // Root may open it all the same, a user may as soon as it is let go.
        try await eventually("the port is let go") { try opensAsNobody(path) == 0 }

        let (program, input, output) = (Process(), Pipe(), Pipe())
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", "exec 9<>\"$0\"; flock -n 9 && echo ready; read -r line", path]
        program.standardInput = input
        program.standardOutput = output
        try program.run()
        #expect(output.fileHandleForReading.readData(ofLength: 6) == Data("ready\n".utf8))
        #expect(throws: DeviceError.busy(path, holder: "sh (process \(program.processIdentifier))")) { try open(path) }
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
        _ = try open(path)
    }

    private func opensAsNobody(_ path: String) throws -> Int32 {
        try run("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c", ": <>\(path)")
    }

    @Test(arguments: [echoing] + cable)
    func deadlineAndCancellation(_ path: String) async throws {
        let port = try open(path)
        try await port.perform { transport throws(DeviceError) in try transport.drain() }
        await #expect(throws: DeviceError.timedOut) {
            try await port.perform { transport throws(DeviceError) in
                try transport.read(atMost: 1, by: .after(.milliseconds(50)))
            }
        }
        let waiting = Task {
            try await port.cancellable { transport throws(DeviceError) in try transport.read(atMost: 1, by: .never) }
        }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: DeviceError.cancelled) { try await waiting.value }
        // What was cancelled leaves nothing behind.
        try await send([7], port)
    }

    /// The port sends slowly and holds only so much: a write that waits for room ends too, and
    /// leaves nothing to be sent, which closing would wait for.
    @Test("A write that waits for room ends when it is cancelled") func cancelledWrite() async throws {
        let port = try open(Self.cable[1], SerialLine(rate: 1200))
        let writing = Task {
            try await port.cancellable { transport throws(DeviceError) in
                try transport.write([UInt8](repeating: 0x55, count: 1 << 20), by: .never)
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        writing.cancel()
        await #expect(throws: DeviceError.cancelled) { try await writing.value }
        // TIOCOUTQ, ioctl_tty(2).
        var unsent: CInt = -1
        let other = TestDescriptor(unsafe Foundation.open(Self.cable[1], O_RDONLY | O_NONBLOCK | O_NOCTTY))
        #expect(unsafe ioctl(other.descriptor, 0x5411, &unsent) == 0)
        #expect(unsent == 0)
    }

    @Test(arguments: [("acm", echoing), ("usb", cable[0])])
    func unpluggedDuringARead(_ name: String, _ path: String) async throws {
        let device = FarSide(name)
        for _ in 0..<3 {
            try await unplug(device, path)
            try await eventually("\(path) goes") { !FileManager.default.fileExists(atPath: path) }
            #expect(throws: DeviceError.notFound(path)) { try open(path) }
            try device.tell("plug")
            try await eventually("\(path) is back") { FileManager.default.fileExists(atPath: path) }
        }
        let port = try open(path)
        try await send([1], port)
    }

    /// The port is let go at the end: as long as it is open the kernel gives its number to no other
    /// device.
    private func unplug(_ device: FarSide, _ path: String) async throws {
        let port = try open(path)
        try await port.perform { transport throws(DeviceError) in try transport.drain() }
        let reading = Task { try await receive(1, port) }
        try await Task.sleep(for: .milliseconds(100))
        try device.tell("unplug")
        await #expect(throws: DeviceError.disconnected) { try await reading.value }
        await #expect(throws: DeviceError.disconnected) { try await send([1], port) }
    }
}
