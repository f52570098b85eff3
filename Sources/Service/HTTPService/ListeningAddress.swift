import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address of a name, looked up once: the server listens at the same address that was checked.
package struct ListeningAddress: Sendable {
    /// A name that has no address.
    package struct Unknown: Error, CustomStringConvertible {
        package init() {}

        package var description: String { "host name not found: check it, or give an IP address" }
    }

    /// The numeric address.
    package let host: String
    /// Whether only this computer can reach it: in 127.0.0.0/8, or ::1.
    package let isLoopback: Bool

    package init(_ hostname: String) throws(Unknown) {
        let address: SocketAddress
        do {
            address = try SocketAddress.makeAddressResolvingHost(hostname, port: 0)
        } catch {
            throw Unknown()
        }
        guard let host = address.ipAddress else { throw Unknown() }
        self.host = host
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, host, &bytes) == 1 {
            isLoopback = bytes[0] == 127
        } else {
            // RFC 4291, 2.5.3 and 2.5.5.2
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127]
            isLoopback =
                unsafe inet_pton(AF_INET6, host, &bytes) == 1
                && (bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes.starts(with: mapped))
        }
    }
}
