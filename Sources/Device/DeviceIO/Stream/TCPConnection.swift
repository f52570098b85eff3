internal import CDeviceIO
private import Glibc

/// A connection to a reader on the network.
public final class TCPConnection: ByteTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// With several addresses, the time limit for each before the next is tried, or its share of
    /// the remaining time if that is less.
    private static let timeout = Duration.seconds(2)

    /// - Parameters:
    ///   - host: A name or an address; a link-local IPv6 address has its interface as a suffix,
    ///     `fe80::1%eth0`. The system's resolver has no deadline for names; an address needs no
    ///     lookup.
    ///   - cancel: Ends waits.
    public convenience init(host: String, port: UInt16, by deadline: Deadline, cancel: WakeEvent?) throws(DeviceError) {
        let addresses = Self.addresses(of: host)
        guard !addresses.isEmpty else { throw .notFound(host) }
        try self.init(addresses, name: "\(host):\(port)", port: port, by: deadline, cancel: cancel)
    }

    /// - Parameter addresses: At least one, tried in this order.
    init(_ addresses: [Address], name: String, port: UInt16, by deadline: Deadline, cancel: WakeEvent?)
        throws(DeviceError)
    {
        self.name = name
        var last = DeviceError.timedOut
        for (index, address) in addresses.enumerated() {
            let left = addresses.count - index
            let limit = left == 1 ? deadline : min(deadline, .after(min(Self.timeout, deadline.remaining / left)))
            let descriptor = unsafe cdio_tcp_connect(
                address.bytes, address.bytes.count, address.scope, port, cancel?.descriptor ?? -1, limit.nanoseconds)
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
            if last == .cancelled || deadline.hasPassed { break }
        }
        throw last
    }

    struct Address: Equatable {
        /// 4 or 16 bytes.
        let bytes: [UInt8]
        /// The number of the interface, for a link-local IPv6 address; otherwise 0.
        let scope: UInt32
    }

    /// In the resolver's order.
    static func addresses(of host: String) -> [Address] {
        var hints = unsafe addrinfo()
        // fits: a constant of the system
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [Address] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe Address(entry.pointee) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try stream.write(bytes, by: deadline)
    }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}

extension TCPConnection.Address {
    /// Nil for addresses of other families.
    fileprivate init?(_ entry: addrinfo) {
        guard let address = unsafe entry.ai_addr else { return nil }
        switch unsafe entry.ai_family {
        case AF_INET:
            let size = MemoryLayout<in_addr>.size
            bytes = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe withUnsafeBytes(of: $0.pointee.sin_addr) { unsafe Array($0.prefix(size)) }
            }
            scope = 0
        case AF_INET6:
            (bytes, scope) = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                (unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe Array($0) }, unsafe $0.pointee.sin6_scope_id)
            }
        default: return nil
        }
    }
}
