internal import Bytes
internal import CSimulation
import CardCapture
internal import Gateways
internal import PaymentTerminal
internal import SealedStore
internal import TerminalJournal

/// One life of the process with the terminal in it.
final class Life: @unchecked Sendable {
    let number: Int
    let journal: SQLiteJournal
    let terminal: Terminal
    private let observed: ObservedJournal
    private let gateway: any PaymentHost
    private let files: SimulatedFiles
    let world: World
    private var readers = 0

    /// Opens the journal with the shipped code, and puts a terminal on it.
    init(_ world: World, number: Int, key: SecretBytes, configuration: Terminal.Configuration) async throws {
        self.world = world
        self.number = number
        try await world.bench?.open()
        files = SimulatedFiles()
        journal = try await SQLiteJournal.open(folder: Self.folder, key: JournalKey.bytes(key), files: files) {
            [world] _ in
            world.keepsMark ? SimulatedMark(world: world) : nil
        }
        observed = ObservedJournal(journal, world, life: number)
        gateway = try Self.host(world, life: number)
        terminal = Terminal(
            configuration: configuration, host: ObservedHost(gateway, world), journal: observed,
            clock: Self.clock(world))
        let events = terminal.eventStream()
        Task.detached { [weak self] in
            for await event in events {
                if case .cleared(let response) = event.content { world.shop.cleared(response, world) }
                self?.attend(to: event.content)
            }
        }
        try await connectReader()
    }

    static let folder = "/shop"

