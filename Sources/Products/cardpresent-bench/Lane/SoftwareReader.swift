import ArgumentParser
import Console
import DeviceIO

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address where a virtual reader of another program waits for its card: a Unix socket or a TCP
/// port.
enum SoftwareReader: ExpressibleByArgument, Sendable, Equatable {
    case unixSocket(String)
    /// An IPv6 address is in brackets: `[::1]:35963`.
    case port(host: String, UInt16)

    /// `HOST:PORT` if there is no slash; otherwise the path of a socket.
    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self = Self.port(argument) ?? .unixSocket(argument)
    }

    /// Nil if the text is not `HOST:PORT`.
    static func port(_ text: String) -> SoftwareReader? {
        guard !text.contains("/"), let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]), port > 0
        else {
            return nil
        }
        let host = text[..<colon]
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
        return bare.isEmpty ? nil : .port(host: String(bare), port)
    }

    var name: String {
        switch self {
        case .unixSocket(let path): path
        case .port(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// One attempt.
    ///
    /// - Returns: Nil if no program listens there or accepts the connection: while vpcd has a card,
    ///   it lets at most one connection wait.
    func connection(_ hand: CardHand) throws -> ReaderConnection? {
        switch self {
        case .port(let host, let port):
            do throws(DeviceError) {
                return ReaderConnection(
                    try TCPConnection(host: host, port: port, by: .after(.seconds(5)), cancel: nil), hand)
            } catch .notListening, .timedOut, .disconnected {
                return nil
            } catch {
                throw error
            }
        case .unixSocket(let path):
            return try Self.socketDescriptor(path).map { ReaderConnection($0, name: path, hand) }
        }
    }

    private static func socketDescriptor(_ path: String) throws(InputError) -> CInt? {
        var address = sockaddr_un()
        // fits: a constant of the system
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            guard path.utf8.count < bytes.count else { return false }
            unsafe bytes.copyBytes(from: Array(path.utf8))
            return true
        }
        guard fits else { throw InputError("\(path): the socket path is too long") }
        // fits: a constant of the system
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // fits: a constant of the system
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}

/// A stream to a virtual reader.
struct ReaderConnection {
    private let incoming: DescriptorStream
    /// The same socket; ``CardHand`` ends a wait for messages, but not the sending of one.
    private let outgoing: DescriptorStream

    init(_ descriptor: CInt, name: String, _ hand: CardHand) {
        outgoing = DescriptorStream(dup(descriptor), name: name, cancel: nil)
        incoming = DescriptorStream(descriptor, name: name, cancel: hand.wake)
    }

    init(_ connection: TCPConnection, _ hand: CardHand) {
        self.init(dup(connection.readiness), name: connection.name, hand)
    }

    /// - Throws: `.cancelled` if ``CardHand`` has a move.
    func read(by deadline: Deadline = .never) throws(DeviceError) -> [UInt8] {
        try incoming.read(atMost: 1 << 16, by: deadline)
    }

    func write(_ bytes: [UInt8]) throws(DeviceError) { try outgoing.write(bytes, by: .after(.seconds(10))) }
}
