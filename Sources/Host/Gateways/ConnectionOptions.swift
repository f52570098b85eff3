public import Logging

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
        connectTimeout: Duration = .seconds(5), answerTimeout: Duration = .seconds(30), trustedCertificates: String? = nil,
        logger: Logger = Logger(label: "CardPresent.gateway") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.connectTimeout = connectTimeout
        self.answerTimeout = answerTimeout
        self.trustedCertificates = trustedCertificates
        self.logger = logger
    }
}
