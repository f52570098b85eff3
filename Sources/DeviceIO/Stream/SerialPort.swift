internal import CDeviceIO

/// A tty: a serial port, a USB adapter, or a device that shows itself as one (CDC-ACM). It is opened for this program alone.
public final class SerialPort: ByteTransport {
    /// How characters go over the line: eight data bits, no flow control.
    public struct Line: Sendable, Equatable {
        public enum Parity: UInt8, Sendable {
            case none
            case even
            case odd
        }

        /// Bits per second; any that the driver can do.
        public var rate: UInt32
        public var parity: Parity
        /// 1 or 2.
        public var stopBits: UInt8
        /// Whether closing the port drops DTR, which resets some readers.
        public var hangsUp: Bool

        public init(rate: UInt32, parity: Parity = .none, stopBits: UInt8 = 1, hangsUp: Bool = false) {
            self.rate = rate
            self.parity = parity
            self.stopBits = stopBits
            self.hangsUp = hangsUp
        }
    }

    /// Modem lines.
    public struct ModemLines: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let dataTerminalReady = ModemLines(rawValue: 0x01)
        public static let requestToSend = ModemLines(rawValue: 0x02)
        public static let clearToSend = ModemLines(rawValue: 0x04)
        public static let dataSetReady = ModemLines(rawValue: 0x08)
        public static let carrierDetect = ModemLines(rawValue: 0x10)
    }

    public let name: String
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - path: Of the tty, such as `/dev/ttyUSB0`.
    ///   - cancel: Ends waits.
    public init(path: String, line: Line, cancel: WakeEvent?) throws(DeviceError) {
        name = path
        let descriptor = unsafe cdio_open(path)
        guard descriptor >= 0 else { throw DeviceHolder.named(.opening(path, descriptor, "open"), path) }
        stream = StreamDescriptor(descriptor, call: "serial port", cancel: cancel)
        for status in [cdio_lock(descriptor), cdio_tty_claim(descriptor)] where status < 0 {
            throw DeviceHolder.named(.opening(path, status, "tty"), path)
        }
        try configure(line)
        try discard()
    }

    /// Changes rate, parity or stop bits; characters under way may suffer.
    public func configure(_ line: Line) throws(DeviceError) {
        var settings = cdio_line(
            rate: line.rate, parity: line.parity.rawValue, stop: line.stopBits, hang_up: line.hangsUp ? 1 : 0, reserved: 0)
        try check(unsafe cdio_tty_configure(stream.descriptor, &settings), "tty settings")
    }

    public var modemLines: ModemLines {
        get throws(DeviceError) {
            var lines: UInt32 = 0
            try check(unsafe cdio_tty_lines(stream.descriptor, &lines), "modem lines")
            return ModemLines(rawValue: lines)
        }
    }

    public func setModemLines(on: ModemLines = [], off: ModemLines = []) throws(DeviceError) {
        try check(cdio_tty_set_lines(stream.descriptor, on.rawValue, off.rawValue), "modem lines")
    }

    /// Throws away what was received and not read.
    public func discard() throws(DeviceError) { try check(cdio_tty_flush(stream.descriptor), "tty flush") }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { try stream.write(bytes, by: deadline) }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}
