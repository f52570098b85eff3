import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import EMVKernel
import FaultProxy
import Foundation
import Gateways
import PaymentTerminal
import Synchronization
import TerminalJournal
import Testing

/// Terminals that take payments through a network that drops, swallows, delays, doubles, repeats,
/// cuts and corrupts messages. When it is quiet again, terminals and host must agree on every
/// order.
///
/// In clear a corrupted message is a lie that nobody can see, and the protocol rests on TLS for it:
/// so messages are corrupted as records of TLS. `CARDPRESENT_FAULT_RUNS` changes how many payments
/// each kind of gateway has (with our extensions half of them over each wire),
/// `CARDPRESENT_FAULT_SEED` which.
@Suite(.serialized) struct FaultRunTests {
    enum Wire: String, CaseIterable, CustomTestStringConvertible {
        case clear, encrypted
        /// In clear, to a gateway as it is published: without our extensions.
        case published
        var testDescription: String { rawValue }
    }

    private static let lanes = 8
    private static let runs = ProcessInfo.processInfo.environment["CARDPRESENT_FAULT_RUNS"].flatMap { Int($0) } ?? 5000
    private static let seed =
        ProcessInfo.processInfo.environment["CARDPRESENT_FAULT_SEED"].flatMap { UInt64($0) } ?? 20_260_309

    @Test(
        "never a second charge, never a lost approval, under every fault of a message", .timeLimit(.minutes(20)),
        arguments: Wire.allCases)
    func agree(_ wire: Wire) async throws {
        let bench = try await HostBench()
        var certificate: (chain: String, key: String)?
        if wire == .encrypted { certificate = try bench.selfSigned(for: "IP:127.0.0.1") }
        let port = try await bench.serve {
            $0.certificate = certificate
            $0.hasExtensions = wire != .published
        }
        let runs = wire == .published ? Self.runs : Self.runs / 2
        let perLane = (runs + Self.lanes - 1) / Self.lanes
        var lanes: [FaultLane] = []
        for number in 0..<Self.lanes {
            lanes.append(try await FaultLane(number, bench, port, trusting: certificate?.chain, seed: Self.seed))
        }
        try await withThrowingTaskGroup { group in
            for lane in lanes { group.addTask { try await lane.run(perLane) } }
            try await group.waitForAll()
        }
        var answers: [String: FaultLane.Answer] = [:]
        for lane in lanes { answers.merge(try await lane.recovered()) { first, _ in first } }
        let records = try await allRecords(bench.host)
        var counts: [String: Int] = [:]
        for (order, answer) in answers {
            counts[answer.word, default: 0] += 1
            // The published interface gives refunds and captures names of its own.
            if wire == .published, let original = answer.original {
                let standing = records.values.filter { $0.original == original && $0.isStanding }.count
                switch answer.word {
                case "approved":
                    #expect(standing == 1, "\(order): answered approved, and \(standing) stand at the host")
                case "unknown": #expect(standing <= 1, "\(order): \(standing) stand at the host")
                default: #expect(standing == 0, "\(order): answered \(answer.word), and \(standing) stand at the host")
                }
                continue
            }
            let record = records[order]
            let stands = record?.isStanding ?? false
            #expect(
                answer.isApproved == stands,
                "\(order): answered \(answer.word) (\(answer.description)), the host has \(record.map { "\($0.state)" } ?? "nothing")"
            )
            if answer.isApproved {
                #expect(answer.amount == record?.authorizedAmount, "\(order): \(answer.description)")
            }
        }
        let unheard = records.values.filter {
            answers[$0.orderID.text] == nil && (wire != .published || $0.original == nil)
        }
        #expect(unheard.isEmpty, "orders that no terminal knows: \(unheard)")
        let faults = lanes.reduce(0) { $0 + $1.connections }
        print(
            "\(answers.count) payments, \(wire.rawValue), over \(faults) connections: \(counts.sorted { $0.key < $1.key })"
        )
        #expect(counts["approved", default: 0] > answers.count / 4, "most payments come through")
        #expect(counts.keys.contains { $0.hasPrefix("reversed") }, "some do not")
        if wire == .published {
            let unknown = answers.values.filter { $0.word == "unknown" && $0.original == nil }
            #expect(unknown.isEmpty, "payments are known by their order: \(unknown.map(\.description))")
        } else {
            #expect(counts["unknown"] == nil)
        }
    }

    private func allRecords(_ host: BenchHost) async throws -> [String: TransactionRecord] {
        var records: [String: TransactionRecord] = [:]
        for page in 0... {
            let found = try await host.transactions(TransactionQuery(page: page, pageSize: 100))
            for record in found { records[record.orderID.text] = record }
            if found.count < 100 { break }
        }
        return records
    }
}

