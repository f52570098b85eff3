import Bytes
import CardCapture
import CardCryptography
import Foundation
import Gateways
import MagneticStripe
import PaymentDoubles
import PaymentTerminal
import Testing

/// `Tests/Peers/gateway.py` in a process of its own: the published interfaces without the bench
/// host's extensions, and a ledger.
final class GatewayPeer: Sendable {
    enum Wire: String, CaseIterable, Sendable {
        case rest = "REST"
        case xml = "XML"
    }

    /// What may happen to the next request that changes something.
    enum Fault: String, CaseIterable, Sendable {
        /// Carried out, and the answer is lost.
        case lost
        /// A proxy's page, and nothing is carried out.
        case page
        /// A proxy's page in place of the answer.
        case latePage = "late page"
        /// It arrives twice, and only the second answer comes back.
        case doubled
    }

    /// What the peer has booked.
    struct Ledger: Decodable {
        struct Transaction: Decodable, Equatable {
            let order: String
            let kind: String
            let amount: String
            let status: String
            let code: String
            /// How the card was read.
            let entry: String
            let fields: [String: String]
            let original: String?
            let offline: String?
            let strokes: String?
            let tip: String?
            /// The last four digits of the card's number.
            let ended: String
        }

        struct Card: Decodable {
            let reference: String
            let token: String
            let ended: String
            let deleted: Bool
            let fields: [String: String]
            let entry: String
        }

        let transactions: [Transaction]
        let cards: [Card]
        /// Why requests were refused.
        let refused: [String]
    }

    static let terminalID = "6003"
    static let secret = SecretBytes("sandboxUSD".utf8)
    static let apiKey = SecretBytes("a2V5".utf8)

    let port: UInt16
    private let process: Process
    private let input = Pipe()

    init() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/gateway.py")
            .standardized
        let output = Pipe()
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", script.path(percentEncoded: false), Self.terminalID,
            String(decoding: Self.secret.revealed(), as: UTF8.self),
            String(decoding: Self.apiKey.revealed(), as: UTF8.self),
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit { process.terminate() }

    var address: GatewayAddress {
        get throws { try GatewayAddress("http://127.0.0.1:\(port)/merchant") }
    }

    // MARK: Control

    func ledger() async throws -> Ledger {
        try JSONDecoder().decode(Ledger.self, from: Data(try await send("GET", "/ledger").utf8))
    }