    private static func clock(_ world: World) -> @Sendable () -> Timestamp {
        { Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000 + world.clockOffset) }
    }

    /// The host, directly or through the client of its gateway.
    private static func host(_ world: World, life: Int) throws -> any PaymentHost {
        guard let server = world.server else { return DirectHost(world, life: life) }
        let network = SimulatedNetwork(world: world, life: life, server: server)
        if server is XMLServer {
            return try XMLGateway(
                address(), account: xmlAccount, options: ConnectionOptions(),
                clock: { Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000 + world.clockOffset) },
                network: { network })
        }
        return try RESTGateway(
            address(), account: restAccount(world, server), options: ConnectionOptions(), now: { .now },
            network: { network })
    }

    private static func address() throws -> GatewayAddress { try GatewayAddress("https://gateway.example") }

    private static var xmlAccount: XMLGateway.Account {
        XMLGateway.Account(terminalID: "BENCH001", secret: SecretBytes(XMLServer.secret.utf8))
    }

    private static func restAccount(_ world: World, _ server: any GatewayServer) -> RESTGateway.Account {
        RESTGateway.Account(terminalID: "BENCH001", credential: credential(world, server))
    }

    /// The application gives its gateway client address and account once more.
    func useAddressAgain() async {
        if let gateway = gateway as? XMLGateway {
            try? await gateway.use(Self.address(), account: Self.xmlAccount)
        } else if let gateway = gateway as? RESTGateway, let server = world.server {
            try? await gateway.use(Self.address(), account: Self.restAccount(world, server))
        }
    }

    /// The key, or tokens that the application fetches itself from its own server.
    private static func credential(_ world: World, _ server: any GatewayServer) -> RESTGateway.Account.Credential {
        // Without our extensions, as the client then takes the gateway.
        guard world.swarm.exists(.clientToken), !world.host.hasExtensions, let server = server as? RESTServer else {
            return .apiKey(SecretBytes(RESTServer.apiKey.utf8))
        }
        return .clientToken {
            guard !world.strikes(.clientToken, .corners) else {
                throw HostError(.unreachable, "the application's server is away")
            }
            return try RESTGateway.ClientToken(SecretBytes(server.issue().utf8), lifetime: .seconds(3600))
        }
    }

    /// Terminals and journals that nobody should have made, and that are still at work.
    var secondTerminals = 0

    /// A terminal that nobody should have made: on the same journal.
    func secondTerminal() throws -> Terminal {
        Terminal(
            configuration: terminal.configuration, host: ObservedHost(try Self.host(world, life: number), world),
            journal: observed,
            clock: Self.clock(world))
    }

    /// A journal that nobody should have opened: of the same folder.
    func secondJournal(_ key: SecretBytes) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(folder: Self.folder, key: JournalKey.bytes(key), files: files) { _ in nil }
    }

    /// A new reader in place of one that may have been left behind.
    func connectReader() async throws {
        readers += 1
        let reader: any CardReader =
            if world.hasKernel { try KernelReader.make(world, life: number, number: readers) } else {
                ModelReader(world, life: number, number: readers)
            }
        try await terminal.connect(reader)
    }

    func take(_ wish: Wish) async -> Shop.Reply {
        // The terminal's own task for the operation inherits it.
        await Shop.$order.withValue(wish.orderID) { await reply(wish) }
    }

    private func reply(_ wish: Wish) async -> Shop.Reply {
        do throws(TerminalError) {
            switch wish.kind {
            case .keyedSale, .readerSale, .keyedPreAuthorization, .readerPreAuthorization:
                guard var sale = wish.sale else { fatalError("a wish without a card") }
                if let token = token(wish) { sale.source = .secureCard(token) }
                sale.secureCard = cardToRegister(wish)
                return .response(try await terminal.processSale(sale))
            case .cardRefund:
                guard let card = Cards.keyed(), let refund = wish.refund(.card(.keyed(card, cvv: nil))) else {
                    fatalError("a wish without a card")
                }
                return .response(try await terminal.processRefund(refund))
            case .refund:
                guard let refund = wish.refund(.transaction(original(wish))) else { fatalError("an invalid refund") }
                return .response(try await terminal.processRefund(refund))
            case .capture:
                guard let capture = wish.capture(of: original(wish)) else { fatalError("an invalid capture") }
                return .response(try await terminal.capture(capture))
            case .reversal: return .response(try await terminal.reverse(wish.orderID))
            }
        } catch {
            return .error(error.code)
        }
    }

    /// The token that a keyed sale is made with; nil for a card number. Who says a wish again says
    /// the same.
    private func token(_ wish: Wish) -> SecureCardReference? {
        guard wish.kind == .keyedSale else { return nil }
        if let before = world.shop.tokensOfSales[wish.number] { return before }
        var token: SecureCardReference?
        if let known = world.shop.tokens.min(by: { $0.key < $1.key })?.value,
            world.strikes(.secureCard, .corners, order: wish.orderID)
        {
            token = known
        }
        world.shop.tokensOfSales[wish.number] = .some(token)
        return token
    }

    /// The secure card that a sale registers its card as. Who says a wish again says the same.
    private func cardToRegister(_ wish: Wish) -> SecureCard? {
        if let before = world.shop.registrations[wish.number] { return before }
        var card: SecureCard?
        // The XML interface has no field for it.
        if !(world.server is XMLServer), world.bench == nil,
            world.strikes(.registersCard, .corners, order: wish.orderID),
            let reference = try? MerchantReference("R\(world.draw(.corners, "registered", 2))")
        {
            var details = SecureCard.Details()
            details.customFields = [CustomField(name: "Note", value: "with the sale")]
            card = SecureCard(merchantReference: reference, details: details)
        }
        world.shop.registrations[wish.number] = .some(card)
        return card
    }

    /// What the shop has on its receipt, or nothing that the host knows.
    private func original(_ wish: Wish) -> String {
        if let before = world.shop.originals[wish.number] { return before }
        let original = wish.original.flatMap { Wish.orderID($0) }.flatMap { world.shop.references[$0] } ?? "U0"
        // Who says a wish again says the same.
        world.shop.originals[wish.number] = original
        return original
    }
}

/// The folder of the simulated shop: there as soon as it is needed. One life has it at a time; who
/// opens its database twice is refused, as the system refuses a second lock on a file.
final class SimulatedFiles: StoreFiles {
    /// On the one thread of the simulator.
    private let locked = Box()

    func makeFolder(_ path: String, store: String) {}
    func makeDatabase(_ path: String, store: String) {}
    func readFromDisk(_ database: String) { unsafe simulation_disk_drop_memory(database) }

    func lock(_ path: String, store: String) throws(StoreError) -> any StoreLock {
        guard locked.paths.insert(path).inserted else { throw .inUse(store: store) }
        return SimulatedLock { [locked] in locked.paths.remove(path) }
    }

    private final class Box: @unchecked Sendable {
        var paths: Set<String> = []
    }
}

/// A watermark file that no restore of the folder touches.
private struct SimulatedMark: WatermarkStore {
    let world: World

    func read() -> [UInt8]? { world.marksKept.last?.bytes }

    func hasOthers() -> Bool { false }

    func write(_ bytes: [UInt8]) {
        world.marksWritten += 1
        world.marksKept.append((bytes, world.marksWritten, world.now))
    }

    func flush() { world.marksFlushed = world.marksWritten }
}

private struct SimulatedLock: StoreLock {
    let unlock: @Sendable () -> Void

    func release() { unlock() }
}
