import Foundation
import SeededNumbers
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A proxy on loopback between an HTTP client and its server, which does to each message what a
/// script says.
///
/// One thread accepts, two serve each connection.
public final class FaultProxy: Sendable {
    /// What a message is.
    public enum Framing: Sendable {
        /// HTTP/1.1 in clear, with a `Content-Length`.
        case http
        /// A record of TLS (RFC 8446, 5.1): its five bytes of header tell its length.
        case tlsRecords
    }

    public let port: UInt16
    private let upstream: UInt16
    fileprivate let framing: Framing
    private let listener: CInt
    private let script: @Sendable (Int) -> ConnectionScript
    private let onMessage: @Sendable (Int) -> Void
    private let state = Mutex(State())

    private struct State {
        var connections = 0
        var messages = 0
        var open: Set<CInt> = []
        var isStopped = false
    }

    public enum Failure: Error { case noSocket }

    /// - Parameters:
    ///   - upstream: the port of the server, on 127.0.0.1.
    ///   - onMessage: is called with each message's number, from 1, in both directions, before
    ///     anything happens to it.
    ///   - script: for each connection by its number, from 0.
    public init(
        upstream: UInt16, framing: Framing = .http, onMessage: @escaping @Sendable (Int) -> Void = { _ in },
        script: @escaping @Sendable (Int) -> ConnectionScript
    ) throws {
        self.upstream = upstream
        self.framing = framing
        self.script = script
        self.onMessage = onMessage
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard listener >= 0, isBound else {
            close(listener)
            throw Failure.noSocket
        }
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// How many connections have come so far.
    public var connections: Int { state.withLock { $0.connections } }

    fileprivate func count() {
        onMessage(
            state.withLock { state in
                state.messages += 1
                return state.messages
            })
    }

    /// Ends every connection, and takes no more.
    public func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, CInt(SHUT_RDWR))
            for descriptor in state.open { shutdown(descriptor, CInt(SHUT_RDWR)) }
        }
    }

    private func acceptConnections() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0, let number = admit(client) else {
                if client >= 0 { close(client) }
                close(listener)
                return
            }
            let server = connectUpstream()
            guard server >= 0, admit(server, counting: false) != nil else {
                release(client)
                if server >= 0 { close(server) }
                continue
            }
            let script = script(number)
            let pair = Pair(client: client, server: server, proxy: self, first: script.first)
            Thread.detachNewThread { pair.relay(from: client, to: server, script.requests, script, salt: 1) }
            Thread.detachNewThread { pair.relay(from: server, to: client, script.answers, script, salt: 2) }
        }
    }

    /// The number of the connection; nil once the proxy is stopped.
    private func admit(_ descriptor: CInt, counting: Bool = true) -> Int? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            state.open.insert(descriptor)
            if counting { state.connections += 1 }
            return state.connections - 1
        }
    }

    fileprivate func release(_ descriptor: CInt) {
        state.withLock { state in
            state.open.remove(descriptor)
            close(descriptor)
        }
    }

    private func connectUpstream() -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = Self.address(upstream)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    deinit { stop() }
}

/// The two ends of one connection, which go when both directions have ended.
private final class Pair: Sendable {
    private let client: CInt
    private let server: CInt
    private let proxy: FaultProxy
    private let ended = Mutex(0)
    /// How the request begins that still has to come; nil once it has.
    private let awaited: Mutex<String?>

    init(client: CInt, server: CInt, proxy: FaultProxy, first: String?) {
        awaited = Mutex(first)
        self.client = client
        self.server = server
        self.proxy = proxy
    }

    func relay(from source: CInt, to target: CInt, _ faults: [MessageFault], _ script: ConnectionScript, salt: UInt64) {
        var random = SplitMix(seed: script.seed &+ salt)
        var reader = MessageReader(descriptor: source, framing: proxy.framing)
        var faults = faults[...]
        var previous: [UInt8]?
        while let message = reader.next() {
            proxy.count()
            let fault = counts(message) ? faults.popFirst() ?? .none : .none
            guard
                pass(
                    fault == .stale ? previous ?? message : message, fault: fault, to: target, script: script,
                    random: &random)
            else {
                break
            }
            previous = message
        }
        shutdown(client, CInt(SHUT_RDWR))
        shutdown(server, CInt(SHUT_RDWR))
        let isLast = ended.withLock { ended in
            ended += 1
            return ended == 2
        }
        guard isLast else { return }
        proxy.release(client)
        proxy.release(server)
    }

    /// Whether the script has begun, with this message or one before it. No client sends a request
    /// before it has the answer to the last.
    private func counts(_ message: [UInt8]) -> Bool {
        awaited.withLock { awaited in
            guard let text = awaited else { return true }
            guard message.starts(with: text.utf8) else { return false }
            awaited = nil
            return true
        }
    }

    /// Whether the connection goes on.
    private func pass(
        _ message: [UInt8], fault: MessageFault, to target: CInt, script: ConnectionScript, random: inout SplitMix
    ) -> Bool {
        switch fault {
        case .none, .stale: return write(message, to: target)
        case .dropped: return false
        case .swallowed: return true
        case .delayed:
            usleep(UInt32(script.delayMilliseconds) * 1000)
            return write(message, to: target)
        case .duplicated: return write(message + message, to: target)
        case .truncated:
            _ = write(Array(message.prefix(Int(random.next() % UInt64(message.count)))), to: target)
            return false
        case .corrupted:
            var message = message
            message[Int(random.next() % UInt64(message.count))] ^= 1 << UInt8(random.next() % 8)
            return write(message, to: target)
        }
    }

    private func write(_ bytes: [UInt8], to target: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(target, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// The messages of one direction.
private struct MessageReader {
    let descriptor: CInt
    let framing: FaultProxy.Framing
    private var buffer: [UInt8] = []

    init(descriptor: CInt, framing: FaultProxy.Framing) {
        self.descriptor = descriptor
        self.framing = framing
    }

    /// Nil when the connection ends; what came of a message by then is handed on.
    mutating func next() -> [UInt8]? {
        var length: Int?
        while true {
            if length == nil { length = messageLength }
            if let length, buffer.count >= length {
                defer { buffer.removeFirst(length) }
                return Array(buffer.prefix(length))
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else {
                guard !buffer.isEmpty else { return nil }
                defer { buffer = [] }
                return buffer
            }
            buffer += chunk[..<count]
        }
    }

    /// Nil as long as the message does not tell.
    private var messageLength: Int? {
        switch framing {
        case .http: headEnd.map { $0 + contentLength(buffer[..<$0]) }
        case .tlsRecords: buffer.count < 5 ? nil : 5 + (Int(buffer[3]) << 8) + Int(buffer[4])
        }
    }

    private var headEnd: Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...buffer.count - 4).first { buffer[$0..<$0 + 4].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }.map {
            $0 + 4
        }
    }

    private func contentLength(_ head: ArraySlice<UInt8>) -> Int {
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "content-length" {
                return Int(parts[1].trimmingCharacters(in: .whitespaces)) ?? 0
            }
        }
        return 0
    }
}
