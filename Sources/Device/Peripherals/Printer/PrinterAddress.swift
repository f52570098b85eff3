public import DeviceIO

/// The way to a printer. One program at a time has a printer: each way is opened for one job.
public enum PrinterAddress: Sendable, Equatable {
    /// The raw port of a printer on the network, 9100 as a rule. It has no password and no
    /// encryption: whoever reaches it prints.
    case tcp(host: String, port: UInt16)
    /// A USB printer through usblp, `/dev/usb/lp0`, or a link to one.
    case linePrinter(path: String)
    /// A USB printer without usblp, by its node: `/dev/bus/usb/001/002`.
    case usb(node: String)
    /// A serial line: the tty, and its rate in bits per second.
    case serial(path: String, rate: UInt32)
    /// The serial port of a paired Bluetooth printer; without a channel the printer is asked for it.
    case bluetooth(BluetoothAddress, channel: UInt8?)

    /// The port of printers.
    public static let port: UInt16 = 9100
    /// What printers are set to when they come, most of them.
    public static let rate: UInt32 = 9600

    /// Why a text is not an address.
    public struct Invalid: Error, Equatable, CustomStringConvertible {
        public init() {}
        public var description: String {
            "invalid printer: give tcp://HOST:9100, a device such as /dev/usb/lp0, or serial:/dev/ttyUSB0 with ,RATE behind it, or bluetooth:00:11:22:33:44:55 with ,CHANNEL behind it"
        }
    }

    /// `tcp://HOST[:PORT]`, `/dev/usb/lp0`, `/dev/bus/usb/BUS/DEVICE`, `serial:/dev/ttyUSB0[,RATE]`,
    /// `bluetooth:00:11:22:33:44:55[,CHANNEL]`.
    public init(parsing text: String) throws(Invalid) {
        if text.hasPrefix("tcp://") {
            self = try Self.network(text.dropFirst(6))
        } else if text.hasPrefix("bluetooth:") {
            let parts = text.dropFirst(10).split(separator: ",", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), let address = BluetoothAddress(String(parts[0])) else {
                throw Invalid()
            }
            let channel = parts.count == 2 ? UInt8(parts[1]) : nil
            guard parts.count == 1 || channel.map({ (1...30).contains($0) }) ?? false else { throw Invalid() }
            self = .bluetooth(address, channel: channel)
        } else if text.hasPrefix("serial:") {
            let parts = text.dropFirst(7).split(separator: ",", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), parts[0].hasPrefix("/") else { throw Invalid() }
            var rate = Self.rate
            if parts.count == 2 {
                guard let given = UInt32(parts[1]), (300...4_000_000).contains(given) else { throw Invalid() }
                rate = given
            }
            self = .serial(path: String(parts[0]), rate: rate)
        } else {
            guard text.hasPrefix("/"), text.utf8.count > 1 else { throw Invalid() }
            self = text.hasPrefix("/dev/bus/usb/") ? .usb(node: text) : .linePrinter(path: text)
        }
    }

    /// An IPv6 address with a port stands in brackets.
    private static func network(_ text: Substring) throws(Invalid) -> PrinterAddress {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw Invalid() }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
            host = text[..<colon]
            rest = text[colon...]
        }
        guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0 == " " }) else { throw Invalid() }
        guard !rest.isEmpty else { return .tcp(host: String(host), port: port) }
        guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { throw Invalid() }
        return .tcp(host: String(host), port: port)
    }

    /// Opens the way; the printer may still be off.
    ///
    /// - Parameter cancel: Ends waits.
    public func open(by deadline: Deadline, cancel: WakeEvent?) throws(DeviceError) -> any ByteTransport {
        switch self {
        case .tcp(let host, let port): try TCPConnection(host: host, port: port, by: deadline, cancel: cancel)
        case .linePrinter(let path): try LinePrinter(path: path, cancel: cancel)
        case .usb(let node): try USBPrinter(try USBDevice(node: node, cancel: cancel), cancel: cancel)
        case .serial(let path, let rate):
            try SerialPort(path: path, line: SerialLine(rate: rate), cancel: cancel)
        case .bluetooth(let address, let channel):
            PacedStream(
                try RFCOMMConnection(address: address, channel: channel, by: deadline, cancel: cancel), cancel: cancel)
        }
    }
}

extension PrinterAddress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tcp(let host, let port): "tcp://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .linePrinter(let path): path
        case .usb(let node): node
        case .serial(let path, let rate): "serial:\(path),\(rate)"
        case .bluetooth(let address, let channel):
            "bluetooth:\(address)" + (channel.map { ",\($0)" } ?? "")
        }
    }
}
