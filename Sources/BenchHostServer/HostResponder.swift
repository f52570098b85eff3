import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The connection that a request came over, so that it can be closed without an answer.
struct HostContext: InitializableFromSource {
    let channel: any Channel
    let logger: Logger

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}

/// Brings requests to their interface, and what comes of them to the wire.
struct HostResponder: HTTPResponder {
    /// In bytes; more is refused unread.
    private static let maximumBody = 65_536
    private static let mark = HTTPField.Name("CardPresent-Request")
    let xml: XMLInterface
    let rest: RESTInterfaceHandler
    let hasExtensions: Bool
    let silence: Duration
    let marked = MarkedReplies()

    func respond(to request: Request, context: HostContext) async throws -> Response {
        let reply = try await reply(to: request)
        context.logger.info("\(reply.operation): \(reply.status)")
        switch reply.ending {
        case .answer: return response(reply, to: request)
        case .silence:
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: silence) }
            fallthrough
        case .close:
            context.channel.close(promise: nil)
            return response(reply, to: request)
        }
    }

    private func reply(to request: Request) async throws -> HostReply {
        let path = request.uri.path.split(separator: "/").map { $0.removingPercentEncoding ?? "" }
        guard path.first == String(BenchHostServer.basePath.dropFirst()) else { return notFound }
        var body: [UInt8] = []
        do {
            var buffer = try await request.body.collect(upTo: Self.maximumBody)
            body = buffer.readBytes(length: buffer.readableBytes) ?? []
        } catch is NIOTooManyBytesError {
            return HostReply(status: 413, body: [], operation: "too large")
        }
        let query = (request.uri.query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: parts[0].removingPercentEncoding ?? "", value: parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : ""
            )
        }
        let read = HostRequest(
            method: request.method.rawValue, path: path, query: query, authorization: request.headers[.authorization], body: body)
        guard let mark = mark(of: request), request.method != .get else { return await reply(to: read) }
        return await marked.reply(to: read, mark: mark) { await reply(to: read) }
    }

    private func reply(to request: HostRequest) async -> HostReply {
        let path = request.path.dropFirst()
        if path.elementsEqual(["xmlpayment"]) {
            switch request.method {
            case "POST": return await xml.reply(to: request.body)
            case "OPTIONS":
                return HostReply(
                    status: 204, body: [], headers: hasExtensions ? [("CardPresent-Extensions", "1")] : [], operation: "options")
            default: return HostReply(status: 405, body: [], operation: "method not allowed")
            }
        }
        guard path.prefix(2).elementsEqual(["api", "v1"]) else { return notFound }
        return await rest.reply(to: request, path: path.dropFirst(2))
    }

    /// By what the request names itself; nil if it does not, or if the host knows nothing of it.
    private func mark(of request: Request) -> String? {
        guard hasExtensions, let mark = Self.mark.flatMap({ request.headers[$0] }), mark.utf8.count <= 16 else { return nil }
        return mark
    }

    private var notFound: HostReply { HostReply(status: 404, body: [], operation: "not found") }

    private func response(_ reply: HostReply, to request: Request) -> Response {
        var headers = HTTPFields()
        // Whose answer it is, so that a client may keep its connection.
        if let name = Self.mark { headers[name] = mark(of: request) }
        if !reply.body.isEmpty { headers[.contentType] = reply.contentType }
        headers[.cacheControl] = "no-store"
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: HTTPResponse.Status(code: reply.status), headers: headers,
            body: reply.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
    }
}

extension Substring {
    /// The text with its percent-encoded bytes in place (RFC 3986, 2.1); nil if they make no UTF-8.
    fileprivate var removingPercentEncoding: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, let decoded = UInt8(digits, radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
