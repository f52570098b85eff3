public import Bytes

/// A server that takes mails, over TLS only.
public struct MailServer: Sendable {
    public enum Security: Sendable {
        /// TLS by the command STARTTLS (RFC 3207), usually at port 587. A server without it is given
        /// nothing.
        case startTLS
        /// TLS from the first byte (RFC 8314), usually at port 465.
        case implicitTLS
    }

    /// A name and a password, for AUTH PLAIN (RFC 4616) within TLS.
    public struct Credentials: Sendable {
        public let user: String
        public let password: SecretBytes

        public init(user: String, password: SecretBytes) {
            self.user = user
            self.password = password
        }

        var plain: String {
            var bytes = [0] + Array(user.utf8) + [0] + password.revealed()
            defer { wipe(&bytes) }
            return bytes.text(in: .standard)
        }
    }

    public var host: String
    public var port: Int
    public var security: Security
    public var credentials: Credentials?
    /// How this program calls itself: a domain, or an address in brackets.
    public var clientName = "localhost"
    /// A PEM file with the certificates to trust; the system's without it.
    public var trustedCertificates: String?
    /// For a connection and for each answer, in seconds; the answer to the end of the mail may take
    /// five times as long. 1 to 3600.
    public var timeLimit: Int64 = 60

    /// What of it no server can be asked with; nil if nothing is wrong.
    var fault: String? {
        if host.isEmpty || host.hasSteeringCharacters { return "the mail server has no name" }
        if !(1...65_535).contains(port) { return "the mail server's port is from 1 to 65535" }
        let isName = clientName.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if clientName.isEmpty || !isName { return "this program's name for the mail server is not a domain" }
        if !(1...3600).contains(timeLimit) { return "the time limit for mails is from 1 to 3600 seconds" }
        if credentials?.user.utf8.contains(0) == true { return "the user's name for the mail server is invalid" }
        return nil
    }

    public init(host: String, port: Int, security: Security, credentials: Credentials? = nil) {
        self.host = host
        self.port = port
        self.security = security
        self.credentials = credentials
    }
}
