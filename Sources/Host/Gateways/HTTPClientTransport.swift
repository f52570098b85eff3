internal import AsyncHTTPClient
internal import Bytes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
package import PaymentTerminal
private import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The network: TLS 1.2 or later with verified certificates, HTTP/1.1, no redirects, no proxies, no
/// repetition.
package struct HTTPClientNetwork: HTTPNetwork {
    private let configuration: HTTPClient.Configuration
    private let tls: TLSConfiguration
    private let connectTimeout: TimeAmount
    private let answerTimeout: Duration

    /// - Throws: ``HostError/Failure/internalError`` if the file with the trusted certificates
    ///   cannot be read.
    package init(_ options: ConnectionOptions) throws(HostError) {
        answerTimeout = options.answerTimeout
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.timeout.read = TimeAmount(options.answerTimeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Before a host gives it up: a request that crosses the end of its connection leaves its
        // outcome open.
        configuration.connectionPool.idleTimeout = .seconds(10)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = options.trustedCertificates {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            } catch {
                throw HostError(.internalError, "\(file): no readable certificates (PEM)")
            }
        }
        // BoringSSL's own list, without SHA-1.
        tls.verifySignatureAlgorithms = [
            .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
            .rsaPkcs1Sha384, .rsaPssRsaeSha512, .rsaPkcs1Sha512,
        ]
        configuration.tlsConfiguration = tls
        self.tls = tls
        connectTimeout = TimeAmount(options.connectTimeout)
        self.configuration = configuration
    }

    package func connect() -> any HTTPTransport {
        let connections = OpenConnections()
        var configuration = configuration
        configuration.http1_1ConnectionDebugInitializer = { connections.take($0) }
        return HTTPClientTransport(
            HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration), connections, answerTimeout
        ) { [tls, connectTimeout] url in await CertificateQuestion.reason(at: url, tls, within: connectTimeout) }
    }
}

private final class HTTPClientTransport: HTTPTransport {
    private let client: HTTPClient
    private let connections: OpenConnections
    private let answerTimeout: Duration
    /// Why a certificate was refused at a URL.
    private let refusal: @Sendable (String) async -> HTTPTransportError.Reason

    init(
        _ client: HTTPClient, _ connections: OpenConnections, _ answerTimeout: Duration,
        refusal: @escaping @Sendable (String) async -> HTTPTransportError.Reason
    ) {
        self.client = client
        self.connections = connections
        self.answerTimeout = answerTimeout
        self.refusal = refusal
    }

    func close() { client.shutdown { _ in } }

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        var sent = HTTPClientRequest(url: request.url)
        sent.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { sent.headers.add(name: name, value: value) }
        let departure = Departure()
        let buffer = request.body.map { ByteBuffer($0) }
        defer { buffer?.wipe() }
        if let buffer {
            let length = Int64(buffer.readableBytes)
            sent.body = .stream(OneBuffer(buffer: buffer, departure: departure), length: .known(length))
        }
        let mark = connections.mark
        do {
            return try await answer(to: sent, limit)
        } catch is NIOTooManyBytesError {
            throw .answerTooLarge
        } catch {
            let hasStayed =
                connections.hasBeenNone(since: mark) || request.body != nil && !departure.hasLeft
                || ConnectionFailure.isBeforeConnection(error)
            guard hasStayed else { throw .noAnswer(ConnectionFailure.reason(error)) }
            let isRefused = ConnectionFailure.isRefusedCertificate(error)
            throw .unreachable(isRefused ? await refusal(request.url) : ConnectionFailure.reason(error))
        }
    }

    /// The answer, whole, or an error when the time for it is over.
    private func answer(to request: HTTPClientRequest, _ limit: Int) async throws -> HTTPResponse {
        let timeout = TimeAmount(answerTimeout)
        let exchange = Task { [client] in
            let response = try await client.execute(request, timeout: timeout)
            var body = try await response.body.collect(upTo: limit)
            return HTTPResponse(
                status: Int(clamping: response.status.code),
                headers: response.headers.map { (name: $0.name, value: $0.value) },
                body: body.readBytes(length: body.readableBytes) ?? [])
        }
        // A timer of the event loop's is gone when it is cancelled; that of a sleeping task stays
        // in memory until its time has come.
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
}

extension ByteBuffer {
    fileprivate init(_ secret: SecretBytes) {
        self = ByteBufferAllocator().buffer(capacity: secret.count)
        secret.withBytes { bytes in
            _ = unsafe bytes.withUnsafeBufferPointer { unsafe writeBytes(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Overwrites the bytes in their buffer, and so in every slice that the HTTP client still has.
    /// The client does not wipe them.
    ///
    /// Call it when no caller waits for the answer any more. The part of a request that has not
    /// left by then leaves as zeros, which are neither JSON nor XML.
    fileprivate func wipe() {
        unsafe withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: start), bytes.count)
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
