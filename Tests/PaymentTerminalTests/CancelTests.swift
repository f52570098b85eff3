import CardCapture
import PaymentDoubles
import PaymentTerminal
import Testing

@Suite("Cancelling an operation of the terminal") struct CancelTests {
    private func sale(_ id: String = "order-1") throws -> Sale {
        Sale(orderID: try OrderID(id), amount: try euros("12.34"))
    }

    private func terminal(_ host: FakeHost, _ reader: any CardReader, _ limits: TimeLimits = TimeLimits()) async throws
        -> Terminal
    {
        let terminal = try await PaymentTerminalTests.terminal(host) { $0.limits = limits }
        try await terminal.connect(reader)
        return terminal
    }

    @Test("A27: nothing runs, nothing to cancel") func idle() async throws {
        #expect(await (try terminal(FakeHost(), PatientReader())).cancel() == .nothingToCancel)
    }

    @Test("A27: cancelled while the reader waits for a card; the terminal is free at once") func whileWaiting()
        async throws
    {
        let reader = PatientReader()
        let host = FakeHost()
        let terminal = try await terminal(host, reader, TimeLimits(cancel: .seconds(60)))
        let running = Task { try await terminal.processSale(sale()) }
        for await _ in reader.isWaiting.stream { break }
        #expect(await terminal.cancel() == .cancelled)
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        #expect(await terminal.cancel() == .nothingToCancel)
        #expect(host.seen.authorizations.isEmpty)
        #expect(host.seen.advices.isEmpty)
        try await terminal.disconnect()
    }

    @Test("cancelling the task is the same as cancel()") func task() async throws {
        let reader = PatientReader()
        let terminal = try await terminal(FakeHost(), reader)
        let running = Task { try await terminal.processSale(sale()) }
        for await _ in reader.isWaiting.stream { break }
        running.cancel()
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
    }

    @Test("a reader that does not stand down holds the terminal no longer than the limit says") func stubbornReader()
        async throws
    {
        var reader = PatientReader()
        reader.standsDown = false
        let terminal = try await terminal(FakeHost(), reader, TimeLimits(standDown: .milliseconds(1500)))
        let running = Task { try await terminal.processSale(sale()) }
        for await _ in reader.isWaiting.stream { break }
        #expect(await terminal.cancel() == .cancelling)
        let busy = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale("order-2")) }
        #expect(busy?.code == .busy)
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled || error?.code == .cardNotRead)
        try await terminal.disconnect()
    }

    @Test("E26: once the host has been asked its answer counts") func tooLate() async throws {
        let (asked, hostIsAsked) = AsyncStream.makeStream(of: Void.self)
        let (release, releaseHost) = AsyncStream.makeStream(of: Void.self)
        let host = FakeHost { request throws(HostError) in
            hostIsAsked.finish()
            for await _ in release {}
            return AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00"),
                authorizedAmount: request.amount,
                message: "APPROVAL")
        }
        let terminal = try await terminal(host, FakeReader(obedient: chipCard()))
        let running = Task { try await terminal.processSale(sale()) }
        for await _ in asked {}
        #expect(await terminal.cancel() == .notAllowed)
        running.cancel()
        releaseHost.finish()
        #expect(try await running.value.outcome == .approved)
    }

    @Test("a cancelled payment is not stored for later, though an unreachable host would have had it stored")
    func notStored() async throws {
        let reader = PatientReader(lateCard: stripeCard())
        let host = FakeHost()
        let journal = MemoryJournal()
        let terminal = try await PaymentTerminalTests.terminal(host, journal: journal) {
            $0.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe])
            $0.limits.cancel = .seconds(60)
        }
        try await terminal.connect(reader)
        let running = Task { try await terminal.processSale(sale()) }
        for await _ in reader.isWaiting.stream { break }
        #expect(await terminal.cancel() == .cancelled)
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        #expect(await terminal.pendingPayments.isEmpty)
        #expect(try await journal.openEntries().isEmpty)
        #expect(host.seen.authorizations.isEmpty)
    }

    @Test("a silent host times out, and gets an inquiry and a reversal") func silentHost() async throws {
        let host = FakeHost { _ throws(HostError) in
            await hang()
            throw HostError(.noAnswer, "never")
        }
        let terminal = try await terminal(host, FakeReader(obedient: chipCard()), TimeLimits(host: .milliseconds(50)))
        let response = try await terminal.processSale(sale())
        #expect(response.outcome == .reversed(.noHostAnswer))
        #expect(host.seen.inquiries.map(\.text) == ["order-1"])
        #expect(host.seen.advices.count == 1)
    }

    @Test("a reader that never ends is given up after its limit") func silentReader() async throws {
        var reader = PatientReader()
        reader.standsDown = false
        let terminal = try await terminal(FakeHost(), reader, TimeLimits(reader: .milliseconds(50)))
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale()) }
        #expect(error?.code == .cardNotRead)
        #expect(error?.message == "the reader timed out: check it and reconnect it")
    }
}
