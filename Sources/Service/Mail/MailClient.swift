import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
public import Outbox

/// Sends mails to a server.
public struct MailClient: Sendable {
    private let server: MailServer

    public init(_ server: MailServer) { self.server = server }

    /// Sends one mail over a connection of its own.
    ///
    /// - Returns: What is certain: `delivered` when the server has taken it; `refused` for a
    ///   permanent answer about this mail; `failed` for everything before the mail's end was sent;
    ///   `unknown` if no answer came to it.
    public func send(_ message: MailMessage) async -> Delivery.Result {
        if let fault = server.fault { return .failed(fault) }
        do {
            let context = try NIOSSLContext(configuration: configuration())
            let session = SMTPSession(message, at: server, isSecure: server.security == .implicitTLS)
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let result = loop.makePromise(of: Delivery.Result.self)
            let (name, limit) = (tlsName, TimeAmount.seconds(server.timeLimit))
            let isImplicit = server.security == .implicitTLS
            let connecting = ClientBootstrap(group: loop).connectTimeout(limit).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let makeTLS = { try NIOSSLClientHandler(context: context, serverHostname: name) }
                    if isImplicit { try channel.pipeline.syncOperations.addHandler(makeTLS()) }
                    try channel.pipeline.syncOperations.addHandler(
                        SMTPHandler(session, limit: limit, result: result, makeTLS: makeTLS))
                }
            }.connect(host: server.host, port: server.port)
            connecting.whenFailure { _ in result.succeed(.failed("the mail server is not reached")) }
            return try await result.futureResult.get()
        } catch {
            return .failed("the certificates to trust cannot be read")
        }
    }

    private func configuration() throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let file = server.trustedCertificates {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
        }
        return tls
    }

    /// No name is sent for an IP address; its certificate is checked against the address.
    private var tlsName: String? {
        (try? SocketAddress(ipAddress: server.host, port: 0)) == nil ? server.host : nil
    }
}

/// Moves the session's bytes. All of it is called on the channel's event loop.
private final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var session: SMTPSession
    private var reader = SMTPReplyReader()
    private let limit: TimeAmount
    private let result: EventLoopPromise<Delivery.Result>
    private let makeTLS: () throws -> NIOSSLClientHandler
    private var timer: Scheduled<Void>?
    private var isEnded = false
    /// Whether STARTTLS was agreed, and TLS is not there yet.
    private var awaitsTLS = false

    init(
        _ session: SMTPSession, limit: TimeAmount, result: EventLoopPromise<Delivery.Result>,
        makeTLS: @escaping () throws -> NIOSSLClientHandler
    ) {
        self.session = session
        self.limit = limit
        self.result = result
        self.makeTLS = makeTLS
    }

    func channelActive(context: ChannelHandlerContext) {
        expectAnswer(context, limit)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(Self.unwrapInboundIn(data).readableBytesView)
        for (index, byte) in bytes.enumerated() where !isEnded {
            let reply: SMTPReply?
            do throws(SMTPReplyReader.Broken) {
                reply = try reader.take(byte)
            } catch {
                return end(session.cut("the mail server does not speak SMTP"), context)
            }
            guard let reply else { continue }
            let step = session.take(reply)
            // Bytes behind the answer came before TLS: somebody may have put them there.
            if step == .startTLS, index != bytes.count - 1 {
                return end(.failed("the mail server sent more than its answer before TLS"), context)
            }
            run(step, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if awaitsTLS, case .handshakeCompleted? = event as? TLSUserEvent {
            awaitsTLS = false
            run(session.secured(), context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(session.cut("the mail server ended the connection"), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTLS = error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
        end(session.cut(isTLS ? "TLS with the mail server failed" : "the connection broke"), context)
    }

    private func run(_ step: SMTPSession.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let bytes):
            let isEnd = bytes == Array(".\r\n".utf8)
            expectAnswer(context, isEnd ? limit * 5 : limit)
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .sendBody(let bytes):
            expectAnswer(context, limit)
            let written = context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes)))
            written.assumeIsolated().whenSuccess { [self] in
                if !isEnded { run(session.bodyWritten(), context) }
            }
        case .startTLS:
            awaitsTLS = true
            expectAnswer(context, limit)
            do {
                try context.pipeline.syncOperations.addHandler(makeTLS(), position: .first)
            } catch {
                end(.failed("TLS with the mail server failed"), context)
            }
        case .end(let result): end(result, context)
        }
    }

    private func expectAnswer(_ context: ChannelHandlerContext, _ limit: TimeAmount) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
            end(session.cut("the mail server did not answer in time"), context)
        }
    }

    private func end(_ result: Delivery.Result, _ context: ChannelHandlerContext) {
        guard !isEnded else { return }
        isEnded = true
        timer?.cancel()
        self.result.succeed(result)
        let goodbye = Self.wrapOutboundOut(ByteBuffer(string: "QUIT\r\n"))
        if session.isSecure, result == .delivered { context.writeAndFlush(goodbye, promise: nil) }
        context.close(promise: nil)
    }
}
