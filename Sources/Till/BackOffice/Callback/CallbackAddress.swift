/// Where a merchant wants callbacks: `https://host[:port]/path`, with `http` only where networks of
/// the host's own are permitted.
public struct CallbackAddress: Sendable, Equatable {
    public let url: String
    /// In lower case, without the brackets of an IPv6 address.
    public let host: String
    public let port: UInt16

    /// In bytes.
    public static let limit = 2048

    /// - Parameter permitsOwnNetwork: For trials: addresses inside the sender's own network, and
    ///   `http`.
    /// - Throws: ``CallbackAddressError``. A name can stand for any address: the sender also asks
    ///   ``IPAddress/isPublic`` of the one that it connects to, and follows no redirection.
    public init(_ url: String, permitsOwnNetwork: Bool = false) throws(CallbackAddressError) {
        guard url.utf8.count <= Self.limit, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !url.utf8.contains(UInt8(ascii: "\\"))
        else { throw .invalid }
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .invalid }
        let scheme = parts[0].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .invalid }
        guard scheme == "https" || permitsOwnNetwork else { throw .insecure }
        let authority = parts[1].prefix { !"/?#".contains($0) }
        guard !authority.contains("@"), let (host, port) = Self.split(authority) else { throw .invalid }
        self.url = url
        self.host = host.lowercased()
        self.port = port ?? (scheme == "https" ? 443 : 80)
        guard !permitsOwnNetwork else { return }
        if let address = IPAddress(self.host) {
            guard address.isPublic else { throw .ownNetwork }
        } else {
            guard Self.isPublicName(self.host) else { throw .ownNetwork }
        }
    }

    private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
        var rest = authority
        let host: Substring
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = rest[..<end].dropFirst()
            guard IPAddress(String(host)) != nil else { return nil }
            rest = rest[end...].dropFirst()
        } else {
            host = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(host.count)
            let permitted = host.utf8.allSatisfy { byte in
                Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte) || byte == 0x2D
                    || byte == 0x2E
            }
            guard permitted, !host.isEmpty, host.first != ".", !host.contains("..") else { return nil }
        }
        guard !rest.isEmpty else { return (String(host), nil) }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
            port > 0
        else { return nil }
        return (String(host), port)
    }

    /// A name with a point that no reserved domain ends (RFC 6761, RFC 6762, RFC 8375), and whose
    /// last part is no number: such a host is an IPv4 address in an old form (WHATWG URL, 3.5).
    private static func isPublicName(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last, let first = last.utf8.first, !(0x30...0x39).contains(first)
        else { return false }
        return !["localhost", "local", "internal", "intranet", "lan", "home", "arpa", "invalid", "test", "onion"]
            .contains(String(last))
    }
}

/// Why a callback goes nowhere.
public enum CallbackAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    case invalid
    case insecure
    case ownNetwork

    public var description: String {
        switch self {
        case .invalid: "the callback's address is invalid: give https://, a host and a path"
        case .insecure: "the callback's address is not encrypted: give one with https"
        case .ownNetwork: "the callback's address is inside the sender's own network: give a public one"
        }
    }
}
