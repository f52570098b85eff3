import BenchHost
import BenchHostServer
import CardPresent
import Foundation
import Gateways

/// Sales over HTTP with real cryptograms, by several terminals at once, against the bare rate of SQLite's commits on the same disk.
///
/// Host and terminals share the process, so memory and descriptors are those of both.
@main
struct HostBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let sales = Int(arguments[2]), let terminals = Int(arguments[3]), (1000...60_000).contains(sales),
            terminals > 0
        else {
            print("usage: HostBenchmark FOLDER SALES TERMINALS (tools/bench-host passes them)")
            exit(64)
        }
        let folder = arguments[1]
        let issuer = TestIssuer(
            profiles: [IssuerProfile(leadingDigits: "476173", masterKeys: try SellingCard.issuerKeys, cryptogram: .visa18)])
        let host = try BenchHost(folder: folder + "/vault", vaultKey: SecretBytes([UInt8](repeating: 7, count: 32)), issuer: issuer)
        try await host.save(BenchTerminal(settings: .bench, secret: SecretBytes("benchmark".utf8)))
        let key = try await host.makeAPIKey(alias: "benchmark", terminals: ["BENCH001"])
        let server = try BenchHostServer(host, BenchHostServer.Configuration())
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let serving = Task { try await server.run { continuation.yield($0) } }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else { return }
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        var lanes: [Lane] = []
        for number in 0..<terminals {
            let gateway = try RESTGateway(address, account: .init(terminalID: "BENCH001", apiKey: key))
            lanes.append(Lane(number: number, host: gateway, card: try SellingCard(number: number)))
        }

        let before = try CommitReference.rate(folder: folder, commits: 2000)
        try await sell(100, lanes, from: 0)
        let early = Usage.now
        let start = ContinuousClock.now
        try await sell(sales - 100, lanes, from: 100)
        let seconds = Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9
        let late = Usage.now
        let direct = lanes.map { Lane(number: $0.number, host: host, card: $0.card) }
        let directStart = ContinuousClock.now
        try await sell(2000, direct, from: sales)
        let directRate = 2000 / (Double((ContinuousClock.now - directStart) / .nanoseconds(1)) / 1e9)
        let end = Usage.now
        let after = try CommitReference.rate(folder: folder, commits: 2000)
        let rate = Double(sales - 100) / seconds
        let reference = (before + after) / 2

        print(String(format: "sales over HTTP, %d terminals     %8.0f a second", terminals, rate))
        print(String(format: "the same sales in process         %8.0f a second", directRate))
        print(String(format: "bare SQLite commits               %8.0f a second (%.0f before, %.0f after)", reference, before, after))
        print(String(format: "ratio                             %8.2f   at least 0.33", rate / reference))
        let cost = (late.processorTime - early.processorTime) / Double(sales - 100) * 1e6
        let directCost = (end.processorTime - late.processorTime) / 2000 * 1e6
        print(String(format: "processor time of a sale          %8.0f µs over HTTP, %.0f µs in process", cost, directCost))
        print("memory, resident                  \(early.resident) KiB after 100 sales, \(late.resident) KiB after \(sales)")
        print("memory, allocated                 \(early.allocated) KiB after 100 sales, \(late.allocated) KiB after \(sales)")
        print("descriptors                       \(early.descriptors) after 100 sales, \(late.descriptors) after \(sales)")
        serving.cancel()
        if rate / reference < 1.0 / 3 { exit(1) }
    }

    /// Each lane sells its share, one sale after the other.
    private static func sell(_ count: Int, _ lanes: [Lane], from first: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes {
                group.addTask {
                    for number in stride(from: first + lane.number, to: first + count, by: lanes.count) { try await lane.sell(number) }
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

    func sell(_ sale: Int) async throws {
        let request = AuthorizationRequest(
            orderID: try OrderID("sale-\(sale)"), amount: Money(minorUnits: 1234, currency: .euro),
            timestamp: Timestamp(secondsSince1970: 1_795_262_400 + Int64(sale)), terminalID: "BENCH001",
            card: .captured(try card.captured(atc: UInt16(sale + 1), amount: 1234)))
        let response = try await host.authorize(request)
        guard response.issuer.responseCode == "00", response.issuer.issuerAuthenticationData != nil else {
            throw HostError(.failed, "sale \(sale): \(response.message)")
        }
    }
}

/// A card of the bench's issuer that makes ARQCs by common session keys (EMV 4.4 Book 2, 8.1 and annex A1.3).
struct SellingCard: Sendable {
    private let pan: SecretBytes
    private let masterKey: CardKey

    static var issuerKey: CardKey {
        get throws { try CardKey(SecretBytes([UInt8](hex: "2315208C9110AD402315208C9110AD40")), .tdes) }
    }

    static var issuerKeys: MasterKeySet {
        get throws { MasterKeySet(applicationCryptogram: try issuerKey, integrity: try issuerKey, confidentiality: try issuerKey) }
    }

    init(number: Int) throws {
        let digits = Array("47617390010\(1000 + number)".utf8)
        let pan = digits + [Luhn.checkDigit(for: digits)]
        guard let account = AccountNumber(ascii: pan) else { throw HostError(.failed, "no card number") }
        self.pan = SecretBytes(pan)
        masterKey = try MasterKeyDerivation.optionA.cardMasterKey(from: Self.issuerKey, pan: account, panSequenceNumber: 1)
    }

    func captured(atc: UInt16, amount: UInt64) throws -> CapturedCard {
        let sessionKey = try SessionKeyDerivation.common.sessionKey(from: masterKey, atc: atc, unpredictableNumber: [])
        let values: [(Tag, [UInt8])] = [
            (.amountAuthorised, BCD.encode(amount, count: 6) ?? []), (.amountOther, [0, 0, 0, 0, 0, 0]),
            (.terminalCountryCode, [0x02, 0x76]),
            (.terminalVerificationResults, [0, 0, 0x04, 0x80, 0]), (.transactionCurrencyCode, [0x09, 0x78]),
            (.transactionDate, [0x26, 0x11, 0x21]), (.transactionType, [0]), (.unpredictableNumber, [1, 2, 3, 4]),
            (.applicationInterchangeProfile, [0x3C, 0]), (.applicationTransactionCounter, [UInt8(atc >> 8), UInt8(atc & 0xFF)]),
            (.issuerApplicationData, [0x06, 0x01, 0x12, 0x03, 0xA0, 0, 0]),
        ]
        var elements = DataElements()
        for (tag, value) in values { elements[tag] = value }
        elements[.cryptogramInformationData] = [0x80]
        elements[.panSequenceNumber] = [1]
        elements[.applicationCryptogram] = ApplicationCryptogram.compute(values.flatMap(\.1), sessionKey: sessionKey)
        return CapturedCard(entryMode: .chip, pan: pan, expiry: "4912", panSequenceNumber: 1, chip: ChipData(elements: elements))
    }
}
