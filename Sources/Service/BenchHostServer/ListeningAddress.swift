import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The address of a name, looked up once: the server listens at the same address that was checked.
struct ListeningAddress {
    /// The numeric address.
    let host: String
    let isLoopback: Bool

    /// - Throws: ``BenchHostServerError/addressUnknown(_:)``
    init(_ hostname: String) throws(BenchHostServerError) {
        let address: SocketAddress
        do {
            address = try SocketAddress.makeAddressResolvingHost(hostname, port: 0)
        } catch {
            throw .addressUnknown(hostname)
        }
        guard let host = address.ipAddress else { throw .addressUnknown(hostname) }
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

extension BenchHostServer {
    /// Whether the name has an address that only this computer can reach: in 127.0.0.0/8, or ::1.
    public static func isLoopback(_ hostname: String) throws(BenchHostServerError) -> Bool {
        try ListeningAddress(hostname).isLoopback
    }
}
