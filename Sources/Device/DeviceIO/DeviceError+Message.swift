extension DeviceError {
    /// A message or property of a device that does not conform to its protocol. Each family defines
    /// its own.
    public struct Message: RawRepresentable, Hashable, Sendable {
        /// In the singular, as in a sentence: "MMS packet".
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        package init(_ name: String) { rawValue = name }

        public static let usbDeviceDescriptor = Self("USB device descriptor")
        public static let usbControlTransfer = Self("USB control transfer")
        public static let hidReportDescriptor = Self("HID report descriptor")
        public static let hidReport = Self("HID report")
        public static let dbusAuthentication = Self("D-Bus authentication")
        public static let dbusMessage = Self("D-Bus message")
        public static let bluetoothDeviceList = Self("list of Bluetooth devices")
        public static let serviceDiscoveryAnswer = Self("service discovery answer")
        /// The echo of sent bytes on a serial line.
        public static let echo = Self("echo")
        /// A recording that replaces a device.
        public static let recording = Self("recording")
    }

    /// The fault in a ``Message``.
    public enum Fault: Hashable, Sendable {
        case invalid
        case truncated
        case empty
        case missing
        case damaged
        case wrongChecksum
        /// It belongs to something else, such as an earlier command.
        case unexpected
        case unknownType
        /// A part of it is missing.
        case incomplete
        case excessBytes
        case tooManyParts
        /// It differs from what was sent.
        case differs
        /// In bytes or characters, like the other lengths.
        case tooLong(Int)
        case tooShort(Int)
        case wrongLength(Int)
    }
}

extension DeviceError.Message: CustomStringConvertible {
    public var description: String { rawValue }
}

extension DeviceError.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalid: "invalid"
        case .truncated: "truncated"
        case .empty: "empty"
        case .missing: "not found"
        case .damaged: "damaged"
        case .wrongChecksum: "wrong checksum"
        case .unexpected: "not expected"
        case .unknownType: "unknown type"
        case .incomplete: "incomplete"
        case .excessBytes: "excess bytes"
        case .tooManyParts: "too many parts"
        case .differs: "does not match the bytes sent"
        case .tooLong(let count): "too long (\(count) bytes)"
        case .tooShort(let count): "too short (\(count) bytes)"
        case .wrongLength(let count): "wrong length (\(count) bytes)"
        }
    }
}