/// One terminal behind a proxy of its own.
private final class FaultLane: Sendable {
    /// What the terminal's caller knows of an order in the end.
    struct Answer: Sendable {
        let word: String
        let isApproved: Bool
        let amount: Money?
        let description: String
        /// Of a refund or a capture, the transaction that it is about.
        let original: String?
    }

    private let number: Int
    private let seed: UInt64
    private let terminal: Terminal
    private let proxy: FaultProxy
    private let network: Network
    private let folder: String
    private let asked = Mutex<[(order: String, original: String?)]>([])
    /// The gateway gives an order that is not in its list five minutes to arrive.
    private let window: Window

    /// All lanes share one card, whose counter goes up; the host declines those that overtake each
    /// other.
    private static let counter = Mutex(UInt16(0))

    private static func nextCounter() -> UInt16 {
        counter.withLock { counter in
            counter += 1
            return counter
        }
    }

    /// How far the gateway's clock is ahead.
    private final class Window: Sendable {
        private let duration = Mutex(Duration.zero)
        var skipped: Duration {
            get { duration.withLock { $0 } }
            set { duration.withLock { $0 = newValue } }
        }
    }

    /// Whether messages meet faults.
    private final class Network: Sendable {
        private let calm = Mutex(false)
        var isCalm: Bool {
            get { calm.withLock { $0 } }
            set { calm.withLock { $0 = newValue } }
        }
    }

