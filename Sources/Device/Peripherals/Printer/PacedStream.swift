package import DeviceIO

/// A stream that writes in small parts with a pause between them: Bluetooth printers lose what
/// comes faster than they print.
package final class PacedStream: ByteTransport {
    /// In bytes.
    static let part = 512
    private static let pause = Duration.milliseconds(20)

    private let stream: any ByteTransport
    private let cancel: WakeEvent?

    /// - Parameter cancel: Ends the pauses.
    package init(_ stream: any ByteTransport, cancel: WakeEvent?) {
        self.stream = stream
        self.cancel = cancel
    }

    package var name: String { stream.name }
    package var readiness: CInt { stream.readiness }

    package func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try stream.write(Array(rest.prefix(Self.part)), by: deadline)
            rest = rest.dropFirst(Self.part)
            guard let cancel, !rest.isEmpty else { continue }
            try cancel.wait(until: min(.after(Self.pause), deadline))
        }
    }

    package func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
}
