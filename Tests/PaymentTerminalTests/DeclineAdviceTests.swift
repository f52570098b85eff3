import CardCapture
import PaymentTerminal
import TLV
import Testing

/// EMV 4.4 Book 4, 6.3.7: a card that declines may want its issuer to hear of it.
@Suite("A decline for which the card asks an advice reaches hosts that take one") struct DeclineAdviceTests {
    private static func reader(_ decision: CaptureOutcome.Decision = .declinedOffline, requiresAdvice: Bool = true)
        -> FakeReader
    {
        FakeReader(chipCard(), asksHost: false) { _ throws(CaptureError) in
            CaptureOutcome(decision: decision, card: chipCard(), requiresAdvice: requiresAdvice)
        }
    }

    private func advised(_ host: FakeHost) -> [OrderID] {
        host.seen.advices.compactMap {
            if case .declinedOffline(let request) = $0.result { request.orderID } else { nil }
        }
    }

    @Test("it is sent in the background, with the card's cryptogram, and the sale does not wait for it")
    func inTheBackground() async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        #expect(response.outcome == .declined)
        #expect(response.reversal == .none)
        #expect(response.fieldsNotSent.isEmpty)
        #expect(try await journal.openEntries().map(\.stage) == [.owing])
        host.failAdvices(with: nil)
        _ = try await terminal.recoverPending()
        #expect(advised(host) == [OrderID("o1")])
        #expect(host.seen.authorizations.isEmpty)
        guard case .declinedOffline(let request) = host.seen.advices.first?.result else {
            Issue.record("no advice")
            return
        }
        #expect(request.amount == (try euros("1.00")))
        #expect(request.chipData?.isEmpty == false)
        #expect(try await journal.openEntries().isEmpty)
    }

    /// The card's wish is bit 4 of its CID, tag 9F27 (EMV 4.4 Book 3, table 15).
    @Test(
        "a reader with a kernel of its own is asked for no more than the card's data",
        arguments: [(0x08, true), (0x00, false)])
    func fromTheCardsData(_ information: UInt8, _ isAdvised: Bool) async throws {
        let host = FakeHost()
        var card = chipCard()
        card.chip?.elements[.cryptogramInformationData] = [information]
        let declined = card
        let reader = FakeReader(declined, asksHost: false) { _ throws(CaptureError) in
            CaptureOutcome(decision: .declinedOffline, card: declined)
        }
        let terminal = try await terminal(host, reader: reader)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        _ = try await terminal.recoverPending()
        #expect(advised(host) == (isAdvised ? [OrderID("o1")] : []))
    }

    @Test("it registers no card, though the sale was to") func registersNothing() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: Self.reader())
        let card = SecureCard(merchantReference: try MerchantReference("customer-1"))
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00"), secureCard: card))
        _ = try await terminal.recoverPending()
        guard case .declinedOffline(let request) = host.seen.advices.first?.result else {
            Issue.record("no advice")
            return
        }
        #expect(request.secureCard == nil)
    }

    @Test("it survives a restart, in bytes of its own version") func restart() async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        host.failAdvices(with: HostError(.unreachable, "no network"))
        _ = try await terminal(host, reader: Self.reader(), journal: journal)
            .processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        let entry = try #require(try await journal.openEntries().first)
        let next = MemoryJournal()
        try await next.insert(JournalEntry(content: entry.content(), version: JournalEntry.contentVersion))
        host.failAdvices(with: nil)
        let changed = try await terminal(host, journal: next).recoverPending()
        #expect(changed.isEmpty, "the outcome is still a decline")
        #expect(advised(host) == [OrderID("o1")])
        #expect(try await next.openEntries().isEmpty)
    }

    @Test("an interface without such a message is named in the response, and gets none") func notCarried() async throws
    {
        let (host, journal) = (FakeHost(), MemoryJournal())
        host.play { $0.fieldsNotCarried = [.declineAdvice] }
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        #expect(response.outcome == .declined)
        #expect(response.fieldsNotSent == [.declineAdvice])
        #expect(try await terminal.journaled().map(\.fieldsNotSent) == [[.declineAdvice]])
        _ = try await terminal.recoverPending()
        #expect(host.seen.advices.isEmpty)
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test("a host that refuses the advice leaves the decline as it is") func refused() async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        host.failAdvices(with: HostError(.notSupported, "no such message"))
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().isEmpty)
        #expect(try await terminal.journaled().map(\.outcome) == [.declined])
        #expect(try await terminal.journaled().map(\.fieldsNotSent) == [[.declineAdvice]])
    }

    @Test(
        "a host that has charged what the card declined, and refuses the advice, gets a reversal",
        arguments: [
            (status: "held", outcome: PaymentResponse.Outcome.reversed(.cardDeclined), reversals: 1),
            ("declined", .declined, 0),
            ("not seen", .declined, 0), ("reversed", .declined, 0), ("not told", .declined, 0),
            ("unclear", .unknown, 0),
        ])
    func chargedAllTheSame(_ status: String, _ outcome: PaymentResponse.Outcome, _ reversals: Int) async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        let amount = try euros("1.00")
        let answer = { @Sendable (code: String) in
            AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: code, approvalCode: "123456"),
                authorizedAmount: amount,
                message: "")
        }
        var record = TransactionRecord(
            orderID: "o1", uniqueReference: "U1", kind: .sale, state: status == "declined" ? .declined : .approved,
            amount: amount)
        record.timestamp = status == "unclear" ? nil : noon
        let listed = ["held", "declined", "unclear"].contains(status) ? [record] : []
        host.play {
            $0.transactions = listed
            $0.advice = { advice throws(HostError) in
                if case .declinedOffline = advice.result { throw HostError(.notAllowed, "an error") }
            }
            $0.status = { _ throws(HostError) in
                switch status {
                case "held", "unclear": .decided(answer("00"))
                case "declined": .decided(answer("05"))
                case "reversed": .reversed
                case "not seen": .notSeen
                default: throw HostError(.notSupported, "no such message")
                }
            }
        }
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        #expect(try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: amount)).outcome == .declined)
        let changed = try await terminal.recoverPending()
        #expect(changed.map(\.outcome) == (outcome == .declined ? [] : [outcome]))
        #expect(host.seen.advices.filter { if case .reversed = $0.result { true } else { false } }.count == reversals)
        #expect(try await terminal.journaled().map(\.outcome) == [outcome])
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test("the advice stays due while the host is pending on what the card declined") func pending() async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        var record = TransactionRecord(
            orderID: "o1", uniqueReference: "U1", kind: .sale, state: .pending, amount: try euros("1.00"))
        record.timestamp = noon
        let listed = [record]
        host.play {
            $0.advice = { _ throws(HostError) in throw HostError(.notAllowed, "an error") }
            $0.status = { _ in .pending }
            $0.transactions = listed
        }
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().map(\.stage) == [.owing])
    }

    @Test("a list that does not have it yet has not said that an earlier advice charged nothing") func lateList()
        async throws
    {
        let (host, journal) = (FakeHost(), MemoryJournal())
        host.play { $0.status = { _ in .notSeen } }
        host.failAdvices(with: HostError(.noAnswer, "silence"))
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        _ = try await terminal.recoverPending()
        host.failAdvices(with: HostError(.notAllowed, "an error"))
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().map(\.stage) == [.owing])
    }

    @Test("a host that refuses to be asked about it has not said that nothing was charged") func refusedInquiry()
        async throws
    {
        let (host, journal) = (FakeHost(), MemoryJournal())
        let amount = try euros("1.00")
        host.play {
            $0.advice = { advice throws(HostError) in
                if case .declinedOffline = advice.result { throw HostError(.notAllowed, "an error") }
            }
            $0.status = { _ throws(HostError) in throw HostError(.notAuthorized, "no") }
        }
        let terminal = try await terminal(host, reader: Self.reader(), journal: journal)
        _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: amount))
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().map(\.stage) == [.owing])
        var record = TransactionRecord(
            orderID: "o1", uniqueReference: "U1", kind: .sale, state: .approved, amount: amount)
        record.timestamp = noon
        let charged = AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: amount,
            message: "")
        let listed = [record]
        host.play {
            $0.transactions = listed
            $0.status = { _ in .decided(charged) }
        }
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.cardDeclined)])
    }

    @Test("a decline without the card's request sends no advice, nor does a refund", arguments: [true, false])
    func none(_ isRefund: Bool)
        async throws
    {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: Self.reader(requiresAdvice: isRefund))
        if isRefund {
            _ = try await terminal.processRefund(
                Refund(orderID: OrderID("o1"), amount: euros("1.00"), target: .card(.reader)))
        } else {
            _ = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        }
        _ = try await terminal.recoverPending()
        #expect(host.seen.advices.isEmpty)
    }
}
