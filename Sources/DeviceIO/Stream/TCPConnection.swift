internal import CDeviceIO
private import Glibc

/// A connection to a reader on the network.
public final class TCPConnection: ByteTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - host: A name or an address. Looking up a name takes as long as the system's resolver does; an address takes nothing.
    ///   - cancel: Ends waits.
    public init(host: String, port: UInt16, by deadline: Deadline, cancel: WakeEvent?) throws(DeviceError) {
        name = "\(host):\(port)"
        var last: DeviceError = .notFound(host)
        for address in Self.addresses(of: host) {
            let descriptor = unsafe cdio_tcp_connect(address, address.count, port, cancel?.descriptor ?? -1, deadline.nanoseconds)
            if descriptor >= 0 {
                stream = StreamDescriptor(descriptor, call: "TCP connection", cancel: cancel)
                return
            }
            last =
                switch -descriptor {
                case ECONNREFUSED: .notListening(name)
                case EHOSTUNREACH, ENETUNREACH: .notFound(name)
                default: .system("connect", descriptor)
                }
            if last == .cancelled || last == .timedOut { break }
        }
        throw last
    }

    /// The bytes of each, in the resolver's order.
    private static func addresses(of host: String) -> [[UInt8]] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [[UInt8]] = []
        var next = unsafe list
        while let entry = unsafe next {
            unsafe withMemory(of: entry.pointee) { found.append($0) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    private static func withMemory(of entry: addrinfo, _ body: ([UInt8]) -> Void) {
        guard let address = unsafe entry.ai_addr else { return }
        switch unsafe entry.ai_family {
        case AF_INET:
            let size = MemoryLayout<in_addr>.size
            unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin_addr) { unsafe body(Array($0.prefix(size))) }
            }
        case AF_INET6:
            unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe body(Array($0)) }
            }
        default: break
        }
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { try stream.write(bytes, by: deadline) }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}
