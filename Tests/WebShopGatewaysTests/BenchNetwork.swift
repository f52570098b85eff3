import BenchIPG
import Bytes
import CardCryptography
import FormDocument
import Gateways
import IPG
import OpenSSLKeys
import PaymentTerminal
import Synchronization
import Testing
import WebShopGateways

/// A network with the bench gateway behind it, which loses what the test says.
final class BenchNetwork: HTTPNetwork, HTTPTransport {
    enum Fault: Sendable {
        case loseRequest
        case loseAnswer
        /// The request arrives twice; the answer is that to the second.
        case double
        /// An answer that is not the gateway's.
        case answer(status: Int, body: String)
        case unreachable
    }

    static let now: Int64 = 1_700_000_000
    let gateway: Mutex<BenchIPG>
    /// What befalls the next requests, in their order.
    let faults = Mutex<[Fault]>([])
    let requests = Mutex(0)

    init(_ gateway: BenchIPG) { self.gateway = Mutex(gateway) }

    func connect() -> any HTTPTransport { self }
    func close() {}

    private func deliver(_ request: HTTPRequest) -> HTTPResponse {
        requests.withLock { $0 += 1 }
        let received = gateway.withLock { $0.receive(request.body?.revealed() ?? [], now: Self.now) }
        guard case .answer(_, let body) = received else { return HTTPResponse(status: 200, headers: [], body: []) }
        return HTTPResponse(status: 200, headers: [], body: body)
    }

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        switch faults.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case nil: return deliver(request)
        case .unreachable: throw .unreachable(.connectionRefused)
        case .loseRequest: throw .noAnswer(.timeout)
        case .loseAnswer:
            _ = deliver(request)
            throw .noAnswer(.connectionLost)
        case .double:
            _ = deliver(request)
            return deliver(request)
        case .answer(let status, let body): return HTTPResponse(status: status, headers: [], body: Array(body.utf8))
        }
    }
}

/// A merchant with its client, and orders at the bench gateway.
struct Lane {
    let network: BenchNetwork
    let client: IPGClient
    let merchant: IPGMerchant<MemoryIPGJournal>
    let id: MerchantID

    init(_ generation: SignatureGeneration) throws {
        let version = [SignatureGeneration.urlEncoded: "3.4", .concatenated: "4.1", .sorted: "4.5"][generation] ?? ""
        let (own, theirs) = (try TestKey.merchant(), try TestKey.gateway())
        id = try #require(MerchantID("112"))
        let account = try IPGAccount(
            version: version, originator: 33, merchantID: id, merchantName: "Shop", currency: .euro,
            key: SecretBytes(own.privateKey), gatewayKeys: [1: theirs.publicKey])
        network = BenchNetwork(
            BenchIPG(
                merchants: [
                    BenchMerchant(
                        merchantID: id, generation: generation, currency: .euro,
                        keys: [1: try RSASignatureVerificationKey(own.publicKey)],
                        gatewayKeys: [1: try RSASignatureKey(SecretBytes(theirs.privateKey))])
                ], tokenKey: SecretBytes("bench".utf8)))
        client = IPGClient(
            try GatewayAddress("https://ipg.example/"), account: account, options: ConnectionOptions(), over: network)
        merchant = IPGMerchant(account: account, journal: MemoryIPGJournal())
    }

    /// An order that the customer pays. Its notification is on its way, and is handed out.
    func pay(_ text: String, _ amount: Money = "10.00 EUR") async throws -> (IPGOrderID, BenchIPG.Delivery) {
        let order = try #require(IPGOrderID(text))
        let form = try await merchant.begin(
            HostedPayment(
                .purchase, orderID: order, amount: amount, customerIP: "127.0.0.1", successURL: "https://shop.example",
                cancelURL: "https://shop.example", notifyURL: "https://shop.example"))
        let card = try CardDetails(
            pan: SecretBytes("4000000000001000".utf8), expiry: #require(ExpiryDate(mmyy: "0130")),
            cardholderName: "A Holder")
        let effects = network.gateway.withLock { gateway in
            _ = gateway.receive(form.body, now: BenchNetwork.now)
            return gateway.enter(.card(card), at: id, order: order, now: BenchNetwork.now)
        }
        guard case .post(let delivery)? = effects.first else { throw Unpaid() }
        return (order, delivery)
    }

    /// Hands the notification to the merchant, and its answer to the gateway.
    func notify(_ delivery: BenchIPG.Delivery) async {
        let handled = await merchant.handle(delivery.body)
        network.gateway.withLock {
            _ = $0.answered(delivery.id, status: handled.status, body: handled.body, now: BenchNetwork.now)
        }
    }

    func charge(_ order: IPGOrderID) -> BenchIPG.Charge? { network.gateway.withLock { $0.charges(of: id)[order] } }

    struct Unpaid: Error {}
}
