public import Logging

/// Where a gateway is: `https://payments.example.com/merchant`.
///
/// Without encryption only on this machine: `http` is refused for any host but loopback.
public struct GatewayAddress: Sendable, Hashable {
    /// Scheme, host and port, as they stand in a URL.
    let origin: String
    /// What every path begins with; no slash at its end.
    let path: String
    let isEncrypted: Bool

    /// The address of a gateway as a person writes it.
    ///
    /// - Parameter text: Scheme, host, and port and path if
    ///   there are any; no user, query or fragment.
    /// - Throws: ``GatewayAddressError/notEncrypted`` for `http` to
    ///   another machine, else ``GatewayAddressError/malformed``.
    public init(_ text: String) throws(GatewayAddressError) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "?#@\\".contains($0) })
        else {
            throw .malformed
        }
        let scheme = parts[0].lowercased()
        let authority = parts[1].prefix { $0 != "/" }
        guard !authority.isEmpty, let (host, port) = Self.hostAndPort(authority) else { throw .malformed }
        switch scheme {
        case "https": isEncrypted = true
        case "http" where Self.isLoopback(host): isEncrypted = false
        case "http": throw .notEncrypted
        default: throw .malformed
        }
        origin = "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
        var path = parts[1].dropFirst(authority.count)
        while path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    private static func hostAndPort(_ authority: Substring) -> (Substring, UInt16?)? {
        var host = authority
        var port: UInt16?
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            host = authority[..<colon]
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            port = number
        }
        guard !host.isEmpty, host.hasPrefix("[") == host.hasSuffix("]"), host.hasPrefix("[") || !host.contains(":")
        else { return nil }
        return (host, port)
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

extension GatewayAddress: CustomStringConvertible {
    public var description: String { origin + path }
}

/// Why a text is not an address of a gateway.
public enum GatewayAddressError: Error, Sendable, Equatable {
    /// Not `https://host/path`, or with a user, a query or a fragment.
    case malformed
    /// `http` to another machine.
    case notEncrypted
}

extension GatewayAddressError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "not the address of a gateway: write it as https://host/path, without user, query or fragment"
        case .notEncrypted: "card data require https to another machine: use https"
        }
    }
}

/// How a client connects to a gateway.
public struct ConnectionOptions: Sendable {
    /// How long a connection may take; without one the
    /// request has not left (``HostError/Failure/unreachable``).
    public var connectTimeout: Duration
    /// How long an answer may take, from the request's leaving to the answer's last byte.
    public var answerTimeout: Duration
    /// A file with the certificates (PEM) that are trusted in place of the system's; nil for the
    /// system's.
    public var trustedCertificates: String?
    /// Gets one line for each exchange: operation, status and time, with the terminal's id as
    /// metadata `terminal`; never a body, an address of a card or a token.
    public var logger: Logger

    /// By default 5 seconds to connect, 30 for an answer, the system's certificates and no log.
    public init(
        connectTimeout: Duration = .seconds(5), answerTimeout: Duration = .seconds(30),
        trustedCertificates: String? = nil,
        logger: Logger = Logger(label: "CardPresent.gateway") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.trustedCertificates = trustedCertificates
        self.logger = logger
    }
}
