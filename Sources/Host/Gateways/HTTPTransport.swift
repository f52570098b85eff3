package import Bytes

/// One request as it goes over the line.
package struct HTTPRequest: Sendable {
    package let method: String
    package let url: String
    package let headers: [(name: String, value: String)]
    package let body: SecretBytes?

    init(method: String, url: String, headers: [(String, String)], body: SecretBytes?) {
        self.method = method
        self.url = url
        self.headers = headers.map { (name: $0.0, value: $0.1) }
        self.body = body
    }
}

package struct HTTPResponse: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header, whose name has no case.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// Why there is no answer. It quotes nothing that was sent.
package enum HTTPTransportError: Error, Sendable, CustomStringConvertible {
    /// Certainly nothing of the request has left.
    case unreachable(Reason)
    /// The request may have left.
    case noAnswer(Reason)
    case answerTooLarge

    package enum Reason: String, Sendable {
        case cancelled
        case nameNotFound = "its name is not known"
        case connectionRefused = "the connection was refused"
        case noRoute = "no network leads there"
        case connectionLost = "connection lost"
        case connectionClosed = "connection closed"
        case certificateExpired = "its certificate has expired"
        case certificateNotYetValid = "its certificate is not valid yet"
        case certificateForOtherName = "its certificate is for another name"
        case certificateNotTrusted = "its certificate is of an unknown authority"
        case certificateWithShortKey = "its certificate has an RSA key of less than 2,048 bits"
        case certificateWithOldDigest = "its certificate is signed with SHA-1 or MD5"
        case certificateWithoutNames = "its certificate has no alternative name"
        case certificateForAnyName = "its certificate is for every name"
        case certificateNotUnderstood = "its certificate has an unknown key or signature"
        case noTLS = "no TLS 1.2 or later"
        case timeout = "timed out"
        case other = "the exchange failed"
    }

    package var description: String {
        switch self {
        case .unreachable(let reason): "the host is unreachable: \(reason.rawValue)"
        case .noAnswer(let reason): "the host did not answer: \(reason.rawValue)"
        case .answerTooLarge: "the host's answer is too large"
        }
    }
}

/// What takes requests to a host and brings their answers: the connections to one host.
package protocol HTTPTransport: Sendable {
    /// Sends the request, once, and returns the whole answer when it is here. Ends when its task is
    /// cancelled, and when the time for an answer is over.
    ///
    /// - Parameter limit: Of the answer's body, in bytes.
    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse

    /// Gives up every connection.
    func close()
}

/// Makes the connections to hosts: over the network, or over its double in a test.
package protocol HTTPNetwork: Sendable {
    func connect() -> any HTTPTransport
}
