import Bytes
import PaymentTerminal
import Testing

/// A change of a secure card is in the journal before the host has it, and its outcome is found
/// out.
@Suite("Changes of secure cards are journaled") struct JournaledSecureCardTests {
    private let reference: MerchantReference

    init() throws { reference = try MerchantReference("customer-7") }

    private func card(_ email: String? = nil) throws -> SecureCard {
        var card = SecureCard(
            merchantReference: reference, tokenMethod: .keyed(try keyedCard(), cvv: SecretBytes("737".utf8)))
        card.details.email = email
        return card
    }

    private func host(_ fates: FakeHost.ChangeFate...) -> FakeHost {
        let host = FakeHost()
        host.play {
            $0.changes = fates
            $0.knowsItsCardsAlone = true
        }
        return host
    }

    private func unanswered(_ request: () async throws -> Void) async {
        let error = await #expect(throws: TerminalError.self) { try await request() }
        #expect(error?.code == .hostFailed(.noAnswer))
    }

    /// The next result or error of a change that ended in the background.
    private func ended(_ events: AsyncStream<TerminalEvent>) async -> (TerminalEvent, SecureCardResponse?)? {
        for await event in events {
            switch event.content {
            case .secureCard(let response): return (event, response)
            case .failed: return (event, nil)
            default: continue
            }
        }
        return nil
    }

