import Bytes
import Gateways
import PaymentTerminal
import Synchronization
import Testing

/// Callers share the renewal of a token; one that gives up takes nothing from the others.
@Suite struct TokenRenewalTests {
    private let network = LosingNetwork()

    private func gateway() throws -> RESTGateway {
        try RESTGateway(
            try GatewayAddress("https://gateway.example"),
            account: RESTGateway.Account(terminalID: "T1", apiKey: SecretBytes("k".utf8)),
            options: ConnectionOptions(), now: { .now }, network: { [network] in network })
    }

    @Test("a caller after one that gave up gets a token of its own") func next() async throws {
        let gateway = try gateway()
        let first = Task { try await gateway.transactions(TransactionQuery()) }
        await network.isAsked()
        first.cancel()
        #expect(try await gateway.transactions(TransactionQuery()).isEmpty)
        let error = await #expect(throws: HostError.self) { try await first.value }
        #expect(error?.code == .failed(.unreachable))
    }

    @Test("a renewal that was given up and does not end blocks no other request", .timeLimit(.minutes(20))) func deaf()
        async throws
    {
        network.ignoresCancellation.withLock { $0 = true }
        let gateway = try gateway()
        let first = Task { try await gateway.transactions(TransactionQuery()) }
        await network.isAsked()
        first.cancel()
        #expect(try await gateway.transactions(TransactionQuery()).isEmpty)
        network.release()
        await #expect(throws: HostError.self) { try await first.value }
    }

    @Test("a caller that waits with one that gives up gets a token all the same") func waiting() async throws {
        let gateway = try gateway()
        let first = Task { try await gateway.transactions(TransactionQuery()) }
        await network.isAsked()
        let second = Task { try await gateway.transactions(TransactionQuery()) }
        first.cancel()
        #expect(try await second.value.isEmpty)
    }
}

/// A network that loses the answer to the first request for a token.
private final class LosingNetwork: HTTPNetwork, HTTPTransport {
    private let isFirst = Mutex(true)
    private let asked = AsyncStream<Void>.makeStream()
    let ignoresCancellation = Mutex(false)
    private let held = Mutex<CheckedContinuation<Void, Never>?>(nil)

    /// Waits until the first request has left.
    func isAsked() async { for await _ in asked.stream { break } }

    /// Ends the first request, which ignored that its task was cancelled.
    func release() { held.withLock { $0.take() }?.resume() }

    func connect() -> any HTTPTransport { self }
    func close() {}

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        guard request.url.hasSuffix("authenticate") else { return response(#"{"data":[]}"#) }
        let isLost = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        guard isLost else { return response(#"{"token":"t0","tokenType":"Bearer","expiresIn":1}"#) }
        if ignoresCancellation.withLock({ $0 }) {
            await withCheckedContinuation { continuation in
                held.withLock { $0 = continuation }
                asked.continuation.yield()
            }
            throw .noAnswer(.timeout)
        }
        asked.continuation.yield()
        // Until its task is cancelled; not for ever, so that a test which waits for it fails.
        for _ in 0..<100_000 where !Task.isCancelled { await Task.yield() }
        throw .noAnswer(.timeout)
    }

    private func response(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [], body: Array(text.utf8))
    }
}
