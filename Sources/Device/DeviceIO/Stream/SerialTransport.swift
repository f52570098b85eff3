/// A stream over a serial line, whose settings and modem lines are part of the device's protocol.
public protocol SerialTransport: ByteTransport {
    /// Changes rate, parity or stop bits; characters in transmission may be damaged.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` for a rate that the port does not support within 3 %.
    func configure(_ line: SerialLine) throws(DeviceError)

    var modemLines: ModemLines { get throws(DeviceError) }

    func setModemLines(on: ModemLines, off: ModemLines) throws(DeviceError)

    /// Discards received bytes that were not read, and written bytes that were not sent.
    func discard() throws(DeviceError)
}

/// The settings of a serial line: eight data bits, no flow control.
public struct SerialLine: Sendable, Equatable {
    public enum Parity: UInt8, Sendable {
        case none
        case even
        case odd
    }

    /// Bits per second; any rate that the driver supports.
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

/// The control lines of a serial port.
public struct ModemLines: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let dataTerminalReady = ModemLines(rawValue: 0x01)
    public static let requestToSend = ModemLines(rawValue: 0x02)
    public static let clearToSend = ModemLines(rawValue: 0x04)
    public static let dataSetReady = ModemLines(rawValue: 0x08)
    public static let carrierDetect = ModemLines(rawValue: 0x10)
}
