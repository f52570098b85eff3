import CardCapture
import MagneticStripe
import Synchronization
import Testing

@testable import PaymentTerminal

/// A host behind a cable that can be pulled.
private func cabledHost(_ isPlugged: @escaping @Sendable () -> Bool) -> FakeHost {
    FakeHost { request throws(HostError) in
        guard isPlugged() else { throw HostError(.unreachable, "no network: check the cable") }
        return AuthorizationResponse(
            uniqueReference: "U000000001",
            issuer: IssuerAnswer.Answer(
                responseCode: request.amount.minorUnits == 551 ? "51" : "00", approvalCode: "123456"),
            authorizedAmount: request.amount,
            message: request.amount.minorUnits == 551 ? "INSUFFICIENT FUNDS" : "APPROVAL")
    }
}

private final class Cable: Sendable {
    private let plugged = Mutex(false)
    var isPlugged: Bool {
        get { plugged.withLock { $0 } }
        set { plugged.withLock { $0 = newValue } }
    }
}

/// A reader of stripes through which a card without a chip is drawn (ISO/IEC 7813).
private struct OneSwipe: MagstripeSlot {
    let name = "One swipe"
    let capabilities: ReaderCapabilities = .magneticStripe
    let events = ReaderEvents()

    func swipe() async throws(CaptureError) -> CapturedSwipe {
        CapturedSwipe(tracks: Swipe(text: ";4111111111111111=31121010000000000000?"))
    }
}

@Suite("Payments without the host") struct OfflineTests {
    private func lane(
        reader: any CardReader, journal: any TransactionJournal = MemoryJournal(), _ policy: OfflinePolicy,
        signature: Terminal.Configuration.SignatureCapture = .onPaper
    ) async throws -> (Terminal, FakeHost, Cable) {
        let cable = Cable()
        let host = cabledHost { cable.isPlugged }
        host.failAdvices(with: HostError(.unreachable, "no network"))
        host.play {
            $0.status = { _ throws(HostError) in
                guard cable.isPlugged else { throw HostError(.unreachable, "no network") }
                return .notSeen
            }
        }
        let terminal = try await terminal(host, journal: journal) {
            $0.offline = policy
            $0.signature = signature
            $0.limits.person = .milliseconds(50)
        }
        try await terminal.connect(reader)
        return (terminal, host, cable)
    }

    private func sale(_ id: String, _ amount: String) throws -> Sale {
        Sale(orderID: try OrderID(id), amount: try euros(amount))
    }

    private let approvingChip = FakeReader(chipCard()) { _ throws(CaptureError) in
        CaptureOutcome(decision: .approvedOffline, card: chipCard())
    }

    @Test(
        "only a payment that never left is stored to be sent later",
        arguments: [
            .failed(.unreachable), .failed(.noAnswer), .failed(.internalError), .refused(.notAllowed),
            .refused(.cardRefused),
            .refused(.notSupported),
        ] as [HostError.Code])
    func mayHaveLeft(_ code: HostError.Code) async throws {
        let host = FakeHost { _ throws(HostError) in throw HostError(code, "no") }
        let terminal = try await terminal(host) { $0.offline.deferredAuthorization = [.keyed] }
        let sale = Sale(
            orderID: "o1", amount: try euros("1.00"), source: .keyed(try keyedCard(), cvv: nil),
            terms: PaymentTerms(channel: .mailOrTelephone))
        let response = try? await terminal.processSale(sale)
        #expect((response?.outcome == .storedOffline) == (code == .failed(.unreachable)))
    }

