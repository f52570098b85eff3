import BenchHost
import BenchHostServer
import CardBench
import CommitReference
import Foundation
import Gateways

/// Sales over HTTP with real cryptograms, by several terminals at once, against the bare rate of
/// SQLite's commits on the same disk.
///
/// Host and terminals share the process, so memory and descriptors are those of both.
@main
struct HostBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let sales = Int(arguments[2]), let terminals = Int(arguments[3]),
            (1000...30_000).contains(sales),
            terminals > 0
        else {
            print("usage: HostBenchmark FOLDER SALES TERMINALS (tools/benchmarks/host passes them)")
            exit(64)
        }
        let folder = arguments[1]
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(leadingDigits: "476173", masterKeys: try SellingCard.issuerKeys, cryptogram: .visa18)
            ])
        let host = try BenchHost(
            folder: folder + "/vault", vaultKey: SecretBytes([UInt8](repeating: 7, count: 32)), issuer: issuer)
        try await host.save(BenchTerminal(settings: .bench, secret: SecretBytes("benchmark".utf8)))
        let key = try await host.makeAPIKey(alias: "benchmark", terminals: ["BENCH001"])
        let server = try BenchHostServer(host, BenchHostServer.Configuration())
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let serving = Task { try await server.run { continuation.yield($0) } }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else { return }
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let lanes = try (0..<terminals).map { number in
            let gateway = try RESTGateway(address, account: .init(terminalID: "BENCH001", apiKey: key))
            return Lane(number: number, host: gateway, card: try SellingCard(number: number))
        }

        let before = try CommitReference.rate(folder: folder, commits: 2000)
        try await sell(100, lanes, from: 0)
        let early = Usage.now
        let whole = try await Throughput.measure(sales - 100) { try await sell(sales - 100, lanes, from: 100) }
        let late = Usage.now
        let direct = lanes.map { Lane(number: $0.number, host: host, card: $0.card) }
        let inProcess = try await Throughput.measure(2000) { try await sell(2000, direct, from: sales) }
        let prepared = try RequestLoad.sales(sales, lanes, from: sales + 2000, port: port, apiKey: key)
        let hostAlone = try await Throughput.measure(sales) { try prepared.run() }
        let refused = RequestLoad.refused(sales, lanes, port: port)
        let serverAlone = try await Throughput.measure(sales) { try refused.run() }
        let reference = (before + (try CommitReference.rate(folder: folder, commits: 2000))) / 2

        print(hostAlone.line("sales over HTTP by \(terminals) terminals, host alone"))
        print(whole.line("the same, terminals with our own client"))
        print(inProcess.line("the same without HTTP"))
        print(serverAlone.line("HTTP alone: requests that are refused at once"))
        print(String(format: "bare SQLite commits %34.0f a second", reference))
        let ratio = hostAlone.perSecond / reference
        print(String(format: "ratio %50.2f of the bare commits (required: at least 0.33)", ratio))
        print(
            "memory, resident                  \(early.resident) KiB after 100 sales, \(late.resident) KiB after \(sales)"
        )
        print(
            "memory, allocated                 \(early.allocated) KiB after 100 sales, \(late.allocated) KiB after \(sales)"
        )
        print(
            "descriptors                       \(early.descriptors) after 100 sales, \(late.descriptors) after \(sales)"
        )
        serving.cancel()
        if ratio < 1.0 / 3 { exit(1) }
    }

    /// Each lane sells its share, one sale after the other.
    private static func sell(_ count: Int, _ lanes: [Lane], from first: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes {
                group.addTask {
                    for number in stride(from: first + lane.number, to: first + count, by: lanes.count) {
                        try await lane.sell(number)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A terminal with its own card.
struct Lane: Sendable {
    let number: Int
    let host: any PaymentHost
    let card: SellingCard

    func request(_ sale: Int) throws -> AuthorizationRequest {
        AuthorizationRequest(
            orderID: try OrderID("sale-\(sale)"), amount: Money(minorUnits: 1234, currency: .euro),
            timestamp: Timestamp(secondsSince1970: 1_795_262_400 + Int64(sale)), terminalID: "BENCH001",
            card: .captured(try card.captured(atc: UInt16(sale + 1), amount: 1234)))
    }

    func sell(_ sale: Int) async throws {
        let response = try await host.authorize(request(sale))
        guard response.issuer.responseCode == "00", response.issuer.issuerAuthenticationData != nil else {
            throw HostError(.internalError, "sale \(sale): \(response.message)")
        }
    }
}

/// A card of the bench's issuer that makes ARQCs by common session keys (EMV 4.4 Book 2, 8.1 and
/// annex A1.3).
struct SellingCard: Sendable {
    private let pan: SecretBytes
    private let masterKey: CardKey

    static var issuerKey: CardKey {
        get throws { try CardKey(SecretBytes([UInt8](hex: "2315208C9110AD402315208C9110AD40")), .tdes) }
    }

    static var issuerKeys: MasterKeySet {
        get throws {
            MasterKeySet(applicationCryptogram: try issuerKey, integrity: try issuerKey, confidentiality: try issuerKey)
        }
    }

    init(number: Int) throws {
        let digits = Array("47617390010\(1000 + number)".utf8)
        let pan = digits + [Luhn.checkDigit(for: digits)]
        guard let account = AccountNumber(ascii: pan) else { throw HostError(.internalError, "no card number") }
        self.pan = SecretBytes(pan)
        masterKey = try MasterKeyDerivation.optionA.cardMasterKey(
            from: Self.issuerKey, pan: account, panSequenceNumber: 1)
    }

    func captured(atc: UInt16, amount: UInt64) throws -> CapturedCard {
        let sessionKey = try SessionKeyDerivation.common.sessionKey(from: masterKey, atc: atc, unpredictableNumber: [])
        let values: [(Tag, [UInt8])] = [
            (.amountAuthorised, BCD.encode(amount, count: 6) ?? []), (.amountOther, [0, 0, 0, 0, 0, 0]),
            (.terminalCountryCode, [0x02, 0x76]),
            (.terminalVerificationResults, [0, 0, 0x04, 0x80, 0]), (.transactionCurrencyCode, [0x09, 0x78]),
            (.transactionDate, [0x26, 0x11, 0x21]), (.transactionType, [0]), (.unpredictableNumber, [1, 2, 3, 4]),
            (.applicationInterchangeProfile, [0x3C, 0]),
            (.applicationTransactionCounter, [UInt8(atc >> 8), UInt8(atc & 0xFF)]),
            (.issuerApplicationData, [0x06, 0x01, 0x12, 0x03, 0xA0, 0, 0]),
        ]
        var elements = DataElements()
        for (tag, value) in values { elements[tag] = value }
        elements[.cryptogramInformationData] = [0x80]
        elements[.panSequenceNumber] = [1]
        elements[.applicationCryptogram] = ApplicationCryptogram.compute(values.flatMap(\.1), sessionKey: sessionKey)
        return CapturedCard(
            entryMode: .chip, pan: pan, expiry: "4912", panSequenceNumber: 1, chip: ChipData(elements: elements))
    }
}
