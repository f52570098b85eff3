import DeviceIO

@testable import CardCapture

/// A line that is never silent: whoever looks at its bytes only, and not at the clock, stays for
/// ever.
final class EndlessLine: ByteTransport {
    let name = "endless line"
    let readiness: CInt = -1
    private let bytes: [UInt8]
    private var reads = 0

    /// - Parameter bytes: What each read gives.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {}

    /// It ends after all, so that a test fails and does not hang.
    func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        reads += 1
        guard reads < 1000 else { throw .disconnected }
        return bytes
    }
}
