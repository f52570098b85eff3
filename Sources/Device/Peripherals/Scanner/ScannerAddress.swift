public import CardReaders

/// The way to a barcode scanner.
public enum ScannerAddress: Sendable, Equatable {
    /// A scanner that types: its event node, preferably a link in `/dev/input/by-id`. It is taken
    /// for this program alone, so that no code reaches the desktop.
    case keyboard(path: String, layout: KeyboardLayout)
    /// A HID point-of-sale scanner: `/dev/hidraw0`.
    case hid(path: String)
    /// A serial scanner or a USB one that appears as a tty: its rate in bits per second.
    case serial(path: String, rate: UInt32)

    /// Why a text is not an address.
    public struct Invalid: Error, Equatable, CustomStringConvertible {
        public init() {}
        public var description: String {
            "invalid scanner: give a link of /dev/input/by-id, /dev/hidrawN, or serial:/dev/ttyACM0 with ,RATE behind it"
        }
    }

    /// `/dev/input/by-id/…`, `/dev/hidrawN`, `serial:/dev/ttyACM0[,RATE]`.
    public init(parsing text: String, layout: KeyboardLayout = .american) throws(Invalid) {
        if text.hasPrefix("serial:") {
            guard case .serial(let path, let rate)? = try? PrinterAddress(parsing: text) else { throw Invalid() }
            self = .serial(path: path, rate: rate)
        } else if text.hasPrefix("/"), text.split(separator: "/").last?.hasPrefix("hidraw") == true {
            self = .hid(path: text)
        } else if text.hasPrefix("/"), text.contains("/input/") {
            self = .keyboard(path: text, layout: layout)
        } else {
            throw Invalid()
        }
    }

    var path: String {
        switch self {
        case .keyboard(let path, _), .hid(let path), .serial(let path, _): path
        }
    }
}
