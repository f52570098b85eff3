private import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Why a host's certificate was not trusted.
///
/// The HTTP client reports a chain that was refused without a reason. So after such an error the
/// host is asked for its certificates once more, over a connection that carries nothing else.
enum CertificateQuestion {
    /// - Parameters:
    ///   - url: Of the request that was not sent.
    ///   - limit: How long the answer may take.
    static func reason(at url: String, _ tls: TLSConfiguration, within limit: TimeAmount) async
        -> HTTPTransportError.Reason
    {
        guard let address = try? HTTPClient.Request(url: url), let context = try? NIOSSLContext(configuration: tls)
        else {
            return .certificateNotTrusted
        }
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let answer = loop.makePromise(of: HTTPTransportError.Reason.self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(limit).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let name =
                    address.host.contains(where: { $0.isLetter }) && !address.host.contains(":") ? address.host : nil
                let handler = try NIOSSLClientHandler(context: context, serverHostname: name) { certificates, verdict in
                    answer.succeed(reason(certificates, at: time(nil)))
                    verdict.succeed(NIOSSLVerificationResult.failed)
                }
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        let timer = loop.scheduleTask(in: limit) { answer.succeed(.certificateNotTrusted) }
        bootstrap.connect(host: address.host, port: address.port).whenComplete { result in
            switch result {
            case .success(let channel):
                answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
                channel.closeFuture.whenComplete { _ in answer.succeed(.certificateNotTrusted) }
            case .failure: answer.succeed(.certificateNotTrusted)
            }
        }
        defer { timer.cancel() }
        return (try? await answer.futureResult.get()) ?? .certificateNotTrusted
    }

    /// What refuses the chain: its times, or else that nobody who is trusted has issued it.
    private static func reason(_ chain: [NIOSSLCertificate], at now: time_t) -> HTTPTransportError.Reason {
        if chain.contains(where: { $0.notValidAfter < now }) { return .certificateExpired }
        if chain.contains(where: { $0.notValidBefore > now }) { return .certificateNotYetValid }
        return .certificateNotTrusted
    }
}
