package import Bytes
private import Logging
package import PaymentTerminal
private import Synchronization

/// Requests and answers over HTTP/1.1: no redirects, no caches, no repetition.
///
/// HTTP/1.1 does not mark an answer with its request. If a system on the way doubles a request, a
/// second answer follows, and the next request on the connection would take it for its own. So a
/// connection carries one request, unless the host repeats a mark of ours in its answers, as the
/// bench host does.
package final class HTTPExchange: Sendable {
    /// In bytes.
    static let maximumAnswer = 1_048_576

    package struct Answer {
        package let status: Int
        package let body: [UInt8]
        let extensions: String?
        /// Of the request that it answers, if the host repeats marks.
        let mark: String?

        /// Whether it is an answer to `OPTIONS` that names our extensions of the XML interface.
        var namesExtensions: Bool { (200..<300).contains(status) && extensions == "1" }

        /// The error for an answer that a gateway does not give.
        package func errorOfNoGateway(_ failure: HostError.Failure) -> HostError {
            HostError(
                failure,
                "a server answered with status \(status), which is not the gateway's: check the path of its address, or try again later",
                fault: status == 404 ? .wrongAddress : nil)
        }
    }

    /// With it a host for tests announces that no money moves there.
    private static let bench = "CardPresent-Bench"

    /// What the host has said of itself.
    private struct Announcement {
        /// Whether it has answered with success: errors may come from a system on the way.
        var hasAnswered = false
        var isBench = false
    }

    private let announcement = Mutex(Announcement())

    /// Whether an answer of the host has come, so that one for tests would have announced itself.
    var hasAnswered: Bool { announcement.withLock { $0.hasAnswered } }

    /// Why no money moves at the host, as it announced in one of its answers; nil if it did not.
    var testOnlyReason: String? { announcement.withLock { $0.isBench } ? "it announces itself as a bench host" : nil }

    /// With it a request names itself, by at most 16 hexadecimal digits, and a host that repeats it
    /// shows whose answer an answer is.
    private static let mark = "CardPresent-Request"

    private struct Connections {
        var transport: any HTTPTransport
        /// The host has repeated a mark.
        var areMarked = false
    }

    private let connections: Mutex<Connections>
    private let address: GatewayAddress
    private let options: ConnectionOptions
    private let network: any HTTPNetwork

    /// - Parameter terminalID: Goes into each line of the log.
    package init(
        _ address: GatewayAddress, _ options: ConnectionOptions, terminalID: String, over network: any HTTPNetwork
    ) {
        self.address = address
        var options = options
        options.logger[metadataKey: "terminal"] = "\(terminalID)"
        self.options = options
        self.network = network
        connections = Mutex(Connections(transport: network.connect()))
    }

    deinit { connections.withLock { $0.transport }.close() }

    /// Closes every open connection: one of them may still receive the answer to an abandoned
    /// request.
    private func restart() {
        let old = connections.withLock { connections in
            defer { connections = Connections(transport: network.connect()) }
            return connections.transport
        }
        old.close()
    }

    /// Sends one request, once.
    ///
    /// - Parameters:
    ///   - operation: what the log calls it.
    ///   - path: behind the gateway's own, percent-encoded.
    /// - Throws: ``HostError/Failure/unreachable`` if the host has certainly not acted on the
    ///   request, ``HostError/Failure/noAnswer`` if that is not known.
    package func send(
        _ operation: StaticString, _ method: String, _ path: String, headers: [(String, String)],
        body: SecretBytes? = nil
    ) async throws(HostError) -> Answer {
        let mark = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let (transport, areMarked) = connections.withLock { ($0.transport, $0.areMarked) }
        var headers = headers + [("Cache-Control", "no-store"), (Self.mark, mark)]
        if !areMarked { headers.append(("Connection", "close")) }
        let request = HTTPRequest(
            method: method, url: address.origin + address.path + path, headers: headers, body: body)
        let start = ContinuousClock.now
        let answer: Answer
        do throws(HTTPTransportError) {
            let response = try await transport.answer(to: request, limit: Self.maximumAnswer)
            answer = Answer(
                status: response.status, body: response.body, extensions: response.header("CardPresent-Extensions"),
                mark: response.header(Self.mark))
            let isBench = response.header(Self.bench) != nil
            let hasAnswered = (200..<300).contains(response.status)
            announcement.withLock {
                $0 = Announcement(hasAnswered: $0.hasAnswered || hasAnswered, isBench: $0.isBench || isBench)
            }
        } catch {
            throw hostError(error, operation, milliseconds(since: start))
        }
        if answer.mark == mark { connections.withLock { $0.areMarked = true } }
        guard answer.mark == mark || (!areMarked && answer.mark == nil) else {
            restart()
            options.logger.debug("\(operation): an answer to another request after \(milliseconds(since: start)) ms")
            throw HostError(.noAnswer, "\(address.origin) answered another request: the outcome of this one is unknown")
        }
        options.logger.debug("\(operation): \(answer.status) in \(milliseconds(since: start)) ms")
        return answer
    }

    private func hostError(_ error: HTTPTransportError, _ operation: StaticString, _ milliseconds: Int64) -> HostError {
        switch error {
        case .answerTooLarge: return HostError(.answerNotGenuine, "the gateway's answer is too large")
        case .unreachable(let reason):
            options.logger.warning("\(operation): unreachable after \(milliseconds) ms: \(reason.rawValue)")
            return HostError(
                .unreachable, "\(address.origin) cannot be reached (\(reason.rawValue)): \(reason.cure)",
                fault: reason.fault)
        case .noAnswer(let reason):
            options.logger.warning("\(operation): no answer after \(milliseconds) ms: \(reason.rawValue)")
            return HostError(
                .noAnswer,
                "\(address.origin) did not answer (\(reason.rawValue)): the outcome of the request is unknown")
        }
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int64 {
        let duration = ContinuousClock.now - start
        return duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}
