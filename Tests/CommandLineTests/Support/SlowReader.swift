import Foundation
import Glibc

/// A pipe in the place of a trace file. Its writer stands still once 4096 bytes are unread, with all it holds: so a test meets a command in
/// the middle of its work.
struct SlowReader {
    private let descriptor: Int32

    init(_ path: String) throws {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let setPipeSize: Int32 = 1031
        guard fcntl(descriptor, setPipeSize, 4096) >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    /// Reads `count` bytes, waiting for them up to half a minute; afterwards up to 4096 more may lie in the pipe.
    func read(_ count: Int) async throws -> String {
        var bytes: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(30)
        while bytes.count < count {
            guard ContinuousClock.now < deadline else { throw TooSlow(description: "\(bytes.count) of \(count) bytes came") }
            let some = readSome(atMost: count - bytes.count)
            bytes += some
            if some.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what comes until the task is cancelled.
    func drain() async {
        while !Task.isCancelled {
            if readSome(atMost: 4096).isEmpty { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    func close() { Glibc.close(descriptor) }

    private func readSome(atMost count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = unsafe Glibc.read(descriptor, &buffer, count)
        return Array(buffer.prefix(max(0, got)))
    }
}
