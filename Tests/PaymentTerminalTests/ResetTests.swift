import CardCapture
import PaymentDoubles
import PaymentTerminal
import Testing

/// The terminal's way back to its first state.
@Suite("The terminal's way back to its first state") struct ResetTests {
    @Test(
        "E20, E21: a terminal is ready when it exists and after a reset, which ends all that it had",
        .timeLimit(.minutes(20)))
    func ready() async throws {
        let terminal = try await terminal(FakeHost())
        let sale = Sale(orderID: "o1", amount: try terminal.configuration.amount("12.34"))
        #expect(try await terminal.transactions().isEmpty)
        try await terminal.connect(FakeReader(obedient: chipCard()))
        let events = terminal.eventStream()
        await terminal.reset()
        #expect(await terminal.deviceState.connection == .none)
        var seen = 0
        var wasDisconnected = false
        for await event in events {
            seen += 1
            if case .readerDisconnected = event.content { wasDisconnected = true }
        }
        #expect(seen == 1, "the stream ends after the reader's last event")
        #expect(wasDisconnected, "the stream ends after the reader's last event")
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
        #expect(error?.code == .readerNotConnected)
        try await terminal.connect(FakeReader(obedient: chipCard()))
        #expect(try await terminal.processSale(Sale(orderID: OrderID("o2"), amount: sale.amount)).outcome == .approved)
    }

    @Test(
        "E21: a reset cancels a payment that waits for a card, and returns when it has ended", .timeLimit(.minutes(20)))
    func cancels() async throws {
        let terminal = try await terminal(FakeHost())
        let reader = PatientReader()
        try await terminal.connect(reader)
        let running = Task { try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("12.34"))) }
        for await _ in reader.isWaiting.stream { break }
        await terminal.reset()
        #expect(await terminal.deviceState.connection == .none)
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
    }

    @Test("E5: an amount that names no currency has the terminal's") func currency() async throws {
        let yen = Currency(code: "JPY")
        let terminal = try await terminal(FakeHost()) { $0.currency = yen ?? .euro }
        #expect(try terminal.configuration.amount("1234") == Money(minorUnits: 1234, currency: try #require(yen)))
        #expect(throws: MoneyError.self) { try terminal.configuration.amount("12.34") }
    }
}
