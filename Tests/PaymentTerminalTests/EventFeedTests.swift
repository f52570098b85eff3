import CardCapture
import PaymentTerminal
import Synchronization
import Testing

/// A listener that is held up at its first call.
private final class SlowListener: TerminalListener {
    private let log = Mutex<[String]>([])
    private let gate: AsyncStream<Void>

    init(_ gate: AsyncStream<Void>) { self.gate = gate }

    var lines: [String] { log.withLock { $0 } }

    private func note(_ line: String) async {
        for await _ in gate { break }
        log.withLock { $0.append(line) }
    }

    func onTransactionListResponse(_ transactions: [TransactionRecord], _ context: TerminalEvent.Context) async {
        await note("transactions")
    }
    func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async {
        await note("\(error.code) [\(context.operation?.rawValue ?? "-") \(context.requestID ?? "-")]")
    }
    func onDeviceEvent(_ event: ReaderEvent, _ context: TerminalEvent.Context) async {
        if case .battery(let state) = event { await note("\(state)") }
        if case .swiped = event { await note("swiped") }
    }
}

@Suite struct EventFeedTests {
    private func lines(_ listener: SlowListener, _ count: Int) async throws -> [String] {
        while listener.lines.count < count { try await Task.sleep(for: .milliseconds(2)) }
        return listener.lines
    }

    @Test("a listener that is held up gets every result", .timeLimit(.minutes(20))) func nothingIsLost() async throws {
        let terminal = try await terminal(FakeHost())
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let listener = SlowListener(gate)
        await terminal.add(listener)
        for _ in 0..<1500 { _ = try await terminal.transactions() }
        opened.finish()
        #expect(try await lines(listener, 1500).allSatisfy { $0 == "transactions" })
    }

    @Test("of progress the latest is kept where it says the same, and 1,024 events otherwise", .timeLimit(.minutes(20)))
    func progressIsMerged() async throws {
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(FakeHost(), reader: reader)
        let events = terminal.eventStream(of: [.progress, .result])
        for percent in 0...50 { reader.events.send(.battery(.discharging(percent: percent))) }
        while await terminal.deviceInfo?.battery?.percent != 50 { try await Task.sleep(for: .milliseconds(2)) }
        for _ in 0..<2000 {
            reader.events.send(.swiped(readable: true))
            // The reader's own stream keeps 64 events.
            await Task.yield()
            _ = await terminal.deviceState
        }
        _ = try await terminal.transactions()
        var battery: [BatteryState] = []
        var swipes = 0
        for await event in events {
            if case .reader(.battery(let state)) = event.content { battery.append(state) }
            if case .reader(.swiped) = event.content { swipes += 1 }
            if event.kind == .result { break }
        }
        #expect(battery.count <= 1)
        #expect(swipes <= 1024)
    }

    @Test("a call that is refused as busy ends in onError with its own operation and request", .timeLimit(.minutes(20)))
    func refusedAsBusy() async throws {
        let host = FakeHost { _ throws(HostError) in
            await hang()
            throw HostError(.noAnswer, "")
        }
        let terminal = try await terminal(host)
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        opened.finish()
        let listener = SlowListener(gate)
        await terminal.add(listener)
        let sale = Task {
            try await terminal.processSale(
                Sale(orderID: OrderID("o1"), amount: euros("1.00"), source: .keyed(keyedCard(), cvv: nil)))
        }
        defer { sale.cancel() }
        while host.seen.authorizations.isEmpty { await Task.yield() }
        for call in [
            {
                _ = try await terminal.registerSecureCard(
                    SecureCard(merchantReference: MerchantReference("customer-7")))
            },
            { _ = try await terminal.settings() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: TerminalError.self) { try await call() }
            #expect(error?.code == .busy)
        }
        #expect(try await lines(listener, 2) == ["busy [registerSecureCard customer-7]", "busy [settings -]"])
    }

    @Test("an invalid page size and a refund without a reader end in onError, too", .timeLimit(.minutes(20)))
    func refusedArguments() async throws {
        let terminal = try await terminal(FakeHost())
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        opened.finish()
        let listener = SlowListener(gate)
        await terminal.add(listener, for: [.error])
        _ = try? await terminal.transactions(TransactionQuery(pageSize: 0))
        _ = try? await terminal.processRefund(
            Refund(orderID: OrderID("r1"), amount: euros("1.00"), target: .card(.reader)))
        #expect(try await lines(listener, 2) == ["invalidRequest [transactions -]", "readerNotConnected [refund r1]"])
    }
}
