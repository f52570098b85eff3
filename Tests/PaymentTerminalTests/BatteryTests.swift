import CardCapture
import PaymentTerminal
import SmartCard
import Synchronization
import Testing

/// A reader on a battery that does one thing at a time, as the drivers do: it refuses what comes
/// meanwhile.
private final class BatteryReader: CardReader {
    let name = "Reader on a battery"
    let capabilities: ReaderCapabilities = [.contactChip, .battery]
    let events = ReaderEvents()
    let learned = Mutex<ReaderIdentity?>(nil)
    private let use = ExclusiveUse()
    private let reader = FakeReader(obedient: chipCard())
    private let answers: Mutex<[BatteryState?]>
    private let count = Mutex(0)
    /// The end of an answer that takes long; nil answers at once.
    private let gate: AsyncStream<Void>?

    /// - Parameter answers: The last one again and again; nil for no answer.
    init(_ answers: [BatteryState?], gate: AsyncStream<Void>? = nil) {
        self.answers = Mutex(answers)
        self.gate = gate
    }

    var identity: ReaderIdentity? { learned.withLock { $0 } }
    var questions: Int { count.withLock { $0 } }

    func battery() async throws(CaptureError) -> BatteryState? {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            count.withLock { $0 += 1 }
            if let gate { for await _ in gate { break } }
            let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            guard let answer else { throw .readerFailed(.timedOut) }
            return answer
        }
    }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            try await reader.capture(request, authorize: authorize)
        }
    }
}

@Suite("The terminal knows the battery of its reader", .timeLimit(.minutes(20))) struct BatteryTests {
    /// Whether a payment has begun: it looks at the clock first.
    private final class Start: Sendable {
        private let began = Mutex(false)
        var hasCome: Bool { began.withLock { $0 } }
        func come() { began.withLock { $0 = true } }
    }

    private let start = Start()

    private func terminal(_ reader: BatteryReader) async throws -> Terminal {
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.limits = TimeLimits(standDown: .seconds(30), retry: .seconds(3600), battery: .milliseconds(1))
        let terminal = Terminal(configuration: configuration, host: FakeHost(), journal: MemoryJournal()) { [start] in
            start.come()
            return noon
        }
        try await terminal.connect(reader)
        return terminal
    }

    private func state(_ terminal: Terminal, is state: BatteryState?) async throws {
        while await terminal.deviceInfo?.battery != state { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func pay(_ terminal: Terminal) async throws -> PaymentResponse {
        try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
    }

    @Test("E1: what the driver learns when it connects completes what the device's descriptors say") func identity()
        async throws
    {
        let reader = BatteryReader([.unknown])
        let terminal = Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro),
            host: FakeHost(),
            journal: MemoryJournal())
        try await terminal.connect(reader, identity: ReaderIdentity(maker: "By USB", model: "Model", serialNumber: ""))
        #expect(await terminal.deviceInfo?.identity == ReaderIdentity(maker: "By USB", model: "Model"))
        reader.learned.withLock { $0 = ReaderIdentity(maker: "Maker", serialNumber: "007", firmware: "1-2") }
        reader.events.send(.connected)
        while await terminal.deviceInfo?.identity.serialNumber == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(
            await terminal.deviceInfo?.identity
                == ReaderIdentity(maker: "Maker", model: "Model", serialNumber: "007", firmware: "1-2"))
    }

    @Test("A22: it is asked at once and again, and each change is an event") func asked() async throws {
        let reader = BatteryReader([.discharging(percent: 40), .discharging(percent: 40), .charging(percent: 41), nil])
        let terminal = try await terminal(reader)
        var states: [BatteryState] = []
        for await event in terminal.eventStream(of: [.progress]) {
            if case .reader(.battery(let state)) = event.content { states.append(state) }
            if states.last == .unknown { break }
        }
        // The first may have come before the stream.
        #expect(states.suffix(2) == [.charging(percent: 41), .unknown])
        #expect(states.count <= 3)
        #expect(reader.questions >= 4)
    }

    @Test(
        "A22: below the minimum no payment begins, unless the reader is on power",
        arguments: [
            (BatteryState.discharging(percent: 2), false), (.discharging(percent: 3), true),
            (.charging(percent: 2), true),
            (.unknown, true),
        ])
    func minimum(battery: BatteryState, mayPay: Bool) async throws {
        let terminal = try await terminal(BatteryReader([battery]))
        try await state(terminal, is: battery)
        if mayPay {
            #expect(try await pay(terminal).outcome == .approved)
        } else {
            let error = await #expect(throws: TerminalError.self) { try await pay(terminal) }
            #expect(error?.code == .lowBattery)
            #expect(error?.description == "the reader's battery is at 2 %: charge it first")
        }
    }

    @Test("A22: a payment waits for a question in progress, which the reader would refuse it for") func question()
        async throws
    {
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let reader = BatteryReader([.discharging(percent: 80)], gate: gate)
        let terminal = try await terminal(reader)
        while reader.questions == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let payment = Task { try await pay(terminal) }
        while !start.hasCome { try await Task.sleep(for: .milliseconds(1)) }
        opened.finish()
        #expect(try await payment.value.outcome == .approved)
        #expect(await terminal.deviceInfo?.battery == .discharging(percent: 80))
    }
}
