import CReference
import CardBench
import Foundation
import Synchronization
import WorldNet

/// Requests as bytes on the wire, made before any of them is sent: what the host alone can take,
/// from terminals that cost next to nothing.
///
/// Each terminal has a thread and one connection, and sends its next request when the last one is
/// answered.
struct RequestLoad: Sendable {
    private let port: UInt16
    /// Of each terminal.
    private let requests: [[[UInt8]]]
    /// What every answer must hold.
    private let expected: String

    /// The sales of `count` orders, numbered from `first`.
    static func sales(_ count: Int, _ lanes: [Lane], from first: Int, port: Int, apiKey: SecretBytes) throws
        -> RequestLoad
    {
        let connection = try WireConnection(UInt16(port))
        let key = String(decoding: apiKey.revealed(), as: UTF8.self)
        try connection.exchange(request("GET /merchant\(RESTInterface.authenticate)", ["Authorization: Basic \(key)"]))
        guard let token = try JSON(parsing: connection.document)["token"]?.text else {
            throw HostError(.internalError, "no token")
        }
        let requests = try lanes.map { lane in
            try stride(from: first + lane.number, to: first + count, by: lanes.count).map { sale in
                let body = try RESTPayment.document(lane.request(sale), deviceType: "benchmark", hasExtensions: true)
                    .document
                let fields = [
                    "Authorization: Bearer \(token)", "Content-Type: application/json",
                    "CardPresent-Request: \(String(sale, radix: 16))",
                    "Content-Length: \(body.count)",
                ]
                return request("POST /merchant\(RESTInterface.payments)", fields) + body
            }
        }
        return RequestLoad(port: UInt16(port), requests: requests, expected: "\"resultCode\":\"A\"")
    }

    /// Requests for what is not there, which the server refuses before the host hears of them:
    /// HTTP, and nothing else.
    static func refused(_ count: Int, _ lanes: [Lane], port: Int) -> RequestLoad {
        let each = Array(repeating: request("GET /nothing", []), count: count / lanes.count)
        return RequestLoad(port: UInt16(port), requests: lanes.map { _ in each }, expected: "HTTP/1.1 404")
    }

    private static func request(_ line: String, _ fields: [String]) -> [UInt8] {
        Array((["\(line) HTTP/1.1", "Host: localhost"] + fields).map { $0 + "\r\n" }.joined().utf8) + Array("\r\n".utf8)
    }

    /// Sends all of them, and returns when every one was answered as it must be.
    func run() throws {
        let failures = Mutex<[any Error]>([])
        let ended = DispatchSemaphore(value: 0)
        for requests in requests {
            Thread.detachNewThread { [port, expected] in
                do {
                    let connection = try WireConnection(port)
                    for request in requests {
                        try connection.exchange(request)
                        guard connection.holds(expected) else {
                            throw HostError(.internalError, "the host gave another answer")
                        }
                    }
                } catch {
                    failures.withLock { $0.append(error) }
                }
                ended.signal()
            }
        }
        for _ in requests { ended.wait() }
        if let failure = failures.withLock({ $0.first }) { throw failure }
    }
}

/// A connection that sends a request and blocks until its answer is there.
private final class WireConnection {
    private let connection: CInt
    private var answer = [CChar](repeating: 0, count: 16_384)
    private var body = 0

    init(_ port: UInt16) throws {
        connection = reference_connect(port)
        guard connection >= 0 else { throw HostError(.internalError, "no connection to the host") }
    }

    deinit { close(connection) }

    func exchange(_ request: [UInt8]) throws {
        body = reference_exchange(connection, request, request.count, &answer, answer.count)
        guard body >= 0 else { throw HostError(.internalError, "the host did not answer") }
    }

    /// Whether `text` is in the last answer: a search that costs next to nothing.
    func holds(_ text: String) -> Bool { answer.withUnsafeBufferPointer { strstr($0.baseAddress!, text) != nil } }

    /// The body of the last answer.
    var document: [UInt8] { answer[body...].prefix { $0 != 0 }.map { UInt8(bitPattern: $0) } }
}
