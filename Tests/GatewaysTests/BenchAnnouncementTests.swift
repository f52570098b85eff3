import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import Gateways
import PaymentTerminal
import Synchronization
import Testing

/// A bench host announces itself, so that a terminal of a shop sells nothing there.
@Suite struct BenchAnnouncementTests {
    private func terminal(_ host: any PaymentHost, _ mode: Terminal.Configuration.Mode) -> Terminal {
        Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: mode),
            host: host, journal: MemoryJournal())
    }

    private func sale(_ order: String) throws -> Sale {
        Sale(orderID: try OrderID(order), amount: "10.00 EUR", source: .keyed(try details(), cvv: nil))
    }

    @Test(
        "a production terminal is refused before its first request, with extensions and without",
        arguments: [true, false])
    func production(hasExtensions: Bool) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.hasExtensions = hasExtensions }
        let hosts: [any PaymentHost] = [try bench.rest(port), try bench.xml(port)]
        for host in hosts {
            let shop = terminal(host, .production)
            for _ in 0..<2 {
                let error = await #expect(throws: TerminalError.self) { try await shop.processSale(sale("o1")) }
                #expect(error?.code == .testEquipment)
            }
            let recovery = await #expect(throws: TerminalError.self) { try await shop.recoverPending() }
            #expect(recovery?.code == .testEquipment)
        }
        #expect(try await bench.host.transactions(TransactionQuery()).isEmpty)
        for (index, host) in hosts.enumerated() {
            #expect(try await terminal(host, .test).processSale(sale("t\(index)")).outcome == .approved)
        }
    }

    @Test("tokens of the application: the host is asked for the settings first") func clientToken() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let token = SecretBytes(try await bench.token(port).utf8)
        let account = RESTGateway.Account(
            terminalID: HostBench.terminalID,
            credential: .clientToken { try RESTGateway.ClientToken(token, lifetime: .seconds(3600)) })
        let gateway = try RESTGateway(
            GatewayAddress("http://127.0.0.1:\(port)/merchant"), account: account, options: bench.options)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal(gateway, .production).processSale(sale("o1"))
        }
        #expect(error?.code == .testEquipment)
    }

    private func gateway(_ network: AnnouncingNetwork) throws -> RESTGateway {
        try RESTGateway(
            try GatewayAddress("https://gateway.example"),
            account: RESTGateway.Account(terminalID: HostBench.terminalID, apiKey: SecretBytes("k".utf8)),
            options: ConnectionOptions(),
            now: { .now }, network: { network })
    }

    @Test("extensions alone do not make a bench: a gateway may have them") func extensionsAlone() async throws {
        let network = AnnouncingNetwork(isBench: false)
        let gateway = try gateway(network)
        #expect(await gateway.testOnlyReason == nil)
        #expect(await gateway.testOnlyReason == nil)
        #expect(network.paths == ["authenticate"])
        // The gateway fails after it has the payment.
        #expect(try await terminal(gateway, .production).processSale(sale("o1")).outcome == .unknown)
        #expect(network.paths.contains("payments"))
    }

    @Test("an error of a system on the way says nothing of the host behind it") func errorBefore() async throws {
        let network = AnnouncingNetwork(isBench: true, proxyErrors: 1)
        let gateway = try gateway(network)
        #expect(await gateway.testOnlyReason == nil)
        #expect(await gateway.testOnlyReason != nil)
        #expect(network.paths == ["authenticate", "authenticate"])
    }

    /// A host that could not be asked, and can be reached when the payment would leave.
    @Test("a bench host that answers between the question and the payment gets no payment", arguments: [1, 2])
    func reachedBetween(_ unreachable: Int) async throws {
        let network = AnnouncingNetwork(isBench: true, unreachable: unreachable)
        let gateway = try gateway(network)
        while network.paths.count < unreachable { #expect(await gateway.testOnlyReason == nil) }
        let error = await #expect(throws: HostError.self) {
            _ = try await gateway.authorize(request("o1", "10.00", keyed()))
        }
        #expect(error?.code == .failed(.unreachable))
        #expect(!network.paths.contains("payments"))
        #expect(await gateway.testOnlyReason != nil)
    }

    @Test("a gateway that could not be asked what it is gets the payment when it has answered") func isGateway()
        async throws
    {
        let network = AnnouncingNetwork(isBench: false, unreachable: 1)
        let gateway = try gateway(network)
        #expect(await gateway.testOnlyReason == nil)
        await #expect(throws: HostError.self) { _ = try await gateway.authorize(request("o1", "10.00", keyed())) }
        #expect(network.paths.contains("payments"))
    }

    @Test("a bench host that cannot be reached at the beginning gets nothing when it can be") func reachedLate()
        async throws
    {
        let network = AnnouncingNetwork(isBench: true, unreachable: 1)
        let shop = terminal(try gateway(network), .production)
        await #expect(throws: TerminalError.self) { try await shop.processSale(sale("o1")) }
        let error = await #expect(throws: TerminalError.self) { try await shop.processSale(sale("o1")) }
        #expect(error?.code == .testEquipment)
        #expect(network.paths.allSatisfy { $0 == "authenticate" })
    }
}

/// Answers with a token and our extensions, as a bench host or not, after it was not to be reached
/// for so many requests, and after a system on the way has answered so many with errors.
private final class AnnouncingNetwork: HTTPNetwork, HTTPTransport {
    private let isBench: Bool
    private let unreachable: Mutex<Int>
    private let proxyErrors: Mutex<Int>
    private let asked = Mutex<[String]>([])

    init(isBench: Bool, unreachable: Int = 0, proxyErrors: Int = 0) {
        self.isBench = isBench
        self.proxyErrors = Mutex(proxyErrors)
        self.unreachable = Mutex(unreachable)
    }

    var paths: [String] { asked.withLock { $0 } }

    func connect() -> any HTTPTransport { self }
    func close() {}

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        let path = String(request.url.split(separator: "?")[0].split(separator: "/").last ?? "")
        asked.withLock { $0.append(path) }
        let isAway = unreachable.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        guard !isAway else { throw .unreachable(.connectionRefused) }
        let isProxy = proxyErrors.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        guard !isProxy else { return HTTPResponse(status: 502, headers: [], body: []) }
        let headers = isBench ? [(name: "CardPresent-Bench", value: "1")] : []
        guard path == "authenticate" else { return HTTPResponse(status: 500, headers: headers, body: []) }
        return HTTPResponse(
            status: 200, headers: headers,
            body: Array(#"{"token": "t", "tokenType": "Bearer", "expiresIn": 1, "cardpresent": {"version": 1}}"#.utf8))
    }
}
