import CardCapture
import Receipts
import Synchronization
import Testing

@testable import PaymentTerminal

/// Answers referrals as the test says.
private final class Attendant: TerminalListener {
    private let answer: @Sendable (ReferralRequest) async -> Void
    private let count = Mutex(0)

    init(answer: @escaping @Sendable (ReferralRequest) async -> Void) { self.answer = answer }

    convenience init(approvalCode: String) { self.init { $0.submit(approvalCode: approvalCode) } }

    var referrals: Int { count.withLock { $0 } }

    func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async {
        count.withLock { $0 += 1 }
        await answer(request)
    }
}

/// A device with a kernel of its own, which knows approvals and declines only.
private final class Device: CardReader {
    let name = "Device"
    let capabilities: ReaderCapabilities = [.contactChip, .ownKernel]
    let events = ReaderEvents()
    private let codes = Mutex<[String]>([])

    var heard: [String] { codes.withLock { $0 } }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        guard case .answered(let answer) = await authorize(chipCard()) else {
            return CaptureOutcome(decision: .declinedOffline, card: chipCard())
        }
        codes.withLock { $0.append(answer.responseCode) }
        return CaptureOutcome(
            decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: chipCard())
    }
}

/// A call to the issuer where its answer wants one (EMV 4.4 Book 4, 6.5.2.2).
@Suite("A referral is approved by the code of a call, or declined") struct ReferralTests {
    private func sell(
        _ host: FakeHost, _ attendant: Attendant, keyed: Bool = false,
        journal: any TransactionJournal = MemoryJournal(),
        card: CapturedCard = chipCard(), calls: Bool = true, limit: Duration = .seconds(60)
    ) async throws -> PaymentResponse {
        let terminal = try await terminal(host, reader: keyed ? nil : FakeReader(obedient: card), journal: journal) {
            $0.callsIssuer = calls
            $0.limits.referral = limit
        }
        await terminal.add(attendant)
        return try await terminal.processSale(
            Sale(
                orderID: OrderID("o1"), amount: euros("12.34"), source: keyed ? .keyed(keyedCard(), cvv: nil) : .reader)
        )
    }

    @Test(
        "chip, stripe and keyed card are approved with the code, which is on both receipts",
        arguments: ["chip", "stripe", "keyed"])
    func approved(_ way: String) async throws {
        let host = FakeHost(responseCode: "02", message: "REFER")
        let attendant = Attendant(approvalCode: "4711ab")
        let response = try await sell(
            host, attendant, keyed: way == "keyed", card: way == "chip" ? chipCard() : stripeCard())
        #expect(response.outcome == .approved)
        #expect(response.approvalCode == "4711ab")
        #expect(response.receipt.text(for: .merchant).contains("4711ab"))
        #expect(response.receipt.text(for: .cardholder).contains("4711ab"))
        #expect(host.seen.approvalCodes == ["4711ab"])
        #expect(attendant.referrals == 1)
    }

    @Test("a reader with a kernel of its own gets the answer after the call", arguments: [true, false]) func ownKernel(
        _ approves: Bool
    )
        async throws
    {
        let host = FakeHost(responseCode: "02", message: "REFER")
        let attendant = Attendant { if approves { $0.submit(approvalCode: "4711ab") } else { $0.decline() } }
        let device = Device()
        let terminal = try await terminal(host) { $0.callsIssuer = true }
        try await terminal.connect(device)
        await terminal.add(attendant)
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        #expect(response.outcome == (approves ? .approved : .declined))
        #expect(attendant.referrals == 1)
        #expect(device.heard == [approves ? "00" : "02"])
        #expect(host.seen.approvalCodes == (approves ? ["4711ab"] : []))
    }

    @Test("the request shows masked card, amount and the host's words, and takes six letters or digits only")
    func request() async throws {
        let seen = Mutex<[String]>([])
        let attendant = Attendant { request in
            let refused = ["12345", "1234567", "12345-", "12345\u{E9}", ""].filter { request.submit(approvalCode: $0) }
            seen.withLock {
                $0 = refused + [request.card?.maskedPAN ?? "none", request.amount.decimal, request.message]
            }
            request.submit(approvalCode: "000001")
        }
        #expect(try await sell(FakeHost(responseCode: "01", message: "CALL US"), attendant).approvalCode == "000001")
        #expect(seen.withLock { $0 } == ["476173******0010", "12.34", "CALL US"])
    }

    @Test("a refused call declines, and the host hears of no code", arguments: [true, false]) func refused(
        _ keyed: Bool
    ) async throws {
        let (host, journal) = (FakeHost(responseCode: "02"), MemoryJournal())
        let response = try await sell(host, Attendant { $0.decline() }, keyed: keyed, journal: journal)
        #expect(response.outcome == .declined)
        #expect(response.reversal == .none)
        #expect(response.approvalCode == nil)
        #expect(response.description.contains("no approval code was given"))
        #expect(host.seen.approvalCodes.isEmpty)
        #expect(try await !journal.openEntries().contains { $0.due == nil })
    }

    @Test("without a call within the time limit the payment is declined") func timedOut() async throws {
        let response = try await sell(FakeHost(responseCode: "02"), Attendant { _ in }, limit: .zero)
        #expect(response.outcome == .declined)
    }

