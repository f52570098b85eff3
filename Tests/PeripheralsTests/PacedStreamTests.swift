import DeviceIO
import Peripherals
import Testing

@Suite struct PacedStreamTests {
    /// Keeps what is written, part by part; breaks at the part of that number.
    private final class Parts: ByteTransport {
        let name = "parts"
        var written: [[UInt8]] = []
        let breaksAt: Int?
        init(breaksAt: Int? = nil) { self.breaksAt = breaksAt }
        func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
            guard written.count != breaksAt else { throw .disconnected }
            written.append(bytes)
        }
        func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] { throw .timedOut }
        var readiness: CInt { -1 }
    }

    @Test("Small parts, in order and whole", arguments: [0, 1, 512, 513, 2000]) func parts(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let parts = Parts()
        try PacedStream(parts, cancel: WakeEvent()).write(bytes, by: .never)
        #expect(parts.written.allSatisfy { $0.count <= 512 })
        #expect(Array(parts.written.joined()) == bytes)
    }

    @Test("A link that breaks between two parts, and a job that is cancelled") func ends() throws {
        let broken = Parts(breaksAt: 1)
        #expect(throws: DeviceError.disconnected) {
            try PacedStream(broken, cancel: WakeEvent()).write([UInt8](repeating: 0, count: 600), by: .never)
        }
        #expect(broken.written.count == 1)
        let event = try WakeEvent()
        event.signal()
        let parts = Parts()
        #expect(throws: DeviceError.cancelled) {
            try PacedStream(parts, cancel: event).write([UInt8](repeating: 0, count: 600), by: .never)
        }
        #expect(parts.written.count == 1)
    }
}