    func play(_ fault: Fault) async throws {
        _ = try await send("PUT", "/control", #"{"fault": "\#(fault.rawValue)"}"#)
    }

    /// Whether chips may come without the key serial number of a reader that encrypts.
    func acceptClearChips() async throws { _ = try await send("PUT", "/control", #"{"clearChips": true}"#) }

    func settle() async throws { _ = try await send("PUT", "/control", #"{"settle": true}"#) }

    /// - Returns: The body of the answer.
    func send(_ method: String, _ path: String, _ body: String = "", token: String? = nil) async throws -> String {
        let client = try RawClient(port)
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\nContent-Type: application/json\r\n"
                + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n\(body)")
        let answer = await client.answer()
        return String(answer[(try #require(answer.range(of: "\r\n\r\n"))).upperBound...])
    }

    // MARK: Clients

    /// - Parameter port: of the peer itself by default.
    func rest(_ port: UInt16? = nil, apiKey: SecretBytes = GatewayPeer.apiKey) throws -> RESTGateway {
        try RESTGateway(
            GatewayAddress("http://127.0.0.1:\(port ?? self.port)/merchant"), account: account(apiKey),
            options: ConnectionOptions(answerTimeout: .seconds(20)))
    }

    func account(_ apiKey: SecretBytes = GatewayPeer.apiKey) -> RESTGateway.Account {
        RESTGateway.Account(terminalID: Self.terminalID, apiKey: apiKey)
    }

    func xml(_ port: UInt16? = nil, secret: SecretBytes = GatewayPeer.secret) throws -> XMLGateway {
        try XMLGateway(
            GatewayAddress("http://127.0.0.1:\(port ?? self.port)/merchant"), account: account(secret: secret),
            options: ConnectionOptions(answerTimeout: .seconds(20))
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
    }

    func account(secret: SecretBytes) -> XMLGateway.Account {
        XMLGateway.Account(terminalID: Self.terminalID, secret: secret, trackFormat: 5)
    }
}

/// A terminal at the peer, over one of its interfaces.
struct PeerTill {
    let peer: GatewayPeer
    let wire: GatewayPeer.Wire
    let host: any PaymentHost

    init(_ wire: GatewayPeer.Wire) throws {
        peer = try GatewayPeer()
        self.wire = wire
        host = wire == .rest ? try peer.rest() : try peer.xml()
    }

    func terminal(_ card: CapturedCard? = nil, host: (any PaymentHost)? = nil) async throws -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: GatewayPeer.terminalID, currency: .euro, mode: .test)
        configuration.offline.deferredAuthorization = [.keyed, .magneticStripe]
        configuration.limits.retry = .seconds(3600)
        let terminal = Terminal(
            configuration: configuration, host: host ?? self.host, journal: MemoryJournal(), clock: Timestamp.now)
        if let card {
            try await terminal.connect(PresentedCardReader(card, capabilities: [.magneticStripe, .contactChip]))
        }
        return terminal
    }

    func request(
        _ order: String, _ amount: String, _ card: PaymentCard, purpose: AuthorizationRequest.Purpose = .sale,
        terms: PaymentTerms = PaymentTerms(), registering reference: String? = nil,
        processing: AuthorizationRequest.Processing = .online
    ) throws -> AuthorizationRequest {
        try GatewaysTests.request(
            order, amount, card, purpose: purpose, terms: terms, registering: reference,
            terminalID: GatewayPeer.terminalID,
            processing: processing)
    }

    func referenced(_ order: String, of original: String, _ amount: String) throws -> ReferencedRequest {
        ReferencedRequest(
            orderID: try OrderID(order), original: original, amount: try Money(parsing: amount, in: .euro),
            timestamp: Timestamp(secondsSince1970: 1_773_057_999), terminalID: GatewayPeer.terminalID,
            operatorName: "Jane",
            reason: "returned")
    }

    func sale(_ order: String, _ source: Sale.Source = .reader, terms: PaymentTerms = PaymentTerms()) throws -> Sale {
        Sale(orderID: try OrderID(order), amount: try Money(parsing: "10.00 EUR"), source: source, terms: terms)
    }

    /// The one transaction of the order.
    func booked(_ order: String, _ location: SourceLocation = #_sourceLocation) async throws
        -> GatewayPeer.Ledger.Transaction
    {
        let entries = try await peer.ledger().transactions.filter { $0.order == order && $0.original == nil }
        #expect(entries.count == 1, sourceLocation: location)
        return try #require(entries.first, sourceLocation: location)
    }

    /// Track 2 under the data variant of the DUKPT key (ANSI X9.24-1:2009, annex A.2).
    static func encipheredSwipe() throws -> CapturedCard {
        let ksn = try [UInt8](hex: "FFFF9876543210E00002")
        let key = try TDESDUKPT.key(
            for: .dataRequest,
            transactionKey: TDESDUKPT.transactionKey(
                baseDerivationKey: ChipCard.baseDerivationKey, serialNumber: #require(KeySerialNumber(ksn))))
        var track = Array(";5555555555554444=31121010000000000000?".utf8)
        track += [UInt8](repeating: 0, count: 8 - track.count % 8)
        let tracks = EncryptedTracks(
            cipher: .tdes, keyUse: .dataVariant, ksn: ksn,
            ciphertexts: [.two: try key.encryptCBC(track, iv: [UInt8](repeating: 0, count: 8))],
            masked: [.two: ";555555******4444=3112***************?"])
        return CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: tracks.expiry, encryptedTracks: tracks)
    }

    static func clearSwipe(fallback: Bool = false) throws -> CapturedCard {
        guard case .captured(let card) = swiped(fallback: fallback) else {
            throw HostError(.internalError, "not captured")
        }
        return card
    }
}