    @Test("the same request with the same key is made once and has one response") func repeated() async throws {
        let (host, journal) = (host(), MemoryJournal())
        let key = try IdempotencyKey("key-1")
        let first = try await terminal(host, journal: journal).registerSecureCard(card(), idempotencyKey: key)
        // Also in another process.
        let again = try await terminal(host, journal: journal).registerSecureCard(card(), idempotencyKey: key)
        #expect(again.secureCardReference == first.secureCardReference)
        #expect(again.description == "Secure Card Saved")
        #expect(again.secureCard?.card == first.secureCard?.card)
        #expect(again.secureCard?.card?.maskedPAN == "555555******4444")
        #expect(host.seen.registrations.count == 1)
        let other = await #expect(throws: TerminalError.self) {
            try await terminal(host, journal: journal).registerSecureCard(card("jane@example.org"), idempotencyKey: key)
        }
        #expect(other?.code == .idempotencyConflict)
        let edited = await #expect(throws: TerminalError.self) {
            try await terminal(host, journal: journal).editSecureCard(card(), idempotencyKey: key)
        }
        #expect(edited?.code == .idempotencyConflict)
        _ = try await terminal(host, journal: journal).registerSecureCard(card())
        #expect(host.seen.registrations.count == 2, "without a key it is another request")
    }

    @Test("a lost answer is looked up at once") func lostAnswer() async throws {
        let (host, journal) = (host(.answerIsLost, .answerIsLost, .answerIsLost), MemoryJournal())
        let terminal = try await terminal(host, journal: journal)
        #expect(try await terminal.registerSecureCard(card()).secureCardReference == FakeHost.token)
        #expect(
            try await terminal.editSecureCard(card("jane@example.org")).secureCard?.details.email == "jane@example.org")
        #expect(try await terminal.deleteSecureCard(reference).description == "Secure Card Deleted")
        #expect(host.seen.registrations.count == 2)
        #expect(host.seen.deletions.count == 1)
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test("a registration that came twice has the answer of the first") func doubled() async throws {
        let (host, journal) = (host(.isDoubled), MemoryJournal())
        let response = try await terminal(host, journal: journal).registerSecureCard(card("jane@example.org"))
        #expect(response.description == "Secure Card Saved")
        #expect(response.secureCardReference == FakeHost.token)
        #expect(host.seen.registrations.count == 1)
        #expect(try await journal.openEntries().isEmpty)
    }

    /// The gateway must not be told to have refused what it may have done.
    @Test(
        "a registration that came twice stays in doubt until the host says whose card it has", arguments: [true, false])
    func doubledAndUnclear(_ isOwn: Bool) async throws {
        let journal = MemoryJournal()
        let host = isOwn ? host(.isDoubled) : host(.fails(HostError(.secureCardExists, "exists")))
        host.play { $0.retrievalError = HostError(.unreachable, "no network") }
        await unanswered { _ = try await terminal(host, journal: journal).registerSecureCard(card()) }
        #expect(try await journal.openEntries().count == 1)
        host.play { $0.retrievalError = nil }
        let later = try await terminal(host, journal: journal) { $0.limits.transit = .zero }
        let events = later.eventStream(of: [.result, .error])
        _ = try await later.recoverPending()
        #expect((try #require(await ended(events)).1 != nil) == isOwn)
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test(
        "a host that tells no numbers leaves open whose card it has, unless the expiry date differs",
        arguments: [true, false])
    func numberNotTold(_ isSameExpiry: Bool) async throws {
        let host = host()
        let kept = SecureCard(
            merchantReference: reference,
            tokenMethod: .keyed(
                try CardDetails(
                    pan: SecretBytes("4111111111111111".utf8),
                    expiry: isSameExpiry ? keyedCard().expiry : #require(ExpiryDate(mmyy: "0130"))), cvv: nil))
        _ = try await terminal(host).registerSecureCard(kept)
        host.play {
            $0.changes = [.fails(HostError(.secureCardExists, "exists"))]
            $0.hidesNumbers = true
        }
        let error = await #expect(throws: TerminalError.self) { try await terminal(host).registerSecureCard(card()) }
        #expect(error?.code == (isSameExpiry ? .hostFailed(.noAnswer) : .refused(.secureCardExists)))
    }

    @Test("a merchant reference of another card, or of the same with other details, is reported as taken")
    func taken() async throws {
        let exists = HostError(.secureCardExists, "the merchant reference already exists")
        for isOtherCard in [true, false] {
            let host = host()
            var kept = try card("somebody@example.org")
            if isOtherCard {
                kept.tokenMethod = .keyed(
                    try CardDetails(
                        pan: SecretBytes("4111111111111111".utf8), expiry: #require(ExpiryDate(mmyy: "1231"))), cvv: nil
                )
            }
            _ = try await terminal(host).registerSecureCard(kept)
            host.play { $0.changes = [.fails(exists)] }
            let error = await #expect(throws: TerminalError.self) {
                try await terminal(host).registerSecureCard(card("jane@example.org"))
            }
            #expect(error?.code == .refused(.secureCardExists))
        }
    }

    @Test("a change in doubt is found after a restart, and reported as an event") func afterRestart() async throws {
        let (host, journal) = (host(.answerIsLost), MemoryJournal())
        host.play { $0.retrievalError = HostError(.unreachable, "no network") }
        let key = try IdempotencyKey("key-1")
        await unanswered {
            _ = try await terminal(host, journal: journal).registerSecureCard(card(), idempotencyKey: key)
        }
        await unanswered {
            _ = try await terminal(host, journal: journal).registerSecureCard(card(), idempotencyKey: key)
        }
        #expect(host.seen.registrations.count == 1)
        host.play { $0.retrievalError = nil }
        let restarted = try await terminal(host, journal: journal)
        let events = restarted.eventStream(of: [.result, .error])
        #expect(try await restarted.recoverPending().isEmpty, "no payment")
        let (event, response) = try #require(await ended(events))
        #expect(event.operation == .registerSecureCard)
        #expect(event.requestID == "customer-7")
        #expect(response?.secureCardReference == FakeHost.token)
        #expect(response?.description == "Secure Card Saved")
        #expect(try await journal.openEntries().isEmpty)
        #expect(
            try await restarted.registerSecureCard(card(), idempotencyKey: key).secureCardReference == FakeHost.token)
        #expect(host.seen.registrations.count == 1)
    }

    @Test("what the host does not have may still come, for five minutes; then it can be made again") func neverMade()
        async throws
    {
        let (host, journal) = (host(.isLost), MemoryJournal())
        let key = try IdempotencyKey("key-1")
        await unanswered {
            _ = try await terminal(host, journal: journal).registerSecureCard(card(), idempotencyKey: key)
        }
        let soon = try await terminal(host, journal: journal) { $0.limits.transit = .seconds(3600) }
        _ = try await soon.recoverPending()
        #expect(try await journal.openEntries().count == 1)
        await unanswered { _ = try await soon.registerSecureCard(card(), idempotencyKey: key) }
        let later = try await terminal(host, journal: journal) { $0.limits.transit = .zero }
        let events = later.eventStream(of: [.result, .error])
        _ = try await later.recoverPending()
        let (event, response) = try #require(await ended(events))
        guard case .failed(let error) = event.content else {
            Issue.record("it was not made")
            return
        }
        #expect(error.code == .hostFailed(.noAnswer))
        #expect(error.message.contains("customer-7"))
        #expect(response == nil)
        #expect(try await journal.openEntries().isEmpty)
        #expect(host.seen.registrations.count == 1)
        #expect(try await later.registerSecureCard(card(), idempotencyKey: key).secureCardReference == FakeHost.token)
        #expect(host.seen.registrations.count == 2)
    }

    @Test("another secure card of that reference is not taken for this one") func another() async throws {
        let (host, journal) = (host(), MemoryJournal())
        _ = try await host.registerSecureCard(
            SecureCardRegistration(merchantReference: reference, details: .init(), card: try keyedCard()))
        host.play { $0.changes = [.isLost] }
        await unanswered { _ = try await terminal(host, journal: journal).editSecureCard(card("jane@example.org")) }
        let later = try await terminal(host, journal: journal) { $0.limits.transit = .zero }
        let events = later.eventStream(of: [.result, .error])
        _ = try await later.recoverPending()
        #expect(try #require(await ended(events)).1 == nil)
    }

    @Test("a refusal ends the change; the key is free for another try") func refused() async throws {
        let (host, journal) = (
            host(.fails(HostError(.secureCardExists, "exists")), .fails(HostError(.unreachable, "away"))),
            MemoryJournal()
        )
        let key = try IdempotencyKey("key-1")
        let terminal = try await terminal(host, journal: journal)
        for code in [TerminalError.Code.refused(.secureCardExists), .hostFailed(.unreachable)] {
            let error = await #expect(throws: TerminalError.self) {
                try await terminal.registerSecureCard(card(), idempotencyKey: key)
            }
            #expect(error?.code == code)
            #expect(try await journal.openEntries().isEmpty)
        }
        #expect(
            try await terminal.registerSecureCard(card(), idempotencyKey: key).secureCardReference == FakeHost.token)
    }

    @Test("an entry has no card number, and survives its journal's form") func content() async throws {
        let (host, journal) = (host(.answerIsLost), MemoryJournal())
        host.play { $0.retrievalError = HostError(.unreachable, "no network") }
        await unanswered { _ = try await terminal(host, journal: journal).registerSecureCard(card("jane@example.org")) }
        let entry = try #require(try await journal.openEntries().first)
        #expect(entry.operation == .registerSecureCard)
        #expect(entry.stage == .asking)
        var bytes = entry.content().revealed()
        defer { wipe(&bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("5555555555554444"))
        #expect(!text.contains("737"))
        #expect(text.contains("jane@example.org"))
        let again = try JournalEntry(content: entry.content(), version: JournalEntry.contentVersion)
        #expect(again.orderID == entry.orderID)
        #expect(again.operation == entry.operation)
        #expect(again.stage == .asking)
        #expect(again.content().count == entry.content().count)
    }
}