    @Test("cancelling ends the call and declines") func cancelled() async throws {
        let host = FakeHost(responseCode: "02")
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) { $0.callsIssuer = true }
        let answers = Mutex<[CancelAnswer]>([])
        await terminal.add(
            Attendant { [terminal] _ in
                let answer = await terminal.cancel()
                answers.withLock { $0.append(answer) }
            })
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34")))
        #expect(response.outcome == .declined)
        #expect(host.seen.approvalCodes.isEmpty)
        #expect(!answers.withLock { $0 }.contains(.notAllowed))
    }

    @Test("a terminal that does not call declines with the host's words") func notConfigured() async throws {
        let attendant = Attendant(approvalCode: "123456")
        let response = try await sell(FakeHost(responseCode: "02", message: "REFER"), attendant, calls: false)
        #expect(response.outcome == .declined)
        #expect(response.description == "REFER")
        #expect(attendant.referrals == 0)
    }

    @Test("no call is asked for if the host cannot book the code; the response names it", arguments: [true, false])
    func notCarried(_ keyed: Bool) async throws {
        let host = FakeHost(responseCode: "02")
        host.play { $0.fieldsNotCarried = [.referralApproval] }
        let attendant = Attendant(approvalCode: "123456")
        let response = try await sell(host, attendant, keyed: keyed)
        #expect(response.outcome == .declined)
        #expect(response.fieldsNotSent == [.referralApproval])
        #expect(response.description.contains("approval code of a referral"))
        #expect(attendant.referrals == 0)
        #expect(host.seen.approvalCodes.isEmpty)
    }

    @Test(
        "a code that does not leave, or that the host refuses, declines",
        arguments: [HostError.Code.failed(.unreachable), .refused(.notAllowed)])
    func notBooked(_ code: HostError.Code) async throws {
        let host = FakeHost(responseCode: "02")
        host.play { $0.referral = { _ throws(HostError) in throw HostError(code, "not now") } }
        let response = try await sell(host, Attendant(approvalCode: "123456"))
        #expect(response.outcome == .declined)
        #expect(response.description.contains("not now"))
        #expect(host.seen.advices.isEmpty)
    }

    @Test(
        "a lost answer counts as an approval only if the host says so when it is asked", arguments: [true, false],
        [true, false])
    func answerLost(_ isBooked: Bool, _ keyed: Bool) async throws {
        let host = FakeHost(responseCode: "02")
        host.play {
            $0.referral = { _ throws(HostError) in throw HostError(.noAnswer, "lost") }
            $0.status = { _ throws(HostError) in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U000000001",
                        issuer: IssuerAnswer.Answer(
                            responseCode: isBooked ? "00" : "02", approvalCode: isBooked ? "123456" : nil),
                        authorizedAmount: Money(minorUnits: 1234, currency: .euro), message: ""))
            }
        }
        let response = try await sell(host, Attendant(approvalCode: "123456"), keyed: keyed)
        #expect(response.outcome == (isBooked ? .approved : .reversed(.noHostAnswer)))
        let reversals = host.seen.advices.filter { if case .reversed = $0.result { true } else { false } }
        #expect(reversals.count == (isBooked ? 0 : 1))
    }

    @Test("a host that still refuses the reversal of a decline has not had the code yet: the reversal stays due")
    func codeOnItsWay() async throws {
        let host = FakeHost(responseCode: "02")
        let booked = Mutex(false)
        host.play {
            $0.referral = { _ throws(HostError) in throw HostError(.noAnswer, "lost") }
            $0.status = { _ throws(HostError) in
                let code = booked.withLock { $0 } ? "00" : "02"
                return .decided(
                    AuthorizationResponse(
                        uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: code),
                        authorizedAmount: Money(minorUnits: 1234, currency: .euro), message: ""))
            }
            $0.advice = { _ throws(HostError) in
                guard booked.withLock({ $0 }) else { throw HostError(.notAllowed, "declined orders are not reversed") }
            }
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) {
            $0.callsIssuer = true
            $0.limits.referral = .seconds(60)
        }
        await terminal.add(Attendant(approvalCode: "123456"))
        let response = try await terminal.processSale(Sale(orderID: "o1", amount: euros("12.34")))
        #expect(response.outcome == .unknown)
        #expect(response.reversal == .pending)
        #expect(await terminal.pendingPayments.map(\.orderID) == ["o1"])
        booked.withLock { $0 = true }
        #expect(try await terminal.recoverPending().map(\.outcome) == [.reversed(.noHostAnswer)])
        #expect(host.seen.advices.count == 1)
    }

    @Test("an order whose code may have left is reversed by the next process, booked or not", arguments: [true, false])
    func nextProcess(_ isBooked: Bool) async throws {
        let journal = MemoryJournal()
        var entry = JournalEntry(
            orderID: OrderID("o1"), key: nil, operation: .sale, digest: [1], amount: try euros("12.34"),
            timestamp: noon, stage: .asking)
        entry.isReferred = true
        let read = try JournalEntry(content: entry.content(), version: JournalEntry.contentVersion)
        #expect(read.isReferred)
        #expect(read.stage == .asking)
        try await journal.insert(read)
        let host = FakeHost()
        host.play {
            $0.status = { _ throws(HostError) in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U000000001",
                        issuer: IssuerAnswer.Answer(responseCode: isBooked ? "00" : "02"),
                        authorizedAmount: Money(minorUnits: 1234, currency: .euro), message: ""))
            }
        }
        var record = TransactionRecord(
            orderID: OrderID("o1"), uniqueReference: "U000000001", kind: .sale, state: isBooked ? .approved : .declined,
            amount: try euros("12.34"))
        record.timestamp = noon
        host.play { [record] in $0.transactions = [record] }
        let recovered = try await terminal(host, journal: journal).recoverPending()
        #expect(recovered.map(\.outcome) == [.reversed(.terminalTerminated)])
    }
}
