internal import AsyncHTTPClient
internal import Bytes
public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import PaymentTerminal
private import Synchronization

/// How a gateway is spoken to.
public struct ConnectionOptions: Sendable {
    public var connectTimeout: Duration
    /// How long an answer may take, from the request's leaving to the answer's last byte.
    public var answerTimeout: Duration
    /// A file with the certificates (PEM) that are trusted in place of the system's; nil for the system's.
    public var trustedCertificates: String?
    /// Gets one line for each exchange: operation, status and time, never a body, an address of a card or a token.
    public var logger: Logger

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

/// Requests and answers over HTTP/1.1: TLS 1.2 or later with verified certificates, no redirects, no proxies, no caches, no repetition.
///
/// HTTP/1.1 marks no answer with its request: one that somebody on the way has doubled leaves an answer behind that the next request on the connection
/// would take for its own. So a connection carries one request, unless the host repeats a mark of ours in its answers, as the bench host does.
final class HTTPExchange: Sendable {
    /// In bytes.
    static let maximumAnswer = 1_048_576

    struct Answer {
        let status: Int
        let body: [UInt8]
        let extensions: String?
        /// Of the request that it answers, if the host repeats marks.
        let mark: String?
    }

    /// An answer that is not to the request that was sent.
    private struct ForeignAnswer: Error {}

    /// With it a request names itself, by at most 16 hexadecimal digits, and a host that repeats it shows whose answer an answer is.
    private static let mark = "CardPresent-Request"

    private struct Connections {
        var client: HTTPClient
        /// The host has repeated a mark.
        var areMarked = false
    }

    private let connections: Mutex<Connections>
    private let configuration: HTTPClient.Configuration
    private let address: GatewayAddress
    private let options: ConnectionOptions

    init(_ address: GatewayAddress, _ options: ConnectionOptions) throws(HostError) {
        self.address = address
        self.options = options
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.timeout.read = TimeAmount(options.answerTimeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Before a host gives it up: a request that crosses the end of its connection leaves its outcome open.
        configuration.connectionPool.idleTimeout = .seconds(10)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = options.trustedCertificates {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            } catch {
                throw HostError(.failed, "\(file): no certificates (PEM) that can be read")
            }
        }
        configuration.tlsConfiguration = tls
        self.configuration = configuration
        connections = Mutex(Connections(client: HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)))
    }

    deinit { connections.withLock { $0.client }.shutdown { _ in } }

    /// Gives up every connection that is open, since one of them may hold an answer that belongs to nobody.
    private func startAnew() {
        let old = connections.withLock { connections in
            defer { connections = Connections(client: HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)) }
            return connections.client
        }
        old.shutdown { _ in }
    }

    /// Sends one request, once.
    ///
    /// - Parameters:
    ///   - operation: what the log calls it.
    ///   - path: behind the gateway's own, percent-encoded.
    /// - Throws: ``HostError/Code/unreachable`` if certainly nothing of the request was acted upon, ``HostError/Code/noAnswer`` if that is not known.
    func send(
        _ operation: StaticString, _ method: String, _ path: String, headers: [(String, String)], body: [UInt8]? = nil
    ) async throws(HostError) -> Answer {
        var request = HTTPClientRequest(url: address.origin + address.path + path)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.headers.add(name: "Cache-Control", value: "no-store")
        let mark = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        request.headers.add(name: Self.mark, value: mark)
        let (client, areMarked) = connections.withLock { ($0.client, $0.areMarked) }
        if !areMarked { request.headers.add(name: "Connection", value: "close") }
        let departure = Departure()
        if let body {
            request.body = .stream(OneBuffer(buffer: ByteBuffer(bytes: body), departure: departure), length: .known(Int64(body.count)))
        }
        let start = ContinuousClock.now
        do {
            let answer = try await answer(to: request, client)
            if answer.mark == mark { connections.withLock { $0.areMarked = true } }
            guard answer.mark == mark || (!areMarked && answer.mark == nil) else { throw ForeignAnswer() }
            options.logger.debug("\(operation): \(answer.status) in \(milliseconds(since: start)) ms")
            return answer
        } catch is NIOTooManyBytesError {
            throw HostError(.answerNotGenuine, "the gateway's answer is larger than any that it can give")
        } catch is ForeignAnswer {
            startAnew()
            options.logger.debug("\(operation): an answer to another request after \(milliseconds(since: start)) ms")
            throw HostError(.noAnswer, "\(address.origin) answered another request: what became of this one is not known")
        } catch {
            let hasLeft = body == nil ? !Self.isBeforeConnection(error) : departure.hasLeft
            options.logger.debug("\(operation): \(hasLeft ? "no answer" : "unreachable") after \(milliseconds(since: start)) ms")
            guard hasLeft else {
                throw HostError(.unreachable, "\(address.origin) cannot be reached (\(Self.reason(error))): check network and address")
            }
            throw HostError(.noAnswer, "\(address.origin) did not answer (\(Self.reason(error))): what became of the request is not known")
        }
    }

    /// The answer, whole, or an error when the time for it is over.
    private func answer(to request: HTTPClientRequest, _ client: HTTPClient) async throws -> Answer {
        let timeout = TimeAmount(options.answerTimeout)
        let exchange = Task {
            let response = try await client.execute(request, timeout: timeout)
            var body = try await response.body.collect(upTo: Self.maximumAnswer)
            return Answer(
                status: Int(clamping: response.status.code), body: body.readBytes(length: body.readableBytes) ?? [],
                extensions: response.headers.first(name: "CardPresent-Extensions"), mark: response.headers.first(name: Self.mark))
        }
        // A timer of the event loop's is gone when it is cancelled; that of a sleeping task stays in memory until its time has come.
        let timer = client.eventLoopGroup.any().scheduleTask(in: timeout) { exchange.cancel() }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await exchange.value
            } onCancel: {
                exchange.cancel()
            }
        } catch  where exchange.isCancelled && !Task.isCancelled {
            throw HTTPClientError.deadlineExceeded
        }
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int64 {
        let duration = ContinuousClock.now - start
        return duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    /// Whether a request without a body cannot have left.
    private static func isBeforeConnection(_ error: any Error) -> Bool {
        if error is NIOConnectionError || error is NIOSSLError { return true }
        let early: [HTTPClientError] = [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout]
        return (error as? HTTPClientError).map { early.contains($0) } ?? false
    }

    /// A word for the log and the operator; descriptions of errors might quote what was sent.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case is NIOConnectionError: "no connection"
        case is IOError: "connection lost"
        case is NIOSSLError: "TLS failed"
        case let error as HTTPClientError where error == .cancelled: "cancelled"
        case let error as HTTPClientError where [.deadlineExceeded, .readTimeout, .connectTimeout].contains(error): "time-out"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "connection closed"
        default: "the exchange failed"
        }
    }
}

/// Whether a request's body has been asked for: before that no byte of it can have left.
private final class Departure: Sendable {
    private let left = Mutex(false)
    var hasLeft: Bool { left.withLock { $0 } }
    func leave() { left.withLock { $0 = true } }
}

/// A body in one piece that says when it goes.
private struct OneBuffer: AsyncSequence, Sendable {
    let buffer: ByteBuffer
    let departure: Departure

    struct AsyncIterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?
        let departure: Departure

        mutating func next() async -> ByteBuffer? {
            departure.leave()
            defer { buffer = nil }
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer, departure: departure) }
}
