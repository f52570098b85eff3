internal import CDeviceIO
private import Glibc

/// A tty: a serial port, a USB adapter, or a device that appears as one (CDC-ACM). It is opened
/// exclusively.
public final class SerialPort: SerialTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - path: The path of the tty, such as `/dev/ttyUSB0`.
    ///   - cancel: Ends waits.
    public init(path: String, line: SerialLine, cancel: WakeEvent?) throws(DeviceError) {
        name = path
        let descriptor = unsafe cdio_open(path)
        guard descriptor >= 0 else { throw DeviceHolder.named(.opening(path, descriptor, "open"), path) }
        stream = StreamDescriptor(descriptor, call: "serial port", cancel: cancel)
        // Claiming a tty that another program uses would lock out that program.
        let locked = stream.claim(.lock)
        guard locked >= 0 else { throw DeviceHolder.named(.opening(path, locked, "flock"), path) }
        let claimed = stream.claim(.tty)
        guard claimed >= 0 else { throw DeviceHolder.named(.opening(path, claimed, "tty"), path) }
        try configure(line)
        try discard()
    }

    public func configure(_ line: SerialLine) throws(DeviceError) {
        var settings = cdio_line(
            rate: line.rate, parity: line.parity.rawValue, stop: line.stopBits, hang_up: line.hangsUp ? 1 : 0)
        let status = unsafe cdio_tty_configure(stream.descriptor, &settings)
        guard status != -ERANGE else { throw .rejected(.serialRate(line.rate)) }
        try check(status, "tty settings")
    }

    public var modemLines: ModemLines {
        get throws(DeviceError) {
            var lines: UInt32 = 0
            try check(unsafe cdio_tty_lines(stream.descriptor, &lines), "modem lines")
            return ModemLines(rawValue: lines)
        }
    }

    public func setModemLines(on: ModemLines, off: ModemLines) throws(DeviceError) {
        try check(cdio_tty_set_lines(stream.descriptor, on.rawValue, off.rawValue), "modem lines")
    }

    public func discard() throws(DeviceError) { try check(cdio_tty_flush(stream.descriptor), "tty flush") }

    /// If a write ends early, unsent bytes are discarded.
    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        do throws(DeviceError) {
            try stream.write(bytes, by: deadline)
        } catch {
            _ = cdio_tty_flush_output(stream.descriptor)
            throw error
        }
    }

    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}
