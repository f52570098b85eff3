import CardCapture
import PaymentDoubles
import PaymentTerminal
import Testing

/// What is for tests does not get into a shop.
@Suite struct ProductionModeTests {
    /// A host where no money moves.
    private struct Sandbox: RelayedHost {
        let host = FakeHost()
        var testOnlyReason: String? { "it is a sandbox" }

        func relayed() throws(HostError) -> any PaymentHost { host }
    }

    private func testReader() -> FakeReader {
        FakeReader(stripeCard(), testOnlyReason: "its cards are virtual") { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOnline, card: stripeCard())
        }
    }

    private func terminal(_ mode: Terminal.Configuration.Mode) -> Terminal {
        Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: mode),
            host: Sandbox(), journal: MemoryJournal()
        ) { noon }
    }

    @Test("A25: a reader for tests is not connected to a terminal that is not, and the one before stays") func reader()
        async throws
    {
        let terminal = try await PaymentTerminalTests.terminal(FakeHost(), reader: FakeReader(obedient: chipCard()))
        let error = await #expect(throws: TerminalError.self) { try await terminal.connect(testReader()) }
        #expect(
            error?.description
                == "the reader is for tests (its cards are virtual), and the terminal is not: use another reader, or set the mode to test (terminal.mode in a terminal's file)"
        )
        #expect(
            try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00"))).outcome == .approved)
    }

    @Test("a host for tests is asked nothing by a terminal that is not") func host() async throws {
        let terminal = terminal(.production)
        let reference = try MerchantReference("customer-7")
        let operations: [@Sendable () async throws -> Void] = [
            { _ = try await terminal.recoverPending() },
            {
                _ = try await terminal.processSale(
                    Sale(orderID: OrderID("o1"), amount: euros("1.00"), source: .secureCard(FakeHost.token)))
            },
            {
                _ = try await terminal.processRefund(
                    Refund(orderID: OrderID("o2"), amount: euros("1.00"), target: .transaction("U1")))
            },
            {
                _ = try await terminal.capture(
                    FundsCapture(orderID: OrderID("o3"), original: "U1", amount: euros("1.00")))
            },
            { _ = try await terminal.retrieveSecureCard(reference) },
            { _ = try await terminal.deleteSecureCard(reference) },
            { _ = try await terminal.transactions() }, { _ = try await terminal.settings() },
        ]
        for operation in operations {
            let error = await #expect(throws: TerminalError.self) { try await operation() }
            #expect(error?.code == .testEquipment)
            #expect(error?.message.contains("set the mode to test (terminal.mode") == true)
        }
    }

    @Test func testTerminalTakesEverything() async throws {
        let terminal = terminal(.test)
        try await terminal.connect(testReader())
        #expect(
            try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00"))).outcome == .approved)
    }

    @Test("production is what a terminal is unless it says otherwise") func byDefault() {
        #expect(
            Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro).mode
                == .production)
    }
}
