import Bytes
import CardCapture
import PaymentDoubles
import PaymentTerminal
import Synchronization
import Testing

/// A journal that keeps what it was given up to a moment, and then never answers again: what a
/// process leaves behind that is killed there.
final class DyingJournal: RelayedJournal {
    let kept: MemoryJournal
    /// Ends when the journal has died.
    let death = AsyncStream.makeStream(of: Void.self)
    private let left: Mutex<Int>

    /// - Parameter writes: How many changes are still kept.
    init(_ kept: MemoryJournal, after writes: Int) {
        self.kept = kept
        left = Mutex(writes)
    }

    private func write(_ body: () async throws(JournalError) -> Void) async throws(JournalError) {
        let isAlive = left.withLock { left in
            left -= 1
            return left >= 0
        }
        if !isAlive {
            death.continuation.finish()
            await hang()
        }
        try await body()
    }

    func insert(_ entry: JournalEntry) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await kept.insert(entry) }
    }
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await kept.update(entry, durability) }
    }
}

@Suite("A process that dies continues from its journal") struct JournalTests {
    private func sale(_ source: Sale.Source, key: String? = "key-1") throws -> Sale {
        Sale(
            orderID: OrderID("order-1"), idempotencyKey: try key.map { try IdempotencyKey($0) },
            amount: try euros("12.34"),
            source: source)
    }

