import Foundation
import Glibc
import Synchronization

/// A pipe in the place of a trace file. Its writer stands still once 4096 bytes are unread, with
/// all it holds: so a test meets a command in the middle of its work.
final class SlowReader: Sendable {
    /// Nil once it is closed: its number may then be another file's.
    private let descriptor: Mutex<Int32?>

    init(_ path: String) throws {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let setPipeSize: Int32 = 1031
        guard fcntl(descriptor, setPipeSize, 4096) >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.descriptor = Mutex(descriptor)
    }

    /// Reads `count` bytes, waiting for them up to half a minute; afterwards up to 4096 more may
    /// lie in the pipe.
    func read(_ count: Int) async throws -> String {
        var bytes: [UInt8] = []
        let deadline = ContinuousClock.now + .seconds(30)
        while bytes.count < count {
            guard ContinuousClock.now < deadline else {
                throw TooSlow(description: "\(bytes.count) of \(count) bytes came")
            }
            let some = readSome(atMost: count - bytes.count)
            bytes += some
            if some.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what comes until the task is cancelled, or the pipe is closed.
    func drain() async {
        while !Task.isCancelled, descriptor.withLock({ $0 != nil }) {
            if readSome(atMost: 4096).isEmpty { try? await Task.sleep(for: .milliseconds(2)) }
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            descriptor.map { _ = Glibc.close($0) }
            descriptor = nil
        }
    }

    private func readSome(atMost count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = descriptor.withLock { descriptor in descriptor.map { unsafe Glibc.read($0, &buffer, count) } ?? 0 }
        return Array(buffer.prefix(max(0, got)))
    }
}
