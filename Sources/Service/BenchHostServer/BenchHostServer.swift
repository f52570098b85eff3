public import BenchHost
import Bytes
import CardCapture
public import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
import PaymentTerminal
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The bench host behind HTTP: the WorldNet gateway's XML interface at `/merchant/xmlpayment`, its
/// REST interface below `/merchant/api/v1`.
///
/// It is a host for the bench: on loopback, or with its own certificates.
public struct BenchHostServer: Sendable {
    public struct Configuration: Sendable {
        /// The name or address to listen at.
        public var hostname: String
        /// 0 for a free port.
        public var port: Int
        /// Files (PEM) of the certificate chain and its key. Nil for plain HTTP, on loopback only.
        public var certificate: (chain: String, key: String)?
        public var tokenLifetime: Duration
        /// Whether terminals may use the old hash of the XML interface.
        public var allowsLegacyMD5: Bool
        /// Whether the host has the extensions of the published interfaces.
        public var hasExtensions: Bool
        /// For a fault without an answer: the time before the connection is closed.
        public var silence: Duration
        /// The limits for each client.
        public var limits: ServerLimits
        /// Receives one line for each request: operation and status.
        public var logger: Logger

        public init(
            hostname: String = "127.0.0.1", port: Int = 0, certificate: (chain: String, key: String)? = nil,
            tokenLifetime: Duration = .seconds(3600), allowsLegacyMD5: Bool = false, hasExtensions: Bool = true,
            silence: Duration = .seconds(60), limits: ServerLimits = ServerLimits(),
            logger: Logger = Logger(label: "CardPresent.host") { _ in SwiftLogNoOpLogHandler() }
        ) {
            self.hostname = hostname
            self.port = port
            self.certificate = certificate
            self.tokenLifetime = tokenLifetime
            self.allowsLegacyMD5 = allowsLegacyMD5
            self.hasExtensions = hasExtensions
            self.silence = silence
            self.limits = limits
            self.logger = logger
        }
    }

    public static let basePath = "/merchant"
    private let configuration: Configuration
    private let address: ListeningAddress
    private let routes: HostRoutes
    private let server: HTTPServerBuilder
    private let tokens: TokenStore<APIKeyAccount>

    public init(_ host: BenchHost, _ configuration: Configuration) throws(BenchHostServerError) {
        self.configuration = configuration
        address = try Self.address(of: configuration.hostname)
        let limits = configuration.limits
        let senders = Senders<HostReply>(rate: limits.requests)
        let now = { @Sendable in Timestamp(secondsSince1970: Int64(time(nil))) }
        tokens = TokenStore(lifetime: configuration.tokenLifetime, limit: limits.tokens, now: { .now })
        let unproven = UnprovenConnections(limit: limits.unproven, time: limits.head)
        routes = HostRoutes(
            exchange: Exchange(
                hasExtensions: configuration.hasExtensions, silence: configuration.silence, limits: limits,
                refusals: RateLimit(limits.refusals), unproven: unproven),
            xml: XMLInterface(host: host, senders: senders, allowsLegacyMD5: configuration.allowsLegacyMD5, now: now),
            rest: RESTInterfaceHandler(
                host: host, tokens: tokens, senders: senders, audience: configuration.hostname,
                hasExtensions: configuration.hasExtensions, now: now))
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [unproven.handler()], idleTimeout: TimeAmount(limits.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: limits.headerFields)))
        guard let certificate = configuration.certificate else {
            guard address.isLoopback else { throw .certificateNeeded }
            server = plain
            return
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.chain).map {
                NIOSSLCertificateSource.certificate($0)
            }
            var key = try PrivateFile.read(certificate.key, maximumSize: 65536)
            defer { wipe(&key) }
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem)))
            tls.minimumTLSVersion = .tlsv12
            server = try .tls(plain, tlsConfiguration: tls)
        } catch let failure as PrivateFile.Failure {
            throw .keyNotPrivate(failure.text(certificate.key))
        } catch {
            throw .certificateUnreadable(chain: certificate.chain, key: certificate.key)
        }
    }

    /// Serves until the task is cancelled, or, if `endsOnSignals`, until one of the signals.
    ///
    /// - Parameter onReady: called with the port once the server accepts connections.
    public func run(endsOnSignals: Bool = false, onReady: @escaping @Sendable (Int) async -> Void) async throws {
        let application = Application(
            router: routes.router(), server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: configuration.port),
                availableConnectionsDelegate: .maximum(configuration.limits.connections, logger: configuration.logger)),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: configuration.logger
        )
        let group = ServiceGroup(
            configuration: .init(
                services: [application], gracefulShutdownSignals: endsOnSignals ? [.sigterm, .sigint] : [],
                logger: configuration.logger))
        // A graceful shutdown instead of a cancellation: a server that is cancelled while a
        // connection arrives drops it, which SwiftNIO treats as a programming error and ends the
        // process.
        let serving = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await serving.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// Whether the name has an address that only this computer can reach: in 127.0.0.0/8, or ::1.
    public static func isLoopback(_ hostname: String) throws(BenchHostServerError) -> Bool {
        try address(of: hostname).isLoopback
    }

    private static func address(of hostname: String) throws(BenchHostServerError) -> ListeningAddress {
        do { return try ListeningAddress(hostname) } catch { throw .addressUnknown(hostname) }
    }

    /// Invalidates all access tokens, as a gateway may at any time.
    public func revokeTokens() async { await tokens.revokeAll() }
}

/// Why the server cannot start.
public enum BenchHostServerError: Error, Sendable, Equatable {
    case certificateNeeded
    /// The name has no address.
    case addressUnknown(_ hostname: String)
    case certificateUnreadable(chain: String, key: String)
    /// The certificate's key cannot be read, or others have access to it: reason and cure.
    case keyNotPrivate(String)
}

extension BenchHostServerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .addressUnknown(let hostname): "\(hostname): \(ListeningAddress.Unknown())"
        case .certificateNeeded:
            "without encryption the host listens on loopback only: give a certificate and its key, or 127.0.0.1"
        case .keyNotPrivate(let reason): "the certificate's key: \(reason)"
        case .certificateUnreadable(let chain, let key):
            "\(chain), \(key): not a matching certificate chain and key (PEM)"
        }
    }
}
