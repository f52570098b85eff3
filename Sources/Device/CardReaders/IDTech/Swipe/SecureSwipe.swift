import Bytes
package import CardCapture
package import DeviceIO
import MagneticStripe

/// An ID TECH reader that sends each swipe unrequested and encrypted: SecureMag, SecureHead,
/// Augusta and similar models, over USB HID or a serial line (80096504).
///
/// Readers that are configured to send tracks in the clear send them as text, which is accepted,
/// too.
package final class SecureSwipe: SwipeSource {
    package static let models = [
        ReaderModel(.hid, vendor: 0x0ACD, product: 0x2010, name: "ID TECH SecureMag"),
        ReaderModel(.hid, vendor: 0x0ACD, product: 0x2020, name: "ID TECH swipe reader"),
    ]
    package static let capabilities: ReaderCapabilities = .magneticStripe

    /// 9600 bits per second, eight bits, no parity.
    package static let line = SerialLine(rate: 9600)

    private enum Wire {
        case reports(any ReportTransport)
        case stream(any ByteTransport)
    }

    private let wire: Wire
    private let format: IDTechSwipe.OriginalFormat

    /// The time limit for the rest of a swipe after its beginning.
    private static let timeout = Duration.seconds(2)
    /// The longest swipe, plus the padding of its last read.
    private static let longest = 2 * (SwipeEnvelope.longestData + SwipeEnvelope.overhead)

    package init(_ transport: any ReportTransport, format: IDTechSwipe.OriginalFormat = .init()) {
        wire = .reports(transport)
        self.format = format
    }

    package init(_ transport: any ByteTransport, format: IDTechSwipe.OriginalFormat = .init()) {
        wire = .stream(transport)
        self.format = format
    }

    package func prepare() throws(DeviceError) {
        switch wire {
        case .reports(let transport): try transport.discardReports()
        case .stream(let transport): try transport.drain(silence: .zero)
        }
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        var bytes: [UInt8] = []
        defer { wipe(&bytes) }
        var deadline = Deadline.never
        while true {
            try deadline.check()
            var more = try more(by: deadline)
            bytes.append(wiping: &more)
            guard bytes.count <= Self.longest else { throw .malformed(.idTechSwipe, .tooLong(bytes.count)) }
            if deadline == .never { deadline = .after(Self.timeout) }
            if let first = bytes.first, "%;+".utf8.contains(first) {
                // Text has no length: it ends with the line, or with its report.
                guard isReport || bytes.contains(0x0D) else { continue }
                var text = Array(bytes.prefix { $0 != 0 })
                defer { wipe(&text) }
                return try CapturedSwipe(typed: text)
            }
            guard var data = try SwipeEnvelope.unwrap(bytes) else { continue }
            defer { wipe(&data) }
            let swipe = try IDTechSwipe(parsing: data, format)
            return CapturedSwipe(tracks: swipe.tracks, encrypted: swipe.encrypted)
        }
    }

    /// A partial swipe may have been received.
    package func standDown() throws(DeviceError) { try prepare() }

    private var isReport: Bool {
        if case .reports = wire { return true }
        return false
    }

    private func more(by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        switch wire {
        case .reports(let transport): try transport.read(by: deadline).revealed()
        case .stream(let transport): try transport.read(atMost: SwipeEnvelope.longestData, by: deadline)
        }
    }
}

package typealias SecureSwipeReader = MagstripeDriver<SecureSwipe>

extension MagstripeDriver where Source == SecureSwipe {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(hid path: String, format: IDTechSwipe.OriginalFormat = .init()) throws(DeviceError) {
        try self.init(name: "ID TECH SecureMag", capabilities: SecureSwipe.capabilities) { cancel throws(DeviceError) in
            SecureSwipe(try HIDDevice(path: path, cancel: cancel), format: format)
        }
    }

    /// - Parameter path: Such as `/dev/ttyUSB0`.
    package init(serialPort path: String, format: IDTechSwipe.OriginalFormat = .init()) throws(DeviceError) {
        try self.init(name: "ID TECH SecureMag", capabilities: SecureSwipe.capabilities) { cancel throws(DeviceError) in
            SecureSwipe(try SerialPort(path: path, line: SecureSwipe.line, cancel: cancel), format: format)
        }
    }
}
