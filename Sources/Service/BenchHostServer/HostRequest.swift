import CardCryptography
import HTTPService
import JSONDocument
import PaymentTerminal
import WorldNet

/// A request for the interfaces.
struct HostRequest: Sendable {
    let method: String
    let path: String
    /// What stands in the path for the names of its route, decoded.
    let parameters: [String: String]
    let query: [(name: String, value: String)]
    /// The header `Authorization`.
    let authorization: String?
    let body: [UInt8]
    /// The client's mark, which identifies copies of the request; nil if there is none.
    let mark: String?
    let subject: LogSubject

    /// What stands in the path in place of `name`.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }
    /// Of all that it asks for: a copy has the same.
    var digest: [UInt8] {
        let text = ([method, path] + query.flatMap { [$0.name, $0.value] }).joined(separator: "\n")
        return SHA256.hash(Array(text.utf8), [0], body)
    }

    func query(_ name: String) -> String? { query.first { $0.name == name }?.value }
    func queries(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}

/// The result of a request.
struct HostReply: Sendable {
    enum Ending: Sendable {
        case answer
        /// The connection is closed without an answer.
        case close
        /// There is no answer; the connection is closed after a long time.
        case silence
    }

    var status: Int
    static let json = "application/json"
    static let xml = "text/xml;charset=UTF-8"

    var contentType = json
    var body: [UInt8]
    var headers: [(name: String, value: String)] = []
    var ending = Ending.answer
    /// Whether the request had no valid credentials.
    var isRefused = false
    /// Whether anybody gets it.
    var isPublic = false
    /// Whether only a request with valid credentials gets it.
    var provesCredentials: Bool { !isRefused && !isPublic && (200..<300).contains(status) }
    /// For the log: no data of a card or a cardholder, no token.
    var operation: String

    static func ending(_ ending: Ending, _ operation: String) -> HostReply {
        HostReply(status: 500, body: [], ending: ending, operation: operation)
    }

    /// RFC 6585, 4. With the interface's own error document: the request was not executed, and no
    /// other system says so.
    static func tooMany(_ request: HostRequest) -> HostReply {
        let error = HostError(.unreachable, "too many requests: wait a second")
        let isXML = request.path.hasSuffix("/xmlpayment")
        return HostReply(
            status: 429, contentType: isXML ? xml : json,
            body: isXML ? XMLMessage(error).document : RESTError.document(error, debugIdentifier: "").document,
            headers: [("Retry-After", "1")], operation: "too many requests")
    }
}

extension Senders<HostReply> {
    /// - Parameter sender: The authenticated sender.
    func reply(
        to request: HostRequest, from sender: String, _ make: @Sendable () async -> HostReply
    ) async -> HostReply {
        await reply(to: request.digest, from: sender, mark: request.mark, tooMany: .tooMany(request), make)
    }
}