    init(_ number: Int, _ bench: HostBench, _ port: UInt16, trusting chain: String?, seed: UInt64) async throws {
        self.number = number
        let laneSeed = seed &+ UInt64(number) &* 1_000_003
        self.seed = laneSeed
        let network = Network()
        self.network = network
        let faults: [MessageFault] =
            [.dropped, .swallowed, .delayed, .duplicated, .truncated] + (chain == nil ? [.stale] : [.corrupted])
        proxy = try FaultProxy(upstream: port, framing: chain == nil ? .http : .tlsRecords) { connection in
            guard !network.isCalm else { return ConnectionScript() }
            var script = ConnectionScript(
                seed: laneSeed &+ UInt64(connection) &* 7919, rate: chain == nil ? 12 : 4, messages: 64, faults: faults)
            // Some come before the client has given up, some after.
            script.delayMilliseconds = Int((laneSeed &+ UInt64(connection)) % 400)
            return script
        }
        let window = Window()
        self.window = window
        let gateway = try RESTGateway(
            GatewayAddress("\(chain == nil ? "http" : "https")://127.0.0.1:\(proxy.port)/merchant"),
            account: .init(terminalID: HostBench.terminalID, apiKey: bench.apiKey),
            options: ConnectionOptions(
                connectTimeout: .milliseconds(500), answerTimeout: .milliseconds(250), trustedCertificates: chain,
                logger: bench.log.logger), now: { .now + window.skipped })
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test)
        configuration.limits = TimeLimits(host: .milliseconds(600), inquiry: .milliseconds(600))
        configuration.offline = OfflinePolicy(maximumCount: 1_000_000, deferredAuthorization: [.magneticStripe])
        folder = FileManager.default.temporaryDirectory.appending(path: "fault-lane-\(UUID().uuidString)").path(
            percentEncoded: false)
        let journal = try await SQLiteJournal.open(
            folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32))))
        terminal = Terminal(configuration: configuration, host: gateway, journal: journal) {
            Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var connections: Int { proxy.connections }

    func run(_ count: Int) async throws {
        for run in 0..<count {
            // The chance of one run does not hang on the runs before it.
            var random = SystemIndependentRandom(state: seed &+ UInt64(run) &* 104_729)
            let order = "l\(number)-r\(run)"
            let amount = Money(minorUnits: Int64(1100 + random.next() % 50 * 100), currency: .euro)
            switch random.next() % 8 {
            case 0, 1: _ = await pay(order, amount, .keyed(try details(), cvv: nil))
            case 2, 3: _ = await pay(order, amount, reader: Swipe())
            case 4, 5: _ = await pay(order, amount, reader: Chip(atc: Self.nextCounter()))
            case 6:
                guard let sale = await pay(order, amount, .keyed(try details(), cvv: nil)), sale.isApproved,
                    let reference = sale.uniqueReference
                else { continue }
                let half = Money(minorUnits: amount.minorUnits / 2, currency: .euro)
                await note(order + "-refund", reference) { [terminal] in
                    try await terminal.processRefund(
                        Refund(orderID: OrderID(order + "-refund"), amount: half, target: .transaction(reference)))
                }
            default:
                guard let sale = await pay(order, amount, .keyed(try details(), cvv: nil), setAside: true),
                    sale.isApproved,
                    let reference = sale.uniqueReference
                else { continue }
                await note(order + "-capture", reference) { [terminal] in
                    try await terminal.capture(
                        FundsCapture(orderID: OrderID(order + "-capture"), original: reference, amount: amount))
                }
            }
        }
    }

    private func pay(
        _ order: String, _ amount: Money, _ source: Sale.Source = .reader, setAside: Bool = false,
        reader: (any CardReader)? = nil
    ) async -> PaymentResponse? {
        if let reader { try? await terminal.connect(reader) } else { try? await terminal.disconnect() }
        return await note(order) { [terminal] in
            try await terminal.processSale(
                Sale(
                    orderID: OrderID(order), amount: amount, source: source, isPreAuthorization: setAside,
                    forcesOnline: true))
        }
    }

    @discardableResult
    private func note(
        _ order: String, _ original: String? = nil, _ operation: @Sendable () async throws -> PaymentResponse
    ) async -> PaymentResponse? {
        asked.withLock { $0.append((order, original)) }
        return try? await operation()
    }

    /// What the terminal says of each order once the network is calm and everything is recovered.
    func recovered() async throws -> [String: Answer] {
        network.isCalm = true
        // The connections that are open have their faults still before them.
        for round in 0..<60 {
            _ = try await terminal.recoverPending()
            if await terminal.pendingPayments.isEmpty { break }
            // What has not arrived by now does not arrive any more.
            if round == 5 { window.skipped = RESTGateway.inDoubtWindow }
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(await terminal.pendingPayments.isEmpty, "something is still in progress")
        let orders = asked.withLock { $0 }
        let answers = Dictionary(
            uniqueKeysWithValues: try await terminal.journaled(orders.count).map { ($0.orderID.text, $0) })
        return Dictionary(
            uniqueKeysWithValues: orders.map { order, original in
                guard let answer = answers[order] else {
                    return (
                        order,
                        Answer(word: "nothing", isApproved: false, amount: nil, description: "", original: original)
                    )
                }
                let word = "\(answer.outcome)".split(separator: "(").first.map(String.init) ?? ""
                return (
                    order,
                    Answer(
                        word: word, isApproved: answer.isApproved, amount: answer.authorizedAmount,
                        description: answer.description,
                        original: original)
                )
            })
    }
}

extension TransactionRecord {
    /// Whether money moved for it and has not moved back.
    fileprivate var isStanding: Bool { [.approved, .approvedOffline, .captured, .settled].contains(state) }
}

/// The generator of Marsaglia (2003), xorshift: the same numbers for the same seed, everywhere.
private struct SystemIndependentRandom {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// A swipe of a published test number.
struct Swipe: CardReader {
    let name = "Magstripe reader"
    let capabilities: ReaderCapabilities = .magneticStripe
    let events = ReaderEvents()

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        guard case .captured(let card) = swiped(), case .answered(let answer) = await authorize(card) else {
            guard case .captured(let card) = swiped() else { throw .noCardPresented }
            return CaptureOutcome(decision: .declinedOffline, card: card)
        }
        return CaptureOutcome(
            decision: request.responseCodes.approves(answer.responseCode) ? .approvedOnline : .declinedOnline,
            card: card)
    }
}

/// A chip that takes the issuer's decision, and approves by itself every other time the issuer
/// cannot be asked.
struct Chip: CardReader {
    let name = "Chip reader"
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()
    let atc: UInt16

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        guard let card = try? ChipCard(minorUnits: Int64(request.amount)).captured(atc: atc) else {
            throw .cardDataMissing
        }
        guard case .answered(let answer) = await authorize(card) else {
            return CaptureOutcome(decision: atc % 2 == 0 ? .approvedOffline : .declinedOffline, card: card)
        }
        return CaptureOutcome(
            decision: request.responseCodes.approves(answer.responseCode) ? .approvedOnline : .declinedOnline,
            card: card)
    }
}
