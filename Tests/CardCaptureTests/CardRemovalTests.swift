import CardCapture
import CardReaders
import EMVKernel
import KernelDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// EMV Contactless Book D: a card must leave the field before the next transaction. Book A, 6.2:
/// removal timeout.
@Suite("A card leaves the field before the next payment") struct CardRemovalTests {
    private static let prompt = ["PLEASE REMOVE CARD"]

    /// Two payments in a row, with one reader.
    private final class Till: Sendable {
        private let reader: ContactlessReader
        let asked = Mutex(0)

        init(_ reader: ContactlessReader) { self.reader = reader }

        func sell(whileAsked wait: @escaping @Sendable () async -> Void = {}) async throws(CaptureError)
            -> CaptureOutcome.Decision
        {
            let outcome = try await reader.capture(
                CaptureRequest(amount: 30_00, currencyCode: 978, sequenceCounter: 1)
            ) { [self] _ in
                asked.withLock { $0 += 1 }
                await wait()
                return .answered(.init(responseCode: "00"))
            }
            return outcome.decision
        }
    }

    @Test("a card that stays in the field is charged once, and the second payment ends in time") func leftOnTheReader()
        async throws
    {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        let events = field.events.stream()
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        #expect(till.asked.withLock { $0 } == 1)
        #expect(field.activations == 1)
        // 60 seconds, at 100 ms each.
        #expect(bench.time.paused == .seconds(60))
        field.events.finish()
        #expect(await events.prompts() == [Self.prompt])
        #expect(field.isPoweredOff)
        // It has still to be removed.
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        field.isPresent = false
        #expect(try await till.sell() == .approvedOnline)
        #expect(till.asked.withLock { $0 } == 2)
    }

    @Test("the payment goes on once the card was away, and a card that misses one look was not") func removed()
        async throws
    {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        field.script = [false, true, false, true, true]
        let events = field.events.stream()
        #expect(try await till.sell() == .approvedOnline)
        #expect(field.script.isEmpty)
        #expect(till.asked.withLock { $0 } == 2)
        field.events.finish()
        #expect(await events.prompts().prefix(2) == [Self.prompt, ["PRESENT CARD"]])
    }

    @Test("the first payment, and one after a payment without a card, look at nothing") func nothingToWaitFor()
        async throws
    {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        field.failure = .noCardPresented
        bench.slot = field
        let till = Till(bench.reader())
        await #expect(throws: CaptureError.noCardPresented) { try await till.sell() }
        field.failure = nil
        #expect(try await till.sell() == .approvedOnline)
        #expect(field.looks == 0)
    }

    @Test("a cancellation ends the wait, and the next payment still waits") func cancelled() async throws {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        let running = Mutex<Task<CaptureOutcome.Decision, any Error>?>(nil)
        bench.duringPauses = { running.withLock { $0?.cancel() } }
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        for _ in 0..<2 {
            let start = AsyncStream.makeStream(of: Void.self)
            let sale = Task {
                for await _ in start.stream { break }
                return try await till.sell()
            }
            running.withLock { $0 = sale }
            start.continuation.yield()
            await #expect(throws: CaptureError.cancelled) { try await sale.value }
        }
        #expect(till.asked.withLock { $0 } == 1)
        #expect(field.activations == 1)
    }

    @Test("a reader that fails at a look fails the payment, and is switched off") func failure() async throws {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        field.lookFailure = .readerFailed(.timedOut)
        await #expect(throws: CaptureError.readerFailed(.timedOut)) { try await till.sell() }
        #expect(field.isPoweredOff)
        #expect(till.asked.withLock { $0 } == 1)
    }

    @Test("several cards have to leave before the field is polled again") func severalCards() async throws {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        field.collisions = 1
        field.script = [false, false, true, true]
        bench.slot = field
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        #expect(field.script.isEmpty)
        #expect(field.activations == 1)
        field.script = [true, true]
        field.collisions = 1
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        #expect(field.script.isEmpty)
        #expect(field.activations == 1)
    }

    @Test("a card that stays after the removal timeout is asked to leave while the issuer is asked") func reminder()
        async throws
    {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        bench.removalTimeout = 7
        let till = Till(bench.reader())
        let events = field.events.stream()
        let asks = field.events.stream()
        let decision = try await till.sell {
            for await case .prompt(Self.prompt, _) in asks { break }
        }
        #expect(decision == .approvedOnline)
        #expect(field.looks == 1)
        field.events.finish()
        let prompts = await events.prompts()
        #expect(prompts.filter { $0 == Self.prompt }.count == 1)
        #expect(bench.time.paused == .milliseconds(700))
    }

