import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The connection that a request came over, so that it can be closed without an answer.
struct HostContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Reads requests within their limits, and writes the replies to the wire.
struct Exchange: Sendable {
    private static let mark = HTTPField.Name("CardPresent-Request")
    private static let bench = HTTPField.Name("CardPresent-Bench")
    let hasExtensions: Bool
    let silence: Duration
    let limits: ServerLimits
    let refusals: RateLimit
    let unproven: UnprovenConnections

    /// Answers with what `make` replies to the request.
    func respond(
        to request: Request, _ context: HostContext, _ make: @Sendable (HostRequest) async -> HostReply
    ) async throws -> Response {
        let subject = LogSubject()
        let reply = try await reply(to: request, about: subject, context, make)
        context.logger.info("\(reply.operation): \(reply.status)", metadata: subject.metadata)
        switch reply.ending {
        case .answer: return response(reply, to: request, context)
        case .silence:
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: silence) }
            fallthrough
        case .close:
            context.channel.close(promise: nil)
            return response(reply, to: request, context)
        }
    }

    private func reply(
        to request: Request, about subject: LogSubject, _ context: HostContext,
        _ make: @Sendable (HostRequest) async -> HostReply
    ) async throws -> HostReply {
        guard let body = try await body(of: request, context) else {
            return HostReply(status: 413, body: [], operation: "too large")
        }
        unproven.serve(context.channel)
        let query = (request.uri.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: parts[0].removingPercentEncoding ?? "",
                value: parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : ""
            )
        }
        let read = HostRequest(
            method: request.method.rawValue, path: request.uri.path, parameters: parameters(context), query: query,
            authorization: request.headers[.authorization], body: body,
            mark: request.method == .get ? nil : mark(of: request),
            subject: subject)
        let reply = await make(read)
        if reply.provesCredentials { unproven.prove(context.channel) }
        unproven.wait(context.channel)
        // Only guesses are counted, and only they are answered so: whoever has credentials is
        // served, whatever others do at the same address.
        guard reply.isRefused, !refusals.count(context.channel.remoteAddress?.ipAddress ?? "") else { return reply }
        return .tooMany(read)
    }

    private func parameters(_ context: HostContext) -> [String: String] {
        Dictionary(context.parameters.map { (String($0.key), $0.value.removingPercentEncoding ?? "") }) { first, _ in
            first
        }
    }

    /// Reads the body to its end, in the time that it has; nil if there is too much of it.
    private func body(of request: Request, _ context: HostContext) async throws -> [UInt8]? {
        let closing = Closing(context.channel, after: limits.exchange)
        defer { closing.cancel() }
        return try await withGracefulShutdownHandler {
            var body: [UInt8] = []
            var isWithin = true
            // Reads to the end in any case: the rest would be interpreted as the next request.
            for try await part in request.body {
                isWithin = isWithin && body.count + part.readableBytes <= limits.bodyBytes
                if isWithin { body += part.readableBytesView }
            }
            return isWithin ? body : nil
        } onGracefulShutdown: {
            closing.hasten(limits.ending)
        }
    }

    /// The client's mark, which the answer repeats; nil without a mark or the host's extensions.
    private func mark(of request: Request) -> String? {
        guard hasExtensions, let mark = Self.mark.flatMap({ request.headers[$0] }), mark.utf8.count <= 16 else {
            return nil
        }
        return mark
    }

    private func response(_ reply: HostReply, to request: Request, _ context: HostContext) -> Response {
        var headers = HTTPFields()
        // Identifies the request of the answer, so that a client may keep its connection.
        if let name = Self.mark { headers[name] = mark(of: request) }
        if !reply.body.isEmpty { headers[.contentType] = reply.contentType }
        headers[.cacheControl] = "no-store"
        // No terminal of a shop is to take the host for one that moves money.
        if let name = Self.bench { headers[name] = "1" }
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let (channel, limit) = (context.channel, limits.exchange)
        return Response(
            status: HTTPResponse.Status(code: reply.status), headers: headers,
            // A status of 204 has no body, and no length of one (RFC 9110, 8.6).
            body: reply.status == 204
                ? ResponseBody()
                : ResponseBody(contentLength: reply.body.count) { writer in
                    // A client that does not read cannot block the server indefinitely.
                    let closing = Closing(channel, after: limit)
                    defer { closing.cancel() }
                    if !reply.body.isEmpty { try await writer.write(ByteBuffer(bytes: reply.body)) }
                    try await writer.finish(nil)
                })
    }
}

/// Closes a connection after a time limit, unless it is cancelled first.
private final class Closing: Sendable {
    private let channel: any Channel
    private let scheduled: Mutex<Scheduled<Void>>

    init(_ channel: any Channel, after delay: Duration) {
        self.channel = channel
        scheduled = Mutex(Self.schedule(channel, delay))
    }

    /// Shortens the time limit to this time from now.
    func hasten(_ delay: Duration) {
        scheduled.withLock { scheduled in
            scheduled.cancel()
            scheduled = Self.schedule(channel, delay)
        }
    }

    func cancel() { scheduled.withLock { $0.cancel() } }

    private static func schedule(_ channel: any Channel, _ delay: Duration) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(delay)) { channel.close(promise: nil) }
    }
}

extension Substring {
    /// The text with its percent-encoded bytes in place (RFC 3986, 2.1); nil if they are not UTF-8.
    fileprivate var removingPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let decoded = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
