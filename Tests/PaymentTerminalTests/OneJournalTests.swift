import CardCapture
import PaymentDoubles
import Synchronization
import Testing

@testable import PaymentTerminal

/// What a terminal relies on of its journal, and what it does without it.
@Suite("A terminal and its journal") struct OneJournalTests {
    private func sale(_ order: OrderID) throws -> Sale {
        Sale(orderID: order, amount: try euros("12.34"), source: .secureCard(FakeHost.token))
    }

    private func other(_ host: FakeHost, _ journal: MemoryJournal) -> Terminal {
        Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro),
            host: host,
            journal: journal
        ) { noon }
    }

    @Test("A second terminal on the same journal is refused while the first is there, and takes over afterwards")
    func twoTerminals() async throws {
        let (host, journal) = (FakeHost(), MemoryJournal())
        var first: Terminal? = other(host, journal)
        let second = other(host, journal)
        #expect(try await first?.processSale(sale("o1")).outcome == .approved)
        let error = await #expect(throws: TerminalError.self) { try await second.processSale(sale("o2")) }
        #expect(error?.code == .journalFailed)
        #expect(
            error?.message == "another terminal of this process uses the journal: release it, or open another journal")
        #expect(host.seen.authorizations.map(\.orderID.text) == ["o1"])
        #expect(try await first?.processSale(sale("o3")).outcome == .approved, "the first goes on")
        first = nil
        #expect(try await second.processSale(sale("o2")).outcome == .approved)
    }

    /// A journal that fails after its first write, which is the order's entry.
    private final class FailingJournal: RelayedJournal {
        let kept = MemoryJournal()

        func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
            throw JournalError(.full, "the disk is full: make room")
        }
    }

    @Test("A decline reaches the chip without the journal; an approval does not", arguments: ["05", "51", "00"])
    func declineNeedsNoJournal(_ code: String) async throws {
        let host = FakeHost(responseCode: code)
        let answers = Mutex<[String]>([])
        let reader = FakeReader(chipCard()) { answer throws(CaptureError) in
            switch answer {
            case .answered(let answer): answers.withLock { $0.append(answer.responseCode) }
            case .unreachable, nil: answers.withLock { $0.append("unreachable") }
            }
            guard case .answered = answer else { return CaptureOutcome(decision: .approvedOffline, card: chipCard()) }
            return CaptureOutcome(decision: .declinedOnline, card: chipCard())
        }
        let terminal = try await terminal(host, reader: reader, journal: FailingJournal())
        let response = try await terminal.processSale(Sale(orderID: "o1", amount: euros("12.34")))
        #expect(answers.withLock { $0 } == [code == "00" ? "unreachable" : code])
        #expect(response.outcome == .unknown, "the journal does not have the outcome")
    }

    @Test(
        "An order that must be authorized online is never stored",
        arguments: [HostError.Failure.unreachable, .noAnswer])
    func forcedOnline(_ failure: HostError.Failure) async throws {
        let host = FakeHost(failing: HostError(failure, "no network"))
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOffline, card: chipCard())
        }
        let terminal = try await terminal(host, reader: reader)
        var sale = Sale(orderID: "o1", amount: try euros("12.34"))
        sale.forcesOnline = true
        let response = try await terminal.processSale(sale)
        #expect(response.outcome == (failure == .unreachable ? .declined : .reversed(.noHostAnswer)))
        #expect(reader.requests.map(\.forcesOnline) == [true])
    }

    @Test("A card whose account the issuer has verified is registered as validated") func verified() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let reference = try MerchantReference("customer-7")
        let response = try await terminal.registerSecureCard(SecureCard(merchantReference: reference))
        #expect(host.seen.authorizations.map(\.purpose) == [.accountVerification])
        #expect(response.secureCard?.securityCheck == .cardNumberValidated)
        host.play { $0.verifiesAccounts = false }
        let other = try await terminal.registerSecureCard(
            SecureCard(merchantReference: MerchantReference("customer-8")))
        #expect(other.secureCard?.securityCheck == nil)
    }
}