    /// Book A, 6.2: Start D goes on with the card that is in the field.
    @Test(
        "a kernel that goes on with the issuer's answer keeps its card in the field until then",
        arguments: ["00", "05"])
    func heldForTheAnswer(_ code: String) async throws {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        bench.removalTimeout = 7
        bench.wrapsVisa = { HoldingKernel(kernel: $0) }
        let wasOff = Mutex(true)
        let reader = bench.reader()
        let outcome = try await reader.capture(CaptureRequest(amount: 30_00, currencyCode: 978, sequenceCounter: 1)) {
            _ in
            wasOff.withLock { $0 = field.isPoweredOff }
            return .answered(.init(responseCode: code))
        }
        #expect(outcome.decision == (code == "00" ? .approvedOnline : .declinedOnline))
        #expect(!wasOff.withLock { $0 })
        #expect(field.isPoweredOff)
        #expect(field.activations == 1)
        #expect(field.looks == 0)
        // The card answered after the issuer did: it has no GET DATA in a field.
        #expect(outcome.card?.chip?.elements[.issuerScriptResults] == [0x6D, 0x00])
        // Without an answer the field is switched off, too.
        let second = Field(bench.card)
        bench.slot = second
        _ = try await bench.reader().capture(CaptureRequest(amount: 30_00, currencyCode: 978, sequenceCounter: 1)) {
            _ in .unreachable
        }
        #expect(second.isPoweredOff)
    }

    @Test(
        "nobody is asked to remove a card that has left, and without a timeout nothing looks",
        arguments: [0, 7] as [UInt32])
    func noReminder(_ timeout: UInt32) async throws {
        var bench = try TapBench.visa()
        let field = Field(bench.card)
        bench.slot = field
        bench.removalTimeout = timeout
        bench.duringPauses = { field.isPresent = false }
        let till = Till(bench.reader())
        let events = field.events.stream()
        let decision = try await till.sell { await field.looked(atLeast: timeout == 0 ? 0 : 1) }
        #expect(decision == .approvedOnline)
        #expect(field.looks == (timeout == 0 ? 0 : 1))
        field.events.finish()
        #expect(await !events.prompts().contains(Self.prompt))
    }

    @Test("a virtual card with a place of its own has to leave it", arguments: [true, false]) func virtualReader(
        _ waits: Bool
    ) async throws {
        var bench = try TapBench.visa()
        let field = VirtualReader(card: bench.card, interface: .contactless, waitsForCard: waits)
        bench.slot = field
        let till = Till(bench.reader())
        #expect(try await till.sell() == .approvedOnline)
        guard waits else {
            // Its card is held to it again for each payment.
            #expect(try await till.sell() == .approvedOnline)
            return
        }
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        await field.remove()
        let stream = field.events.stream()
        let holder = Task {
            for await case .prompt(["PRESENT CARD"], _) in stream { return await field.insert(bench.card) }
        }
        #expect(try await till.sell() == .approvedOnline)
        await holder.value
    }
}

/// A card that its owner forgets in the contacts must not pay for the next customer.
@Suite("A card leaves the contacts before the next payment") struct ContactCardRemovalTests {
    private static let prompt = ["PLEASE REMOVE CARD"]

    /// A terminal that sells by its contacts, again and again.
    private struct Till {
        let slot: Field
        let reader: ChipReader
        let time = VirtualTime()

        init() throws {
            let card = try PersonalizedCard.make(.visaStyle())
            let time = time
            slot = Field(VirtualCard(card), .contactChip)
            reader = ChipReader(
                slot: slot,
                kernel: ContactKernel(
                    .attended(countryCode: 276, applications: [.visa], caKeys: card.caPublicKeys, hasPINPad: false)),
                cardholder: FirstChoice(), timing: .init(uptime: { time.now }, pause: { time.pause($0) }))
        }