    private func approval(_ amount: Money) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: amount, message: "APPROVAL")
    }

    /// What a terminal makes of the journal that a killed one left behind.
    private func afterDeath(
        _ sale: Sale, writes: Int, reader: FakeReader? = nil, host: FakeHost, then: (FakeHost) -> Void = { _ in }
    ) async throws -> (journal: MemoryJournal, recovered: [PaymentResponse], terminal: Terminal) {
        let journal = MemoryJournal()
        let dying = DyingJournal(journal, after: writes)
        let doomed = try await terminal(host, reader: reader, journal: dying)
        Task {
            _ = try? await doomed.processSale(sale)
            _ = try? await doomed.recoverPending()
        }
        for await _ in dying.death.stream {}
        then(host)
        let next = try await terminal(host, reader: reader, journal: journal)
        return (journal, try await next.recoverPending(), next)
    }

    @Test("nothing was sent: nothing is owed, and the request can be made again") func diedBeforeAsking() async throws {
        let host = FakeHost()
        let sale = try sale(.secureCard(FakeHost.token))
        let (journal, recovered, terminal) = try await afterDeath(sale, writes: 0, host: host)
        #expect(recovered.isEmpty)
        #expect(host.seen.authorizations.isEmpty)
        #expect(host.seen.advices.isEmpty)
        #expect(try await journal.openEntries().isEmpty)
        #expect(try await terminal.processSale(sale).outcome == .approved)
        #expect(host.seen.authorizations.count == 1)
    }

    @Test("the host decided and the terminal died: the approval is found, and the same key gets it")
    func diedAfterAsking() async throws {
        let host = FakeHost()
        let amount = try euros("12.34")
        host.play { $0.status = { [answer = approval(amount)] _ in .decided(answer) } }
        let sale = try sale(.secureCard(FakeHost.token))
        let (journal, recovered, terminal) = try await afterDeath(sale, writes: 1, host: host)
        #expect(recovered.map(\.outcome) == [.approved])
        #expect(recovered.first?.approvalCode == "123456")
        #expect(try await journal.openEntries().isEmpty)
        #expect(host.seen.advices.isEmpty)
        let again = try await terminal.processSale(sale)
        #expect(again == recovered.first)
        #expect(host.seen.authorizations.count == 1, "the card is charged once")
    }

    @Test("a request that may never have arrived is reversed, so that it cannot arrive later") func neverArrived()
        async throws
    {
        let host = FakeHost()
        let (journal, recovered, _) = try await afterDeath(try sale(.secureCard(FakeHost.token)), writes: 1, host: host)
        #expect(recovered.map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(host.seen.advices.count == 1)
        #expect(try await journal.openEntries().isEmpty)
    }

    /// The writes of a chip sale are: asking, answered, owing, finished.
    @Test(
        "a chip's approval whose card is gone is reversed, and stands once the card's last word is in the journal",
        arguments: [2, 3])
    func cardIsGone(_ writes: Int) async throws {
        let host = FakeHost()
        let amount = try euros("12.34")
        host.play { $0.status = { [answer = approval(amount)] _ in .decided(answer) } }
        let (journal, recovered, _) = try await afterDeath(
            try sale(.reader), writes: writes, reader: FakeReader(obedient: chipCard()), host: host)
        let outcome = try #require(try await journal.latest(1).first?.response?.outcome)
        #expect(try await journal.openEntries().isEmpty)
        switch (writes, host.seen.advices.last?.result) {
        case (2, .reversed(.terminalTerminated)):
            #expect(outcome == .reversed(.terminalTerminated))
            #expect(recovered.map(\.outcome) == [outcome])
        case (3, .finished):
            #expect(outcome == .approved)
            #expect(recovered.isEmpty)
        default: Issue.record("the host received something else")
        }
    }

    @Test("while the host is unreachable nothing is decided, and the same key gets this error") func hostIsAway()
        async throws
    {
        let host = FakeHost()
        let sale = try sale(.secureCard(FakeHost.token))
        let (journal, recovered, terminal) = try await afterDeath(sale, writes: 1, host: host) { host in
            host.play { $0.status = { _ throws(HostError) in throw HostError(.unreachable, "no network") } }
        }
        #expect(recovered.isEmpty)
        #expect(try await journal.openEntries().count == 1)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
        #expect(error?.code == .hostFailed(.noAnswer))
        #expect(host.seen.authorizations.count == 1)
    }

    @Test("a host that can neither report nor reverse the payment: unknown for good, and never charged again")
    func nobodyCanSay() async throws {
        let host = FakeHost()
        let sale = try sale(.secureCard(FakeHost.token))
        let (journal, recovered, terminal) = try await afterDeath(sale, writes: 1, host: host) { host in
            let error = HostError(.notSupported, "this host has no inquiry")
            host.play { $0.status = { _ throws(HostError) in throw error } }
            host.failAdvices(with: error)
        }
        #expect(recovered.map(\.outcome) == [.unknown])
        #expect(recovered.first?.description.contains("ask the acquirer") == true)
        #expect(try await journal.openEntries().isEmpty)
        #expect(try await terminal.processSale(sale) == recovered.first)
        #expect(host.seen.authorizations.count == 1, "the card is charged once at most")
    }

    @Test("a host without inquiries gets a reversal") func noInquiry() async throws {
        let host = FakeHost()
        let (journal, recovered, _) = try await afterDeath(try sale(.secureCard(FakeHost.token)), writes: 1, host: host)
        { host in
            host.play {
                $0.status = { _ throws(HostError) in throw HostError(.notSupported, "this host has no inquiry") }
            }
        }
        #expect(recovered.map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(host.seen.advices.count == 1)
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test("A decision for another amount, found after a restart, is reversed and blocks no payment")
    func foundWithAnotherAmount()
        async throws
    {
        let host = FakeHost()
        let more = approval(try euros("99.99"))
        host.play { $0.status = { _ in .decided(more) } }
        let (journal, recovered, _) = try await afterDeath(try sale(.secureCard(FakeHost.token)), writes: 1, host: host)
        #expect(recovered.map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(recovered.first?.reversal == .performed)
        #expect(host.seen.advices.count == 1)
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test("the same key and request get the same answer; another request with it is refused") func idempotency()
        async throws
    {
        let host = FakeHost()
        let terminal = try await terminal(host)
        let first = try await terminal.processSale(sale(.keyed(keyedCard(), cvv: nil)))
        #expect(
            try await terminal.processSale(sale(.keyed(keyedCard(), cvv: SecretBytes("737".utf8)))) == first,
            "a CVV is kept nowhere")
        #expect(host.seen.authorizations.count == 1)
        var other = try sale(.keyed(keyedCard(), cvv: nil))
        other.amount = try euros("12.35")
        let conflict = await #expect(throws: TerminalError.self) { try await terminal.processSale(other) }
        #expect(conflict?.code == .idempotencyConflict)
        let withoutKey = try sale(.keyed(keyedCard(), cvv: nil), key: nil)
        let known = await #expect(throws: TerminalError.self) { try await terminal.processSale(withoutKey) }
        #expect(known?.code == .refused(.orderAlreadyProcessed), "I7")
    }

    @Test("who asks again needs no reader") func askedAgainWithoutReader() async throws {
        let journal = MemoryJournal()
        let sale = try sale(.reader)
        let first = try await terminal(FakeHost(), reader: FakeReader(obedient: chipCard()), journal: journal)
            .processSale(sale)
        #expect(try await terminal(FakeHost(), journal: journal).processSale(sale) == first)
    }

    @Test("a request that the host refused may be made again with its key") func refusedIsNotKept() async throws {
        let answers = Mutex([HostError(.cardRefused, "no cards of this scheme")])
        let host = FakeHost { request throws(HostError) in
            if let error = answers.withLock({ $0.popLast() }) { throw error }
            return AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: request.amount,
                message: "APPROVAL")
        }
        let terminal = try await terminal(host)
        let sale = try sale(.keyed(keyedCard(), cvv: nil))
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
        #expect(error?.code == .refused(.cardRefused))
        #expect(try await terminal.processSale(sale).outcome == .approved)
    }

    @Test("what is finished can be forgotten, what is owed cannot") func purge() async throws {
        let host = FakeHost()
        let journal = MemoryJournal()
        let terminal = try await terminal(host, journal: journal)
        _ = try await terminal.processSale(sale(.keyed(keyedCard(), cvv: nil)))
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let lost = FakeHost(failing: HostError(.noAnswer, "no answer"))
        lost.failAdvices(with: HostError(.unreachable, "no network"))
        let other = try await PaymentTerminalTests.terminal(lost, journal: journal)
        _ = try await other.processSale(
            Sale(orderID: OrderID("order-2"), amount: euros("1.00"), source: .keyed(keyedCard(), cvv: nil)))
        #expect(try await other.purgeJournal(keepingDays: 1) == 0)
        #expect(try await other.purgeJournal(keepingDays: 0) == 0, "of today")
        try await journal.count(date: noon.secondsSince1970 / 86_400 + 1)
        #expect(try await other.purgeJournal(keepingDays: 0) == 1)
        #expect(try await journal.latest(10).map(\.orderID.text) == ["order-2"])
    }

    @Test("a journal that cannot be written takes no payment") func brokenJournal() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, journal: BrokenJournal())
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(sale(.keyed(keyedCard(), cvv: nil)))
        }
        #expect(error?.code == .journalFailed)
        #expect(error?.message == "the disk is full: make room")
        #expect(host.seen.authorizations.isEmpty)
    }
}

/// A journal on a full disk.
private struct BrokenJournal: TransactionJournal {
    private static let full = JournalError(.full, "the disk is full: make room")
    func insert(_ entry: JournalEntry) async throws(JournalError) { throw Self.full }
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) { throw Self.full }
    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? { nil }
    func openEntries() async throws(JournalError) -> [JournalEntry] { [] }
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] { [] }
    func count(date: Int64) async throws(JournalError) {}
    func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int { 0 }
    func takeSequenceCounter() async throws(JournalError) -> UInt32 { 1 }
    func digest(of request: SecretBytes) -> [UInt8] { [] }
}
