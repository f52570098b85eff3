public import Bytes

/// Where a merchant's back office is, and what a program is known by there.
///
/// The client id and the secret belong to one address: a new address clears both, so that no
/// secret goes to another host.
public struct AccountConfiguration: Sendable {
    /// `https://office.example`, in ASCII.
    public private(set) var url: String
    /// Nil until it is set for this address.
    public private(set) var clientID: String?
    /// Nil until it is set for this address.
    public private(set) var clientSecret: SecretBytes?

    /// The greatest length of each of the three, in bytes.
    public static let limit = 2048

    /// - Throws: ``AccountConfigurationError/url`` unless the address begins with `https://`, has a
    ///   host and only printable ASCII.
    public init(url: String) throws(AccountConfigurationError) {
        try Self.check(url)
        self.url = url
    }

    /// Another address, without the client id and the secret; the same address changes nothing.
    public mutating func move(to url: String) throws(AccountConfigurationError) {
        guard url != self.url else { return }
        try Self.check(url)
        self.url = url
        clientID = nil
        clientSecret = nil
    }

    /// What this program is known by at ``url``.
    ///
    /// - Throws: ``AccountConfigurationError/client`` for one that is empty or too long.
    public mutating func identify(as clientID: String, secret: SecretBytes) throws(AccountConfigurationError) {
        guard (1...Self.limit).contains(clientID.utf8.count), (1...Self.limit).contains(secret.count) else {
            throw .client
        }
        self.clientID = clientID
        clientSecret = secret
    }

    /// Whether all three are there.
    public var isComplete: Bool { clientID != nil && clientSecret != nil }

    private static func check(_ url: String) throws(AccountConfigurationError) {
        let scheme = "https://"
        guard url.utf8.count <= limit, url.hasPrefix(scheme), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let first = url.utf8.dropFirst(scheme.utf8.count).first, first != UInt8(ascii: "/")
        else { throw .url }
    }
}

/// Why a configuration is invalid. No case repeats it.
public enum AccountConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    case url
    case client

    public var description: String {
        switch self {
        case .url: "the address of the back office is invalid: give https:// and a host"
        case .client: "the client id or the secret is empty or too long: give the ones of the account"
        }
    }
}
