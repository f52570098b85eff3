import CardCapture
import EMVKernel
import PaymentTerminal
import Testing

@Suite struct ReferencedRequestTests {
    @Test("A39: a refund of a transaction names it, and needs no card") func refund() async throws {
        let host = FakeHost()
        let refund = Refund(
            orderID: OrderID("refund-1"), amount: try euros("5.00"), target: .transaction("U000000001"),
            operatorName: "Ann",
            reason: "returned")
        let response = try await terminal(host).processRefund(refund)
        #expect(response.outcome == .approved)
        #expect(response.operation == .refund)
        #expect(response.approvalCode == "654321")
        let seen = try #require(host.seen.refunds.first)
        #expect(seen.original == "U000000001")
        #expect(seen.amount == refund.amount)
        #expect(seen.operatorName == "Ann")
        #expect(seen.reason == "returned")
    }

    @Test("an unreferenced refund reads a card, as a refund") func unreferenced() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let response = try await terminal(host, reader: reader).processRefund(
            Refund(orderID: OrderID("refund-1"), amount: euros("5.00"), target: .card(.reader)))
        #expect(response.outcome == .approved)
        #expect(reader.requests.map(\.kind) == [.refund])
        #expect(host.seen.authorizations.map(\.purpose) == [.refund])
    }

    @Test("A39 E8: what was set aside is captured") func capture() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        var sale = Sale(orderID: OrderID("o1"), amount: try euros("80.00"), source: .secureCard(FakeHost.token))
        sale.isPreAuthorization = true
        #expect(try await terminal.processSale(sale).operation == .preAuthorization)
        #expect(host.seen.authorizations.map(\.purpose) == [.preAuthorization])
        let captured = try await terminal.capture(
            FundsCapture(orderID: OrderID("o2"), original: "U000000001", amount: euros("75.50")))
        #expect(captured.outcome == .approved)
        #expect(try captured.authorizedAmount == euros("75.50"))
        #expect(host.seen.captures.map(\.original) == ["U000000001"])
        #expect(host.seen.refunds.isEmpty)
    }

    @Test("a refund whose answer is lost is looked for, and undone if it is not there") func lostAnswer() async throws {
        let host = FakeHost()
        host.play { $0.referenced = { _ throws(HostError) in throw HostError(.noAnswer, "no answer") } }
        let response = try await terminal(host).processRefund(
            Refund(orderID: OrderID("refund-1"), amount: euros("5.00"), target: .transaction("U000000001")))
        #expect(response.outcome == .reversed(.noHostAnswer))
        #expect(host.seen.inquiries.map(\.text) == ["refund-1"])
        #expect(host.seen.advices.map(\.orderID.text) == ["refund-1"])
    }

    @Test("an answer that is not genuine is not an approval") func forged() async throws {
        let host = FakeHost()
        host.play { $0.referenced = { _ throws(HostError) in throw HostError(.answerNotGenuine, "the hash is wrong") } }
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let response = try await terminal(host).processRefund(
            Refund(orderID: OrderID("refund-1"), amount: euros("5.00"), target: .transaction("U000000001")))
        #expect(response.outcome == .unknown)
    }

    @Test("a host that authorises more than was asked for is not believed") func tooMuch() async throws {
        let host = FakeHost { _ throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: Money(minorUnits: 999_999, currency: .euro), message: "APPROVAL")
        }
        let response = try await terminal(host).processSale(
            Sale(orderID: OrderID("o1"), amount: euros("1.00"), source: .secureCard(FakeHost.token)))
        #expect(response.outcome == .reversed(.noHostAnswer))
    }

    /// The host could carry out both: the customer would be paid twice, or would pay for what was
    /// reported as reversed.
    @Test("A payment that is being reversed is neither refunded nor captured", arguments: [false, true])
    func whileBeingReversed(isCapture: Bool) async throws {
        let host = FakeHost()
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in
            CaptureOutcome(decision: .declinedOffline, card: chipCard(), requiresReversal: true)
        }
        let terminal = try await terminal(host, reader: reader)
        var sale = Sale(orderID: OrderID("o1"), amount: try euros("12.34"))
        sale.isPreAuthorization = isCapture
        let reversed = try await terminal.processSale(sale)
        #expect(reversed.outcome == .reversed(.cardDeclined))
        #expect(reversed.reversal == .pending)
        let original = try #require(reversed.uniqueReference)
        func followUp(_ orderID: String) async throws -> PaymentResponse {
            isCapture
                ? try await terminal.capture(
                    FundsCapture(orderID: OrderID(orderID), original: original, amount: sale.amount))
                : try await terminal.processRefund(
                    Refund(orderID: OrderID(orderID), amount: sale.amount, target: .transaction(original)))
        }
        let refusal = await #expect(throws: TerminalError.self) { try await followUp("o2") }
        #expect(refusal?.code == .refused(.notAllowed))
        #expect(host.seen.refunds.isEmpty)
        #expect(host.seen.captures.isEmpty)
        // Of a reversed payment the host decides.
        host.failAdvices(with: nil)
        #expect(try await terminal.recoverPending().isEmpty == false)
        _ = try await followUp("o3")
        #expect(host.seen.refunds.count + host.seen.captures.count == 1)
    }

    // MARK: Reversal on request

    @Test("A39 A57: an approved sale is reversed, once; the journal has it so") func reverse() async throws {
        let host = FakeHost()
        let journal = MemoryJournal()
        let terminal = try await terminal(host, journal: journal)
        let orderID = OrderID("o1")
        _ = try await terminal.processSale(
            Sale(orderID: orderID, amount: euros("1.00"), source: .secureCard(FakeHost.token)))
        let reversed = try await terminal.reverse(orderID)
        #expect(reversed.outcome == .reversed(.requested))
        #expect(reversed.didPerformReversal)
        #expect(try await terminal.reverse(orderID) == reversed)
        #expect(host.seen.advices.count == 1)
        #expect(try await journal.entry(for: orderID)?.response?.outcome == .reversed(.requested))
    }

    @Test(
        "A39: a host that finds it too late, or that has no reversals, leaves the sale as it is",
        arguments: [
            HostError(.notAllowed, "the batch is closed"), HostError(.notSupported, "this host has no reversals"),
        ])
    func tooLate(refusal: HostError) async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        let orderID = OrderID("o1")
        _ = try await terminal.processSale(
            Sale(orderID: orderID, amount: euros("1.00"), source: .secureCard(FakeHost.token)))
        host.failAdvices(with: refusal)
        let error = await #expect(throws: TerminalError.self) { try await terminal.reverse(orderID) }
        #expect(error?.code == .refused(.notAllowed))
        #expect(error?.message.contains("refund the payment") == true)
        #expect(try await terminal.journaled().first?.outcome == .approved)
        let unknown = await #expect(throws: TerminalError.self) { try await terminal.reverse(OrderID("never")) }
        #expect(unknown?.code == .refused(.transactionUnknown))
    }

    @Test("The outcome of a stored payment stays unknown where the host has no reversals: it may have been sent")
    func storedAndRefused()
        async throws
    {
        let host = FakeHost { _ throws(HostError) in throw HostError(.unreachable, "no network") }
        let terminal = try await terminal(host) { $0.offline.deferredAuthorization = [.keyed] }
        let orderID = OrderID("o1")
        let sale = try Sale(orderID: orderID, amount: euros("1.00"), source: .keyed(keyedCard(), cvv: nil))
        #expect(try await terminal.processSale(sale).outcome == .storedOffline)
        host.failAdvices(with: HostError(.notSupported, "this host has no reversals"))
        await #expect(throws: TerminalError.self) { try await terminal.reverse(orderID) }
        #expect(try await terminal.journaled().first?.outcome == .unknown)
    }
}
