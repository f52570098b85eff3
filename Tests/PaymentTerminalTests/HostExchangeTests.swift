import CardCapture
import PaymentTerminal
import Synchronization
import Testing

/// A reader that ignores cancelling, and asks the host when the test lets it.
private final class StubbornReader: CardReader {
    let name = "Stubborn reader"
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()
    let isWaiting = AsyncStream.makeStream(of: Void.self)
    let answers = AsyncStream.makeStream(of: Bool.self)
    private let gates = Mutex<[Gate]>([])

    /// Lets the oldest capture that waits ask the host.
    func letAsk() { gates.withLock { $0.removeFirst() }.open() }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        let gate = Gate()
        gates.withLock { $0.append(gate) }
        isWaiting.continuation.yield()
        await gate.wait()
        let answer = await authorize(chipCard())
        if case .answered = answer { answers.continuation.yield(true) } else { answers.continuation.yield(false) }
        guard case .answered = answer else { return CaptureOutcome(decision: .declinedOffline, card: chipCard()) }
        return CaptureOutcome(decision: .approvedOnline, card: chipCard())
    }
}

/// Waits until it is opened, whoever cancels it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        waiting?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting = continuation }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

@Suite struct HostExchangeTests {
    private func sale(_ id: String) throws -> Sale {
        Sale(orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"), amount: try euros("12.34"))
    }

    @Test("A reader that outlives its operation asks no host: the order was dropped as not charged")
    func readerLeftBehind() async throws {
        let reader = StubbornReader()
        let host = FakeHost()
        let journal = MemoryJournal()
        let terminal = try await terminal(host, journal: journal) { $0.limits.reader = .milliseconds(20) }
        try await terminal.connect(reader)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale("order-1")) }
        #expect(error?.code == .cardNotRead)
        reader.letAsk()
        for await wasAnswered in reader.answers.stream {
            #expect(!wasAnswered)
            break
        }
        #expect(host.seen.authorizations.isEmpty)
        #expect(try await journal.latest(1).isEmpty)
    }

    @Test("A reader that outlives its operation does not ask in the name of the next one")
    func readerAsksDuringTheNextOrder() async throws {
        let reader = StubbornReader()
        let host = FakeHost()
        let terminal = try await terminal(host) { $0.limits.reader = .milliseconds(200) }
        try await terminal.connect(reader)
        _ = try? await terminal.processSale(sale("order-1"))
        let second = Task { try await terminal.processSale(sale("order-2")) }
        var waiting = 0
        for await _ in reader.isWaiting.stream {
            waiting += 1
            if waiting == 2 { break }
        }
        // The first capture asks while the second order is in progress.
        reader.letAsk()
        for await wasAnswered in reader.answers.stream {
            #expect(!wasAnswered)
            break
        }
        _ = try? await second.value
        #expect(host.seen.authorizations.isEmpty)
        reader.letAsk()
    }

    @Test("An answer after the end of its order belongs neither to this order nor to the next one")
    func lateAnswer() async throws {
        let (first, second) = (Gate(), Gate())
        let isAsked = AsyncStream.makeStream(of: String.self)
        let host = FakeHost { request throws(HostError) in
            isAsked.continuation.yield(request.orderID.text)
            await (request.orderID.text == "order-1" ? first : second).wait()
            return AuthorizationResponse(
                uniqueReference: "U-\(request.orderID.text)",
                issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                authorizedAmount: request.amount, message: "APPROVAL")
        }
        let reader = StubbornReader()
        let journal = MemoryJournal()
        let terminal = try await terminal(host, journal: journal) { $0.limits.reader = .seconds(1) }
        try await terminal.connect(reader)
        let one = Task { try await terminal.processSale(sale("order-1")) }
        for await _ in reader.isWaiting.stream { break }
        reader.letAsk()
        for await _ in isAsked.stream { break }
        #expect(try await one.value.outcome == .reversed(.terminalTerminated))

        let two = Task { try await terminal.processSale(sale("order-2")) }
        for await _ in reader.isWaiting.stream { break }
        reader.letAsk()
        for await _ in isAsked.stream { break }
        // The answer to order-1 comes while order-2 is at the host.
        first.open()
        for await _ in reader.answers.stream { break }
        let entry = try #require(try await journal.entry(for: OrderID("order-2")))
        #expect(entry.answer == nil)
        #expect(entry.response?.uniqueReference != "U-order-1")
        second.open()
        _ = try await two.value
        #expect(try await journal.entry(for: OrderID("order-1"))?.response?.outcome == .reversed(.terminalTerminated))
    }

    @Test("A decline after the end of its order does not reach the reader that was left behind") func lateDecline()
        async throws
    {
        let gate = Gate()
        let isAsked = AsyncStream.makeStream(of: Void.self)
        let host = FakeHost { request throws(HostError) in
            isAsked.continuation.yield()
            await gate.wait()
            return AuthorizationResponse(
                uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "05"),
                authorizedAmount: Money(minorUnits: 0, currency: request.amount.currency), message: "DECLINED")
        }
        let reader = StubbornReader()
        let terminal = try await terminal(host) { $0.limits.reader = .seconds(1) }
        try await terminal.connect(reader)
        let sold = Task { try await terminal.processSale(sale("order-1")) }
        for await _ in reader.isWaiting.stream { break }
        reader.letAsk()
        for await _ in isAsked.stream { break }
        #expect(try await sold.value.outcome == .reversed(.terminalTerminated))
        gate.open()
        for await wasAnswered in reader.answers.stream {
            #expect(!wasAnswered)
            break
        }
    }

    @Test("The host is asked once for a reader that asks twice") func askedTwice() async throws {
        struct InsistentReader: CardReader {
            let name = "Insistent reader"
            let capabilities: ReaderCapabilities = .contactChip
            let events = ReaderEvents()
            func capture(
                _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
            ) async throws(CaptureError) -> CaptureOutcome {
                _ = await authorize(chipCard())
                guard case .unreachable = await authorize(chipCard()) else {
                    return CaptureOutcome(decision: .declinedOnline, card: chipCard())
                }
                return CaptureOutcome(decision: .approvedOnline, card: chipCard())
            }
        }
        let host = FakeHost()
        let terminal = try await terminal(host)
        try await terminal.connect(InsistentReader())
        #expect(try await terminal.processSale(sale("order-1")).outcome == .approved)
        #expect(host.seen.authorizations.count == 1)
    }
}