    @Test("A63: a chip that approves without the host is stored, and recovered when the host is back") func chip()
        async throws
    {
        let (terminal, host, cable) = try await lane(reader: approvingChip, OfflinePolicy())
        let stored = try await terminal.processSale(sale("o1", "12.34"))
        #expect(stored.outcome == .storedOffline)
        #expect(try stored.authorizedAmount == euros("12.34"))
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["o1"])
        host.failAdvices(with: nil)
        cable.isPlugged = true
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        let request = try #require(host.seen.authorizations.last)
        #expect(request.processing == .approvedOffline)
        #expect(request.chipData?.isEmpty == false)
        #expect(try request.amount == euros("12.34"))
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("a stored payment whose request may have left is asked for before it is sent again") func askedForFirst()
        async throws
    {
        let host = FakeHost { _ throws(HostError) in throw HostError(.noAnswer, "the answer was lost") }
        host.play { $0.status = { _ throws(HostError) in throw HostError(.noAnswer, "this one, too") } }
        let terminal = try await terminal(host, reader: approvingChip)
        #expect(try await terminal.processSale(sale("o1", "12.34")).outcome == .storedOffline)
        let booked = AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: try euros("12.34"), message: "APPROVAL")
        host.play { $0.status = { _ in .decided(booked) } }
        while await !terminal.pendingPayments.isEmpty { _ = try await terminal.recoverPending() }
        #expect(host.seen.authorizations.map(\.processing) == [.online], "what the host had was sent a second time")
    }

    /// What answers a repetition says nothing of the first request, and the host's record of it may
    /// come late.
    @Test(
        "the refusal of a repeated stored payment is not believed",
        arguments: [.refused(.notAllowed), .refused(.notSupported)] as [HostError.Code])
    func refusedRepetition(_ refusal: HostError.Code) async throws {
        let requests = Mutex(0)
        let host = FakeHost { _ throws(HostError) in
            let isFirst = requests.withLock { count in
                count += 1
                return count == 1
            }
            throw isFirst ? HostError(.noAnswer, "the answer was lost") : HostError(refusal, "no")
        }
        let terminal = try await terminal(host, reader: approvingChip)
        #expect(try await terminal.processSale(sale("o1", "12.34")).outcome == .storedOffline)
        for _ in 0..<3 { #expect(try await terminal.recoverPending().isEmpty) }
        #expect(requests.withLock { $0 } >= 2)
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["o1"])
        let booked = AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: try euros("12.34"), message: "APPROVAL")
        host.play { $0.status = { _ in .decided(booked) } }
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
    }

    @Test("a stored payment that the host lists, and of which it does not tell, is not sent again")
    func listedAndNotTold() async throws {
        let requests = Mutex(0)
        let host = FakeHost { _ throws(HostError) in
            requests.withLock { $0 += 1 }
            throw HostError(.noAnswer, "the answer was lost")
        }
        let terminal = try await terminal(host, reader: approvingChip)
        #expect(try await terminal.processSale(sale("o1", "12.34")).outcome == .storedOffline)
        let sent = requests.withLock { $0 }
        let record = TransactionRecord(
            orderID: "o1", uniqueReference: "U1", kind: .sale, state: .approvedOffline,
            amount: try euros("12.34"))
        host.play {
            $0.status = { _ throws(HostError) in throw HostError(.validationFailed, "no word about it") }
            $0.transactions = [record]
        }
        for _ in 0..<3 { #expect(try await terminal.recoverPending().isEmpty) }
        #expect(requests.withLock { $0 } == sent)
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["o1"])
    }

    @Test("Nor is one whose host refuses its list for a reason of its own, however long it does") func listRefused()
        async throws
    {
        let requests = Mutex(0)
        let host = FakeHost { _ throws(HostError) in
            requests.withLock { $0 += 1 }
            throw HostError(.noAnswer, "the answer was lost")
        }
        let terminal = try await terminal(host, reader: approvingChip) { $0.limits.transit = .zero }
        #expect(try await terminal.processSale(sale("o1", "12.34")).outcome == .storedOffline)
        let sent = requests.withLock { $0 }
        host.play {
            $0.status = { _ throws(HostError) in throw HostError(.validationFailed, "no word about it") }
            $0.listError = HostError(.secureCardDeleted, "no list today")
        }
        for _ in 0..<3 { #expect(try await terminal.recoverPending().isEmpty) }
        #expect(requests.withLock { $0 } == sent)
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["o1"])
    }

    @Test("only what the policy allows is stored: count, amount, total") func limits() async throws {
        let (terminal, _, _) = try await lane(
            reader: approvingChip, OfflinePolicy(maximumCount: 2, maximumAmount: 5000, maximumTotal: 6000))
        #expect(try await terminal.processSale(sale("o1", "50.01")).outcome == .declined)
        #expect(try await terminal.processSale(sale("o2", "50.00")).outcome == .storedOffline)
        #expect(try await terminal.processSale(sale("o3", "10.01")).outcome == .declined)
        #expect(try await terminal.processSale(sale("o4", "1.00")).outcome == .storedOffline)
        #expect(try await terminal.processSale(sale("o5", "1.00")).outcome == .declined)
        #expect(approvingChip.requests.suffix(5).map(\.forcesOnline) == [true, false, true, false, true])
    }

    @Test("a stripe is stored only where the policy says so") func stripe() async throws {
        let (strict, _, _) = try await lane(reader: FakeReader(obedient: stripeCard()), OfflinePolicy())
        #expect(try await strict.processSale(sale("o1", "1.00")).outcome == .declined)
        let (terminal, host, cable) = try await lane(
            reader: FakeReader(obedient: stripeCard()), OfflinePolicy(deferredAuthorization: [.magneticStripe]))
        #expect(try await terminal.processSale(sale("o2", "1.00")).outcome == .storedOffline)
        #expect(try await terminal.processSale(sale("o3", "5.51")).outcome == .storedOffline)
        cable.isPlugged = true
        host.failAdvices(with: nil)
        let recovered = try await terminal.recoverPending()
        #expect(recovered.map(\.outcome) == [.approved, .declined], "the issuer has the last word")
        #expect(recovered.map(\.approvalCode) == ["123456", nil])
        #expect(host.seen.authorizations.suffix(2).map(\.processing) == [.deferred, .deferred])
    }

    @Test("what was stored survives the terminal, and is dropped when the host has it") func restart() async throws {
        let journal = MemoryJournal()
        let (first, _, _) = try await lane(
            reader: FakeReader(obedient: stripeCard()), journal: journal,
            OfflinePolicy(deferredAuthorization: [.magneticStripe]))
        _ = try await first.processSale(sale("o1", "1.00"))
        let (second, host, cable) = try await lane(
            reader: FakeReader(obedient: stripeCard()), journal: journal, OfflinePolicy())
        cable.isPlugged = true
        host.failAdvices(with: nil)
        #expect(try await second.recoverPending().map(\.outcome) == [.approved])
        guard case .captured(let card) = host.seen.authorizations.first?.card else {
            Issue.record("no card")
            return
        }
        #expect(card.pan == stripeCard().pan)
        #expect(card.entryMode == .magneticStripe)
        let entry = try #require(try await journal.latest(1).first)
        #expect(entry.due == nil)
        #expect(entry.stage == .finished)
    }

    @Test("stored and sent, but the answer was lost: an inquiry precedes the next attempt") func sentBefore()
        async throws
    {
        let cable = Cable()
        let host = FakeHost { _ throws(HostError) in
            guard cable.isPlugged else { throw HostError(.unreachable, "no network") }
            throw HostError(.noAnswer, "the answer was lost")
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: stripeCard())) {
            $0.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe])
        }
        #expect(try await terminal.processSale(sale("o1", "1.00")).outcome == .storedOffline)
        cable.isPlugged = true
        let amount = try euros("1.00")
        host.play {
            $0.status = { _ in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U7", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "777777"),
                        authorizedAmount: amount, message: "APPROVAL"))
            }
        }
        #expect(try await terminal.recoverPending().isEmpty, "the answer is lost")
        let asked = host.seen.authorizations.count
        #expect(try await terminal.recoverPending().map(\.approvalCode) == ["777777"])
        #expect(host.seen.authorizations.count == asked)
    }

    @Test("what the cardholder is to sign is still to be signed when the host has taken the payment")
    func signatureIsKept() async throws {
        for (amount, isSigned) in [("1.00", true), ("5.51", false)] {
            let (terminal, host, cable) = try await lane(
                reader: MagstripeReader(slot: OneSwipe()), OfflinePolicy(deferredAuthorization: [.magneticStripe]))
            let stored = try await terminal.processSale(sale("o1", amount))
            #expect(stored.outcome == .storedOffline)
            #expect(stored.receipt.requiresSignature)
            host.failAdvices(with: nil)
            cable.isPlugged = true
            let recovered = try await terminal.recoverPending()
            #expect(recovered.map(\.outcome) == [isSigned ? .approved : .declined])
            #expect(recovered.map(\.receipt.requiresSignature) == [isSigned])
        }
    }

    @Test("a swipe that is stored is signed first on the screen, and is not stored without a signature")
    func signedOffline() async throws {
        let policy = OfflinePolicy(deferredAuthorization: [.magneticStripe])
        let (terminal, later, cable) = try await lane(
            reader: MagstripeReader(slot: OneSwipe()), policy, signature: .captured(isVerified: false))
        let events = terminal.eventStream(of: [.question])
        let signature = try #require(Signature(strokes: [[.init(x: 1, y: 1), .init(x: 9, y: 9)]]))
        let cardholder = Task {
            for await event in events {
                if case .signatureRequired(let request) = event.content { request.submit(signature) }
            }
        }
        defer { cardholder.cancel() }
        let stored = try await terminal.processSale(sale("o1", "1.00"))
        #expect(stored.outcome == .storedOffline)
        #expect(stored.receipt.signature == signature)
        cable.isPlugged = true
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(later.seen.authorizations.last?.signature == signature)
        let (other, host, _) = try await lane(
            reader: MagstripeReader(slot: OneSwipe()), policy, signature: .captured(isVerified: false))
        let declined = try await other.processSale(sale("o2", "1.00"))
        #expect(declined.outcome == .declined)
        #expect(declined.description == "the cardholder did not sign: nothing is charged")
        #expect(await other.pendingPayments.isEmpty)
        #expect(host.seen.advices.isEmpty)
    }

    @Test("a payment that the host would have to decide says that the host could not be reached") func hostIsAway()
        async throws
    {
        let (terminal, _, _) = try await lane(reader: FakeReader(obedient: chipCard()), OfflinePolicy())
        let response = try await terminal.processSale(sale("o1", "1.00"))
        #expect(response.outcome == .declined)
        #expect(response.description == "the host is unreachable: try again later, or take another payment")
    }

    @Test(
        "a reversal that is asked for while the payment is on its way to the host undoes it", .timeLimit(.minutes(20)))
    func reversedOnItsWay() async throws {
        let (asked, hostIsAsked) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let cable = Cable()
        let host = FakeHost { request throws(HostError) in
            guard cable.isPlugged else { throw HostError(.unreachable, "no network") }
            hostIsAsked.finish()
            for await _ in released {}
            return AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                authorizedAmount: request.amount, message: "APPROVAL")
        }
        let journal = MemoryJournal()
        let terminal = try await terminal(host, reader: FakeReader(obedient: stripeCard()), journal: journal) {
            $0.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe])
        }
        #expect(try await terminal.processSale(sale("o1", "1.00")).outcome == .storedOffline)
        cable.isPlugged = true
        let settling = Task { try await terminal.recoverPending() }
        for await _ in asked {}
        let reversing = Task { try await terminal.reverse(OrderID("o1")) }
        while await terminal.pending.orders.waiting[OrderID("o1")] == nil { await Task.yield() }
        release.finish()
        #expect(try await settling.value.map(\.outcome) == [.approved])
        #expect(try await reversing.value.outcome == .reversed(.requested))
        #expect(host.seen.advices.map(\.orderID.text) == ["o1"])
        let entry = try #require(try await journal.latest(1).first)
        #expect(entry.stage == .finished)
        #expect(entry.due == nil)
        #expect(entry.response?.outcome == .reversed(.requested))
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("stored and sent, and the host knows it: its decision is asked for") func arrivedMeanwhile() async throws {
        let cable = Cable()
        let host = FakeHost { _ throws(HostError) in
            guard cable.isPlugged else { throw HostError(.unreachable, "no network") }
            throw HostError(.orderAlreadyProcessed, "the order is known")
        }
        let amount = try euros("1.00")
        host.play {
            $0.status = { _ throws(HostError) in
                guard cable.isPlugged else { throw HostError(.unreachable, "no network") }
                return .decided(
                    AuthorizationResponse(
                        uniqueReference: "U7", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "777777"),
                        authorizedAmount: amount, message: "APPROVAL"))
            }
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: stripeCard())) {
            $0.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe])
        }
        #expect(try await terminal.processSale(sale("o1", "1.00")).outcome == .storedOffline)
        cable.isPlugged = true
        let request = try #require(host.seen.authorizations.first)
        host.play { $0.transactions = [TransactionRecord(request)] }
        #expect(try await terminal.recoverPending().map(\.approvalCode) == ["777777"])
        #expect(await terminal.pendingPayments.isEmpty)
    }

    @Test("E9: part of the amount, where that is allowed and where it is not") func partial() async throws {
        for (allowed, outcome) in [
            (true, PaymentResponse.Outcome.partiallyApproved), (false, .reversed(.partialApprovalNotAllowed)),
        ] {
            let host = FakeHost { _ throws(HostError) in
                AuthorizationResponse(
                    uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "10", approvalCode: "123456"),
                    authorizedAmount: Money(minorUnits: 700, currency: .euro), message: "PARTIAL APPROVAL")
            }
            var sale = Sale(orderID: OrderID("o1"), amount: try euros("10.00"), source: .secureCard(FakeHost.token))
            sale.terms.allowsPartialApproval = allowed
            let response = try await terminal(host).processSale(sale)
            #expect(response.outcome == outcome)
            #expect(response.authorizedAmount == (allowed ? Money(minorUnits: 700, currency: .euro) : nil))
            #expect(host.seen.advices.isEmpty == allowed)
        }
    }
}
