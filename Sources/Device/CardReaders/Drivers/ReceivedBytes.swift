internal import Bytes

/// Bytes that a device has sent and that are taken one by one. Each is wiped as it is taken.
struct ReceivedBytes: Sendable {
    @Wiped private var bytes: [UInt8]
    private var next = 0

    var isEmpty: Bool { next == bytes.count }

    mutating func popFirst() -> UInt8? {
        guard next < bytes.count else { return nil }
        defer {
            bytes[next] = 0
            next += 1
            if next == bytes.count { (bytes, next) = ([], 0) }
        }
        return bytes[next]
    }

    /// Adds `more`, and wipes them where they were.
    mutating func append(wiping more: inout [UInt8]) { _bytes.append(wiping: &more) }
}
