import Bytes
import CardCapture
import PaymentDoubles
import PaymentTerminal
import Synchronization
import Testing

/// What the terminal owes its host, when the host is difficult.
@Suite("What the terminal owes its host, when the host is difficult") struct ForwardingTests {
    private func sale(_ id: String, _ source: Sale.Source = .secureCard(FakeHost.token)) throws -> Sale {
        Sale(
            orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"), amount: try euros("12.34"),
            source: source)
    }

    /// A terminal that has three payments to be reversed.
    private func owing(_ host: FakeHost, _ journal: any TransactionJournal = MemoryJournal()) async throws -> Terminal {
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, journal: journal)
        for number in 1...3 { #expect(try await terminal.processSale(sale("order-\(number)")).outcome == .unknown) }
        host.failAdvices(with: nil)
        return terminal
    }

    @Test(
        "An order that the host cannot answer does not stop those behind it",
        arguments: [
            HostError.Code.failed(.noAnswer), .failed(.answerNotGenuine), .failed(.internalError),
            .refused(.notAuthorized),
        ])
    func oneOrderFails(_ code: HostError.Code) async throws {
        let host = FakeHost(failing: HostError(.noAnswer, "no answer"))
        let terminal = try await owing(host)
        host.play {
            $0.advice = { advice throws(HostError) in
                if advice.orderID.text == "order-1" { throw HostError(code, "this one fails") }
            }
        }
        #expect(try await terminal.recoverPending().map(\.orderID.text) == ["order-2", "order-3"])
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["order-1"])
        host.play { $0.advice = { _ in } }
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.noHostAnswer)])
    }

    @Test("A host that cannot be reached ends the round") func unreachable() async throws {
        let host = FakeHost(failing: HostError(.noAnswer, "no answer"))
        let terminal = try await owing(host)
        let tries = Mutex(0)
        host.play {
            $0.advice = { _ throws(HostError) in
                tries.withLock { $0 += 1 }
                throw HostError(.unreachable, "no network")
            }
        }
        #expect(try await terminal.recoverPending().isEmpty)
        #expect(tries.withLock { $0 } == 1)
        #expect(await terminal.pendingPayments.count == 3)
    }

    @Test("A refund that the host does not know by its order stays unknown, after a restart too") func refundInDoubt()
        async throws
    {
        let host = FakeHost()
        host.play {
            $0.knowsReferencedRequestsByOrder = false
            $0.referenced = { _ throws(HostError) in throw HostError(.noAnswer, "no answer") }
        }
        let journal = MemoryJournal()
        let refund = Refund(orderID: OrderID("refund-1"), amount: try euros("5.00"), target: .transaction("U000000001"))
        let response = try await terminal(host, journal: journal).processRefund(refund)
        #expect(response.outcome == .unknown)
        #expect(response.description.contains("ask the acquirer"))
        #expect(host.seen.inquiries.isEmpty, "the host would take another order for it")
        #expect(host.seen.advices.isEmpty, "the host would take another order for it")
        #expect(try await terminal(host, journal: journal).recoverPending().isEmpty)
        #expect(try await journal.entry(for: OrderID("refund-1"))?.response?.outcome == .unknown)
    }

    @Test("A refund that a killed process left in doubt stays unknown where the host does not know it by its order")
    func refundOfKilledProcess() async throws {
        let host = FakeHost()
        host.play { $0.knowsReferencedRequestsByOrder = false }
        let journal = MemoryJournal()
        let dying = DyingJournal(journal, after: 1)
        let doomed = try await terminal(host, journal: dying)
        let refund = Refund(orderID: OrderID("refund-1"), amount: try euros("5.00"), target: .transaction("U000000001"))
        Task { try? await doomed.processRefund(refund) }
        for await _ in dying.death.stream {}
        #expect(try await terminal(host, journal: journal).recoverPending().map(\.outcome) == [.unknown])
        #expect(host.seen.inquiries.isEmpty)
        #expect(host.seen.advices.isEmpty)
    }

    @Test("An approved sale does not wait for a host that is silent on its confirmation, nor for other payments")
    func noWaiting()
        async throws
    {
        let host = FakeHost()
        host.play { $0.advice = { _ in await hang() } }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) {
            $0.limits.retry = .milliseconds(1)
        }
        for number in 1...3 {
            #expect(try await terminal.processSale(sale("order-\(number)", .reader)).outcome == .approved)
        }
        #expect(host.seen.authorizations.count == 3)
    }

    @Test("A sale does not wait for a hundred payments that an earlier process stored") func backlog() async throws {
        let host = FakeHost()
        let journal = MemoryJournal()
        let away = FakeHost(failing: HostError(.unreachable, "no network"))
        let earlier = try await terminal(away, journal: journal) { $0.offline.deferredAuthorization = [.keyed] }
        for number in 1...100 {
            #expect(
                try await earlier.processSale(sale("stored-\(number)", .keyed(keyedCard(), cvv: nil))).outcome
                    == .storedOffline)
        }
        // The first of them is asked for, and the host never answers that.
        host.play { $0.status = { _ in .pending } }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()), journal: journal)
        #expect(try await terminal.processSale(sale("order-1", .reader)).outcome == .approved)
        #expect(host.seen.authorizations.map(\.orderID.text) == ["order-1"], "one round trip, the shopper's own")
        #expect(host.seen.inquiries.isEmpty)
    }

    @Test("The background delivers by itself what is open") func background() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) {
            $0.limits.retry = .milliseconds(1)
        }
        let confirmed = AsyncStream.makeStream(of: String.self)
        host.play { $0.advice = { confirmed.continuation.yield($0.orderID.text) } }
        _ = try await terminal.processSale(sale("order-1", .reader))
        for await order in confirmed.stream {
            #expect(order == "order-1")
            break
        }
        _ = try await terminal.processSale(sale("order-2", .reader))
        for await order in confirmed.stream {
            #expect(order == "order-2")
            break
        }
    }

    @Test("A partial approval whose reversal the host refuses stands for what was approved") func partialApproval()
        async throws
    {
        let host = FakeHost { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "10", approvalCode: "123456"),
                authorizedAmount: Money(minorUnits: 500, currency: .euro), message: "PARTIAL APPROVAL")
        }
        host.failAdvices(with: HostError(.notAllowed, "the batch is closed"))
        let response = try await terminal(host).processSale(sale("order-1"))
        #expect(response.outcome == .partiallyApproved)
        #expect(try response.authorizedAmount == euros("5.00"))
        #expect(response.approvalCode == "123456")
        #expect(response.description.contains("refund the payment"))
    }

    @Test("A payment that its host has, and does not reverse for whatever reason, stands: the host's record says so")
    func refusedForWhateverReason() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        let sale = try sale("order-1")
        let approval = AuthorizationResponse(
            uniqueReference: try #require(try await terminal.processSale(sale).uniqueReference),
            issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"), authorizedAmount: sale.amount,
            message: "APPROVAL")
        host.play { $0.status = { _ in .decided(approval) } }
        host.failAdvices(with: HostError(.validationFailed, "this reason is unknown"))
        let error = await #expect(throws: TerminalError.self) { try await terminal.reverse(OrderID("order-1")) }
        #expect(error?.code == .refused(.notAllowed))
        #expect(error?.message.contains("refund the payment") == true)
        #expect(try await terminal.processSale(sale).outcome == .approved, "the payment stands")
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("A stored payment that the host decided for another amount is reversed and visible")
    func storedForAnotherAmount() async throws {
        let answers = Mutex([HostError(.unreachable, "no network")])
        let host = FakeHost { request throws(HostError) in
            if let error = answers.withLock({ $0.popLast() }) { throw error }
            return AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: Money(minorUnits: 999_999, currency: .euro), message: "APPROVAL")
        }
        let terminal = try await terminal(host) { $0.offline.deferredAuthorization = [.keyed] }
        #expect(
            try await terminal.processSale(sale("order-1", .keyed(keyedCard(), cvv: nil))).outcome == .storedOffline)
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(host.seen.advices.count == 1)
        #expect(await terminal.pendingPayments.isEmpty)
    }

    // MARK: A journal that fails

    @Test("A refusal of a reversal is told only when the journal has it: until then the reversal is pending")
    func unwrittenRefusal() async throws {
        let host = FakeHost()
        // Asking, finished, and the reversal that is due.
        let journal = FailingJournal(MemoryJournal(), after: 3)
        let terminal = try await terminal(host, journal: journal)
        let sale = try sale("order-1")
        let approval = AuthorizationResponse(
            uniqueReference: try #require(try await terminal.processSale(sale).uniqueReference),
            issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"), authorizedAmount: sale.amount,
            message: "APPROVAL")
        host.play { $0.status = { _ in .decided(approval) } }
        host.failAdvices(with: HostError(.notAllowed, "the batch is closed"))
        let response = try await terminal.reverse(OrderID("order-1"))
        #expect(response.outcome == .reversed(.requested))
        #expect(response.reversal == .pending)
        #expect(try await terminal.outcome(of: OrderID("order-1")).outcome == .reversed(.requested))
        #expect(try await terminal.journaled().map(\.outcome) == [.reversed(.requested)])
        #expect(await terminal.pendingPayments.map(\.outcome) == [.reversed(.requested)])
        #expect(try await terminal.processSale(sale).outcome == .reversed(.requested), "the key's answer")
        await #expect(throws: TerminalError.self, "its end cannot be written") {
            try await terminal.reverse(OrderID("order-1"))
        }
        let refund = await #expect(throws: TerminalError.self) {
            try await terminal.processRefund(
                Refund(
                    orderID: OrderID("refund-1"), amount: sale.amount,
                    target: .transaction(approval.uniqueReference)))
        }
        #expect(refund?.code == .refused(.notAllowed), "the next process may reverse it")
        journal.mend()
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("An outcome that cannot be written is unknown while the line is down, and reversed when it is back")
    func unwrittenOutcome()
        async throws
    {
        let host = FakeHost()
        let kept = MemoryJournal()
        let journal = FailingJournal(kept, after: 1)
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, journal: journal)
        let sale = try sale("order-1")
        let response = try await terminal.processSale(sale)
        #expect(response.outcome == .unknown)
        #expect(response.reversal == .pending)
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["order-1"])
        #expect(try await terminal.processSale(sale).outcome == .unknown, "the same key gets the same answer")
        host.failAdvices(with: nil)
        journal.mend()
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(try await kept.entry(for: OrderID("order-1"))?.response?.outcome == .reversed(.terminalTerminated))
        #expect(host.seen.authorizations.count == 1)
    }

    @Test("A decline that could not be written stays one where the host neither reverses it nor can be asked")
    func unwrittenDecline()
        async throws
    {
        let host = FakeHost { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "05"),
                authorizedAmount: Money(minorUnits: 0, currency: request.amount.currency), message: "DECLINED")
        }
        host.failAdvices(with: HostError(.notAllowed, "the batch is closed"))
        host.play { $0.status = { _ throws(HostError) in throw HostError(.notSupported, "no inquiries") } }
        let journal = FailingJournal(MemoryJournal(), after: 1)
        let terminal = try await terminal(host, journal: journal)
        #expect(try await terminal.processSale(sale("order-1")).outcome == .unknown)
        journal.mend()
        #expect(try await terminal.recoverPending().map(\.outcome) == [.declined])
    }

    @Test(
        "A payment that was to be stored and may be is unknown, and undone when the journal works again: with an entry, and without one",
        arguments: [1, 0]) func unwrittenStored(_ writes: Int) async throws
    {
        let answers = Mutex([HostError(.unreachable, "no network")])
        let host = FakeHost { request throws(HostError) in
            if let error = answers.withLock({ $0.popLast() }) { throw error }
            throw HostError(.internalError, "asked twice")
        }
        let kept = MemoryJournal()
        let journal = FailingJournal(kept, after: writes)
        let reader = FakeReader(chipCard(), asksHost: false) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOffline, card: chipCard())
        }
        let terminal = try await terminal(host, reader: writes == 0 ? reader : nil, journal: journal) {
            $0.offline.deferredAuthorization = [.keyed]
        }
        let sale = try writes == 0 ? sale("order-1", .reader) : sale("order-1", .keyed(keyedCard(), cvv: nil))
        #expect(try await terminal.processSale(sale).outcome == .unknown)
        #expect(try await terminal.outcome(of: sale.orderID).outcome == .unknown)
        #expect(try await terminal.journaled().map(\.orderID) == [sale.orderID])
        journal.mend()
        var other = sale
        other.orderID = "order-2"
        let conflict = await #expect(throws: TerminalError.self, "the key is taken") {
            try await terminal.processSale(other)
        }
        #expect(conflict?.code == .idempotencyConflict)
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.terminalTerminated)])
        #expect(
            try await terminal.processSale(sale).outcome == .reversed(.terminalTerminated), "its key keeps the answer")
        #expect(try await kept.entry(for: OrderID("order-1"))?.stage == .finished)
    }

    @Test("The id of a failed order is free again, even if the journal's write failed at first") func unwrittenDrop()
        async throws
    {
        let answers = Mutex([HostError(.cardRefused, "no cards of this scheme")])
        let host = FakeHost { request throws(HostError) in
            if let error = answers.withLock({ $0.popLast() }) { throw error }
            return AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: request.amount,
                message: "APPROVAL")
        }
        let kept = MemoryJournal()
        let journal = FailingJournal(kept, after: 1)
        let terminal = try await terminal(host, journal: journal)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale("order-1")) }
        #expect(error?.code == .refused(.cardRefused))
        journal.mend()
        #expect(try await terminal.processSale(sale("order-1")).outcome == .approved)
        try await terminal.recoverPending()
        #expect(try await kept.entry(for: OrderID("order-1"))?.response?.outcome == .approved)
    }

    @Test(
        "A reversal that the journal does not take may be there after a restart: its outcome is unknown until it is written"
    )
    func unwrittenReversal() async throws {
        let host = FakeHost()
        let kept = MemoryJournal()
        // Of the sale: asking, finished.
        let journal = FailingJournal(kept, after: 2)
        let terminal = try await terminal(host, journal: journal)
        let orderID = OrderID("order-1")
        #expect(try await terminal.processSale(sale("order-1")).outcome == .approved)
        #expect(try await terminal.reverse(orderID).outcome == .unknown)
        #expect(try await terminal.reverse(orderID).outcome == .unknown, "still not written")
        #expect(host.seen.advices.isEmpty, "the journal has it first")
        journal.mend()
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.requested)])
        #expect(try await kept.entry(for: orderID)?.response?.outcome == .reversed(.requested))
        #expect(host.seen.advices.count == 1)
    }
}

/// A journal that takes some changes and then none, until it is mended.
private final class FailingJournal: RelayedJournal {
    let kept: MemoryJournal
    private let left: Mutex<Int>

    init(_ kept: MemoryJournal, after writes: Int) {
        self.kept = kept
        left = Mutex(writes)
    }

    func mend() { left.withLock { $0 = .max } }

    private func check() throws(JournalError) {
        let isBroken = left.withLock { left in
            guard left > 0 else { return true }
            left -= 1
            return false
        }
        if isBroken { throw JournalError(.full, "the disk is full: make room") }
    }

    func insert(_ entry: JournalEntry) async throws(JournalError) {
        try check()
        try await kept.insert(entry)
    }
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try check()
        try await kept.update(entry, durability)
    }
}
