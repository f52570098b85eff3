import CardCapture
import PaymentTerminal
import Testing

@Suite struct PaymentFieldTests {
    private func sale() throws -> Sale {
        var terms = PaymentTerms(allowsPartialApproval: true, descriptor: try StatementDescriptor("CORNER SHOP"))
        terms.tip = try euros("1.00")
        return Sale(orderID: "o1", amount: try euros("10.00"), terms: terms)
    }

    @Test("what the interface does not carry is refused by name before the card is read") func refused() async throws {
        let host = FakeHost()
        host.play { $0.fieldsNotCarried = [.descriptor, .partialApproval, .externalID] }
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale()) }
        #expect(error?.code == .refused(.notSupported))
        #expect(error?.message.contains("does not carry: partial approval, statement descriptor.") == true)
        #expect(reader.requests.isEmpty)
        #expect(host.seen.authorizations.isEmpty)
    }

    @Test("or listed in the response as not sent, after a restart too") func listed() async throws {
        let host = FakeHost()
        host.play { $0.fieldsNotCarried = [.descriptor, .externalID] }
        let journal = MemoryJournal()
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()), journal: journal) {
            $0.unsentFields = .list
        }
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .approved)
        #expect(response.fieldsNotSent == [.descriptor])
        #expect(try await journal.latest(1).first?.response?.fieldsNotSent == [.descriptor])
    }

    /// The host did not say in time what its interface carries, so that the payment was made
    /// without a field.
    @Test("an answered payment has the same answer when it is asked for again, on any interface") func answered()
        async throws
    {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let sale = Sale(
            orderID: "o1", idempotencyKey: try IdempotencyKey("k1"), amount: try euros("10.00"),
            terms: PaymentTerms(allowsPartialApproval: true))
        #expect(try await terminal.processSale(sale).outcome == .approved)
        host.play { $0.fieldsNotCarried = [.partialApproval] }
        #expect(try await terminal.processSale(sale).outcome == .approved)
        #expect(host.seen.authorizations.count == 1)
    }
}
