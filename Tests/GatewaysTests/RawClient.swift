import Foundation
import Glibc

/// A connection to a port of this machine that sends what it is given, whether it is HTTP or not.
///
/// Waiting is done by threads of its own: the server's tasks need those of the test.
final class RawClient: Sendable {
    struct Failed: Error {}

    private let descriptor: CInt

    /// - Parameter host: The last byte of the client's own address, 127.0.0.1 and so on.
    init(_ port: UInt16, host: UInt32 = 1) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = (0x7F00_0000 | host).bigEndian
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else { throw Failed() }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failed() }
    }

    deinit { Glibc.close(descriptor) }

    /// Ends what is sent; nothing comes any more.
    func close() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// What the other side does not take any more is lost.
    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether something comes, or the connection ends, within this time in milliseconds.
    func hasAnswer(within milliseconds: CInt) async -> Bool { await apart { self.isReadable(within: milliseconds) } }

    private func isReadable(within milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// One answer with its body, or what came until the connection ended.
    func answer() async -> String { await apart { self.read() } }

    private func read() -> String {
        var text = ""
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let length = text[..<end.lowerBound].split(separator: "\r\n").lazy
                    .filter { $0.lowercased().hasPrefix("content-length: ") }.compactMap { Int($0.dropFirst(16)) }.first
                if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
            }
            guard let part = readPart(), !part.isEmpty else { return text }
            text += part
        }
    }

    /// Sends `text` again and again, this many milliseconds apart, until the other side closes the
    /// connection.
    ///
    /// - Returns: what came until then.
    func trickleUntilClosed(every milliseconds: CInt, _ text: String = "x") async -> String {
        await apart { self.trickle(every: milliseconds, text) }
    }

    private func trickle(every milliseconds: CInt, _ text: String) -> String {
        var received = ""
        while true {
            if isReadable(within: milliseconds) {
                guard let part = readPart(), !part.isEmpty else { return received }
                received += part
            } else {
                send(text)
            }
        }
    }

    /// Empty at the end of the connection, nil if it broke.
    private func readPart() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    private func apart<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { waiting in
            Thread.detachNewThread { waiting.resume(returning: body()) }
        }
    }
}