        func sell() async throws(CaptureError) -> CaptureOutcome.Decision {
            try await reader.capture(
                CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1, forcesOnline: true)
            ) { _ in
                .answered(.init(responseCode: "00"))
            }.decision
        }
    }

    @Test("a card that stays in the contacts is charged once, and its removal is asked for") func forgotten()
        async throws
    {
        let till = try Till()
        let slot = till.slot
        #expect(try await till.sell() == .approvedOnline)
        #expect(slot.looks == 0)
        let events = slot.events.stream()
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        #expect(slot.activations == 1)
        #expect(till.time.paused == .seconds(60))
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.contains(.instruction(.removeCard)))
        #expect(received.contains { if case .prompt(Self.prompt, _) = $0 { true } else { false } })
        // It has still to be removed; then the next card pays.
        await #expect(throws: CaptureError.cardNotRemoved) { try await till.sell() }
        slot.isPresent = false
        #expect(try await till.sell() == .approvedOnline)
        #expect(slot.activations == 2)
    }

    @Test("without a card no removal is asked for") func nothingToRemove() async throws {
        let till = try Till()
        let slot = till.slot
        slot.failure = .noCardPresented
        await #expect(throws: CaptureError.noCardPresented) { try await till.sell() }
        slot.failure = nil
        #expect(try await till.sell() == .approvedOnline)
        #expect(slot.looks == 0)
        slot.isPresent = false
        #expect(try await till.sell() == .approvedOnline)
        #expect(slot.looks == 1)
        #expect(till.time.paused == .zero)
    }
}

extension AsyncStream<ReaderEvent> {
    /// The prompts until the end of the stream.
    fileprivate func prompts() async -> [[String]] {
        var prompts: [[String]] = []
        for await event in self { if case .prompt(let lines, _) = event { prompts.append(lines) } }
        return prompts
    }
}

/// A field whose card stays, or is there by a script.
private final class Field: CardSlot {
    private struct State {
        let card: any RemovableCard
        var isPresent = true
        var script: [Bool] = []
        var looks = 0
        var activations = 0
        var collisions = 0
        var isPoweredOff = false
        var failure: CaptureError?
        var lookFailure: CaptureError?
        var listener: (looks: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    let name = "Field"
    let capabilities: ReaderCapabilities
    let events = ReaderEvents()
    private let state: Mutex<State>

    init(_ card: any RemovableCard, _ interface: ReaderCapabilities = .contactlessChip) {
        capabilities = interface
        state = Mutex(State(card: card))
    }

    var looks: Int { state.withLock { $0.looks } }
    var activations: Int { state.withLock { $0.activations } }
    var isPoweredOff: Bool { state.withLock { $0.isPoweredOff } }
    var isPresent: Bool {
        get { state.withLock { $0.isPresent } }
        set { state.withLock { $0.isPresent = newValue } }
    }
    /// What the next looks find; without it, whether a card is present.
    var script: [Bool] {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }
    /// How many activations find several cards.
    var collisions: Int {
        get { state.withLock { $0.collisions } }
        set { state.withLock { $0.collisions = newValue } }
    }
    var failure: CaptureError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }
    var lookFailure: CaptureError? {
        get { state.withLock { $0.lookFailure } }
        set { state.withLock { $0.lookFailure = newValue } }
    }

    func looked(atLeast looks: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.looks < looks { state.listener = (looks, continuation) }
                return state.looks >= looks
            }
            if isThere { continuation.resume() }
        }
    }

    func powerOn() async throws(CaptureError) -> any CardChannel {
        let result: Result<any RemovableCard, CaptureError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            state.isPoweredOff = false
            guard state.collisions == 0 else {
                state.collisions -= 1
                return .failure(.severalCards)
            }
            state.activations += 1
            return .success(state.card)
        }
        let card = try result.get()
        await card.reset()
        return card
    }

    func powerOff() async { state.withLock { $0.isPoweredOff = true } }

    func isEmpty() async throws(CaptureError) -> Bool {
        let (result, listener): (Result<Bool, CaptureError>, CheckedContinuation<Void, Never>?) = state.withLock {
            state in
            state.looks += 1
            state.isPoweredOff = false
            var listener: CheckedContinuation<Void, Never>?
            if let waiting = state.listener, waiting.looks <= state.looks {
                listener = waiting.continuation
                state.listener = nil
            }
            if let failure = state.lookFailure { return (.failure(failure), listener) }
            return (.success(state.script.isEmpty ? !state.isPresent : state.script.removeFirst()), listener)
        }
        listener?.resume()
        return try result.get()
    }
}
