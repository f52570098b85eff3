import Foundation
import Testing

@testable import DeviceIO

@Suite(.timeLimit(.minutes(20))) struct SerialPortTests {
    private func open(_ terminal: PseudoTerminal, _ line: SerialLine = SerialLine(rate: 9600)) throws(DeviceError)
        -> SerialPort
    {
        try SerialPort(path: terminal.path, line: line, cancel: nil)
    }

    @Test func bytesGoThroughAsTheyAre() throws {
        let terminal = try PseudoTerminal()
        let port = try open(terminal)
        let all = (0...255).map { UInt8($0) }
        try port.write(all, by: .never)
        var received: [UInt8] = []
        while received.count < 256 { received += terminal.device.read() }
        #expect(received == all)
        terminal.device.write(all)
        #expect(try port.read(exactly: 256, by: .never) == all)
    }

    /// Linux's numbers, asm-generic/termbits.h. A pseudoterminal takes no parity bit over the line,
    /// but keeps the rest.
    @Test("line settings reach the port") func settings() throws {
        let terminal = try PseudoTerminal()
        let port = try open(terminal, SerialLine(rate: 9600, hangsUp: true))
        var flags = terminal.settings.c_cflag
        #expect(flags & 0o60 == 0o60, "eight data bits")
        #expect(flags & 0o100 == 0, "one stop bit")
        #expect(flags & 0o2000 != 0, "hangs up")
        #expect(flags & 0o4000 != 0, "does not wait for a carrier")
        #expect(terminal.settings.c_lflag == 0, "raw")
        #expect(terminal.settings.c_oflag == 0, "raw")
        try port.configure(SerialLine(rate: 10753, parity: .odd, stopBits: 2))
        flags = terminal.settings.c_cflag
        #expect(flags & 0o100 != 0, "two stop bits")
        #expect(flags & 0o1000 != 0, "odd")
        #expect(flags & 0o2000 == 0, "stays as it is when closed")
        #expect(flags & 0o10017 == 0o10000, "a rate of its own")
    }

    @Test("discarded bytes are not read") func discard() throws {
        let terminal = try PseudoTerminal()
        let port = try open(terminal)
        terminal.device.write([1, 2, 3])
        try port.discard()
        terminal.device.write([4])
        #expect(try port.read(exactly: 1, by: .never) == [4])
    }

    @Test("What arrived before is dropped") func drain() throws {
        let terminal = try PseudoTerminal()
        let port = try open(terminal)
        terminal.device.write([1, 2, 3])
        try port.drain(silence: .milliseconds(10))
        #expect(throws: DeviceError.timedOut) { try port.read(atMost: 1, by: .after(.zero)) }
    }

    @Test("a serial port that does not exist is reported as not found") func absent() throws {
        #expect(throws: DeviceError.notFound("/dev/there-is-no-tty")) {
            try SerialPort(path: "/dev/there-is-no-tty", line: SerialLine(rate: 9600), cancel: nil)
        }
    }

    /// As a child process has them between fork and exec.
    @Test("A port that was closed can be opened while a copy of its descriptor is open") func copied() throws {
        let terminal = try PseudoTerminal()
        let copy = try withExtendedLifetime(open(terminal)) { dup($0.readiness) }
        defer { close(copy) }
        try #require(copy >= 0)
        _ = try open(terminal)
    }

    @Test("Neither waits nor locks the first one out") func openTwice() throws {
        let terminal = try PseudoTerminal()
        let first = try open(terminal)
        #expect(throws: DeviceError.busy(terminal.path, holder: nil)) { try open(terminal) }
        terminal.device.write([1])
        #expect(try first.read(atMost: 1, by: .never) == [1])
    }

    @Test("Another program has it: it is named, also where the path is a link as in `/dev/serial/by-id`")
    func holderIsNamed() throws {
        let terminal = try PseudoTerminal()
        let (program, input, output) = (Process(), Pipe(), Pipe())
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", "exec 9<>\"$0\"; flock -n 9 && echo ready; read -r line", terminal.path]
        program.standardInput = input
        program.standardOutput = output
        try program.run()
        #expect(output.fileHandleForReading.readData(ofLength: 6) == Data("ready\n".utf8))
        let link = FileManager.default.temporaryDirectory.appending(path: "serial-\(program.processIdentifier)").path(
            percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: terminal.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        for path in [terminal.path, link] {
            #expect(throws: DeviceError.busy(path, holder: "sh (process \(program.processIdentifier))")) {
                try SerialPort(path: path, line: SerialLine(rate: 9600), cancel: nil)
            }
        }
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
        _ = try open(terminal)
    }

    @Test("an unplugged serial port is reported as disconnected") func unplugged() throws {
        let terminal = try PseudoTerminal()
        let port = try open(terminal)
        terminal.device.write([1])
        terminal.device.close()
        #expect(throws: DeviceError.disconnected) { try port.read(exactly: 2, by: .never) }
        #expect(throws: DeviceError.disconnected) { try port.write([1], by: .never) }
    }

    @Test func deadlineAndCancellation() throws {
        let terminal = try PseudoTerminal()
        let event = try WakeEvent()
        let port = try SerialPort(path: terminal.path, line: SerialLine(rate: 9600), cancel: event)
        #expect(throws: DeviceError.timedOut) { try port.read(atMost: 1, by: .after(.milliseconds(1))) }
        event.signal()
        #expect(throws: DeviceError.cancelled) { try port.read(atMost: 1, by: .never) }
        #expect(throws: DeviceError.cancelled) { try port.write([1], by: .never) }
    }

    @Test("A pseudoterminal has no modem lines") func noModemLines() throws {
        let port = try open(PseudoTerminal())
        #expect(throws: DeviceError.self) { try port.modemLines }
    }
}
