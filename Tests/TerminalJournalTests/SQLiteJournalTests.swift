import Bytes
import CardCapture
import Foundation
import PaymentDoubles
import PaymentTerminal
import ProcessMemory
import Testing

@testable import TerminalJournal

@Suite struct SQLiteJournalTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)").path(
        percentEncoded: false)
    private let key = JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32)))

    /// A host that cannot be reached but for what the test lets it answer.
    private struct Host: PaymentHost {
        var isReachable = false
        private static let away = HostError(.unreachable, "no network: check the cable")
        func settings() async throws(HostError) -> HostSettings { throw Self.away }
        func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
            guard isReachable else { throw Self.away }
            return AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                authorizedAmount: request.amount, message: "APPROVAL")
        }
        func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.away }
        func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.away }
        func advise(_ advice: Advice) async throws(HostError) { if !isReachable { throw Self.away } }
        func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
            guard isReachable else { throw Self.away }
            return .notSeen
        }
        func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page { [] }
        func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            throw Self.away
        }
        func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
            throw Self.away
        }
        func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            throw Self.away
        }
        func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
            throw Self.away
        }
    }

    /// A published test number of Mastercard, a name and a track that must be found nowhere.
    private static let pan = "5555555555554444"
    private static let track = "5555555555554444=31122010000054321"

    private func stripe() -> PresentedCardReader {
        PresentedCardReader(
            CapturedCard(
                entryMode: .magneticStripe, pan: SecretBytes(Self.pan.utf8), expiry: "3112",
                cardholderName: "NAMECANARY/JANE",
                track2: SecretBytes(Self.track.utf8)))
    }

    private func terminal(_ host: Host, _ journal: SQLiteJournal) async throws -> Terminal {
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro,
                offline: OfflinePolicy(deferredAuthorization: [.magneticStripe])), host: host, journal: journal
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
        try await terminal.connect(stripe())
        return terminal
    }

    private func sale(_ id: String) throws -> Sale {
        Sale(
            orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"),
            amount: try Money(parsing: "12.34 EUR"))
    }

    private func bytesOnDisk() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: Data()) {
            $0 += try #require(FileManager.default.contents(atPath: "\(folder)/\($1)"))
        }
    }

    @Test("what is stored survives the process, sealed; once the host has it nothing of the card is left")
    func storeAndForward()
        async throws
    {
        do {
            let journal = try await SQLiteJournal.open(folder: folder, key: key)
            #expect(try await terminal(Host(), journal).processSale(sale("o1")).outcome == .storedOffline)
            try journal.close()
        }
        for canary in [Self.pan, "54321", "NAMECANARY"] {
            #expect(try bytesOnDisk().range(of: Data(canary.utf8)) == nil)
        }
        let journal = try await SQLiteJournal.open(folder: folder, key: key)
        let entry = try #require(try await journal.openEntries().first)
        guard case .authorization(let payment) = entry.due else {
            Issue.record("nothing is due")
            return
        }
        #expect("\(payment) \(entry.orderID)" == "stored payment of 12.34 EUR o1", "no card data in words")
        let terminal = try await terminal(Host(isReachable: true), journal)
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(try await journal.openEntries().isEmpty)
        let latest = try #require(try await journal.latest(1).first)
        let content = String(decoding: latest.content().revealed(), as: UTF8.self)
        #expect(!content.contains(Self.pan))
        #expect(!content.contains("54321"))
    }

    @Test("the same key gets the same answer after a restart; another request with it is refused") func idempotency()
        async throws
    {
        let first: PaymentResponse
        do {
            let journal = try await SQLiteJournal.open(folder: folder, key: key)
            first = try await terminal(Host(isReachable: true), journal).processSale(sale("o1"))
            try journal.close()
        }
        let terminal = try await terminal(Host(isReachable: true), SQLiteJournal.open(folder: folder, key: key))
        #expect(try await terminal.processSale(sale("o1")) == first)
        var other = try sale("o1")
        other.amount = try Money(parsing: "12.35 EUR")
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(other) }
        #expect(error?.code == .idempotencyConflict)
    }

    @Test("a new key takes the place of the old one, and requests are recognised all the same") func rotation()
        async throws
    {
        let next = JournalKey.bytes(SecretBytes([UInt8](repeating: 9, count: 32)))
        let first: PaymentResponse
        do {
            let journal = try await SQLiteJournal.open(folder: folder, key: key)
            first = try await terminal(Host(isReachable: true), journal).processSale(sale("o1"))
            try await journal.rotate(to: next)
            #expect(try await journal.entry(for: OrderID("o1"))?.response == first, "the open journal goes on")
            try journal.close()
        }
        let old = await #expect(throws: JournalError.self) {
            _ = try await SQLiteJournal.open(folder: folder, key: key)
        }
        #expect(old?.message == "journal \(folder) was made with another key: give that key, or another folder")
        let terminal = try await terminal(Host(isReachable: true), SQLiteJournal.open(folder: folder, key: next))
        #expect(try await terminal.processSale(sale("o1")) == first)
    }

    @Test("the sequence counter goes on where it was, and round") func sequenceCounter() async throws {
        do {
            let journal = try await SQLiteJournal.open(folder: folder, key: key, nextSequenceCounter: 99_999_999)
            #expect(try await journal.takeSequenceCounter() == 99_999_999)
            // A host hears of a counter after its order is in the journal, which keeps both.
            _ = try await terminal(Host(isReachable: true), journal).processSale(sale("o1"))
            try journal.close()
        }
        let journal = try await SQLiteJournal.open(folder: folder, key: key, nextSequenceCounter: 7)
        #expect(try await journal.takeSequenceCounter() == 2, "the sale took 1")
    }

    @Test("an order that is tried again has an entry already, and its counter is lasting with it")
    func counterOfARetry() async throws {
        let taken: UInt32
        do {
            let journal = try await SQLiteJournal.open(folder: folder, key: key)
            _ = try await terminal(Host(isReachable: true), journal).processSale(sale("o1"))
            let entry = try #require(try await journal.entry(for: OrderID("o1")))
            taken = try await journal.takeSequenceCounter()
            try await journal.update(entry, .lasting)
            try journal.close()
        }
        #expect(try await SQLiteJournal.open(folder: folder, key: key).takeSequenceCounter() == taken + 1)
    }

    @Test("one process has the journal; a changed entry is refused") func claims() async throws {
        let journal = try await SQLiteJournal.open(folder: folder, key: key)
        _ = try await terminal(Host(isReachable: true), journal).processSale(sale("o1"))
        let second = await #expect(throws: JournalError.self) {
            _ = try await SQLiteJournal.open(folder: folder, key: key)
        }
        #expect(
            second?.message
                == "journal \(folder) is in use, by another process or already by this one: close it there, or give another folder"
        )
        let sqlite = Process()
        sqlite.executableURL = URL(filePath: "/usr/bin/env")
        sqlite.arguments = [
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"UPDATE entry SET content = zeroblob(60)\"); c.commit()",
            "\(folder)/journal.sqlite",
        ]
        try sqlite.run()
        sqlite.waitUntilExit()
        #expect(sqlite.terminationStatus == 0)
        let damaged = await #expect(throws: JournalError.self) { _ = try await journal.entry(for: OrderID("o1")) }
        #expect(damaged?.code == .damaged)
    }

    @Test("a key comes from a file of its owner's, or from a callback") func keys() async throws {
        let digits = String(repeating: "0a", count: 32)
        let path = "\(folder).key"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data("\(digits)\n".utf8), attributes: [.posixPermissions: 0o600]))
        let expected = SecretBytes([UInt8](repeating: 10, count: 32))
        #expect(try await JournalKey.file(path: path).key() == expected)
        #expect(try await JournalKey.callback { expected }.key() == expected)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let open = await #expect(throws: JournalKeyError.self) { _ = try await JournalKey.file(path: path).key() }
        #expect(open?.description == "the journal's key: other users have access to \(path): chmod 600 \(path)")
    }

    @Test("`KeyFromEnvironmentTests`, in a process where nothing else reads the environment meanwhile")
    func keyFromEnvironment()
        async throws
    {
        let (status, said) = try await OwnProcess.run("KeyFromEnvironmentTests")
        #expect(status == 0, "\(said)")
        #expect(said.contains("Test run with 1 test"), "\(said)")
    }
}

@Suite(.enabled(if: OwnProcess.isThis)) struct KeyFromEnvironmentTests {
    @Test("a key comes from the environment, and is removed from it") func key() async throws {
        let name = "CARDPRESENT_TEST_JOURNAL_KEY"
        unsafe setenv(name, String(repeating: "0a", count: 32), 1)
        #expect(try await JournalKey.environment(name: name).key() == SecretBytes([UInt8](repeating: 10, count: 32)))
        #expect(unsafe getenv(name) == nil, "what was read is gone")
        unsafe setenv(name, "short", 1)
        await #expect(throws: JournalKeyError.self) { _ = try await JournalKey.environment(name: name).key() }
        await #expect(throws: JournalKeyError.self) {
            _ = try await JournalKey.environment(name: "CARDPRESENT_NOT_SET").key()
        }
    }
}
