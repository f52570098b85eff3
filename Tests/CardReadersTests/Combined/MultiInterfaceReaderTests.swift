import Bytes
import CardCapture
import CardReaders
import DeviceIO
import EMVKernel
import SmartCard
import Synchronization
import Testing
import VirtualCard

/// Chip and stripe as one reader (EMV 4.4 Book 4, 6.6): the first card counts, a chip goes before
/// its stripe, and the stripe before nothing.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MultiInterfaceReaderTests {
    /// Service code 201: a chip is on the card. 101: none is (ISO/IEC 7813).
    private static let withChip = ";4761739001010119=49122010000000000?"
    private static let withoutChip = ";4761739001010119=49121010000000000?"
    private let request = CaptureRequest(amount: 10_00, currencyCode: 840, sequenceCounter: 7, forcesOnline: true)
    private let stripe = TestMagstripe()
    private let asked = Asked()

    /// The host: approves, and notes what it was asked.
    private final class Asked: Sendable {
        private let cards = Mutex<[CapturedCard]>([])
        var entryModes: [CapturedCard.EntryMode] { cards.withLock { $0.map(\.entryMode) } }

        func authorize(_ card: CapturedCard) -> IssuerAnswer {
            cards.withLock { $0.append(card) }
            return .answered(IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"))
        }
    }

    private func reader(
        _ chip: any CardReader, card: Duration = .seconds(30), inserted: Duration = .seconds(30),
        fallback: Duration? = .seconds(30),
        standDown: Duration = .seconds(30), stripe other: TestMagstripe? = nil
    ) -> MultiInterfaceReader {
        MultiInterfaceReader(
            chip: chip, stripe: other ?? stripe,
            limits: MultiInterfaceReader.Limits(card: card, chip: inserted, fallback: fallback, standDown: standDown))
    }

    private func capture(_ reader: MultiInterfaceReader) -> Task<CaptureOutcome, any Error> {
        Task { [request, asked] in try await reader.capture(request) { asked.authorize($0) } }
    }

    /// The prompts to the cardholder, in order.
    private struct Prompts {
        var events: AsyncStream<ReaderEvent>.Iterator
        init(_ reader: MultiInterfaceReader) { events = reader.events.stream().makeAsyncIterator() }

        mutating func next() async -> [String] {
            while let event = await events.next(isolation: nil) {
                if case .prompt(let lines, _) = event { return lines }
            }
            return []
        }
    }

    /// The instructions for the cardholder that programs receive, in order.
    private struct Instructions {
        var events: AsyncStream<ReaderEvent>.Iterator
        init(_ reader: MultiInterfaceReader) { events = reader.events.stream().makeAsyncIterator() }

        mutating func next() async -> ReaderEvent.Instruction? {
            while let event = await events.next(isolation: nil) {
                if case .instruction(let instruction) = event { return instruction }
            }
            return nil
        }
    }

    private static func outcome(_ decision: CaptureOutcome.Decision, _ fallback: Fallback? = nil) -> TestChip {
        TestChip { (_, _) async throws(CaptureError) in
            CaptureOutcome(decision: decision, card: nil, fallback: fallback)
        }
    }

    private static func broken(_ fallback: Fallback? = Fallback(.technical, entryMode: .stripeAfterChip)) -> TestChip {
        outcome(.notPossible(.kernel(.channel(.timedOut))), fallback)
    }

    // MARK: The first card counts

    @Test("A chip that comes first is paid with, and the stripe reader stands down") func chipFirst() async throws {
        let bench = try SaleBench.shared.get()
        let slot = VirtualReader()
        let running = capture(reader(bench.reader(slot)))
        while !stripe.isWaiting { await pause() }
        await slot.insert(bench.fresh())
        let outcome = try await running.value
        #expect(outcome.decision == .approvedOnline)
        #expect(asked.entryModes == [.chip])
        #expect(!stripe.isWaiting, "the stripe reader has stood down")
    }

    @Test("A stripe without a chip that comes first is paid with") func stripeFirst() async throws {
        let chip = TestChip.empty
        let running = capture(reader(chip))
        while !chip.isWaiting { await pause() }
        stripe.draw(Self.withoutChip)
        let outcome = try await running.value
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(asked.entryModes == [.magneticStripe])
        #expect(!chip.isWaiting, "the chip reader has stood down")
    }

    /// What is drawn through while a chip is being paid with is nobody's payment.
    @Test func stripeDuringAChip() async throws {
        let stubborn = TestMagstripe(standsDown: false)
        let chip = TestChip { (chip, authorize) async throws(CaptureError) in
            chip.events.send(.cardPresented(.contact))
            stubborn.draw(Self.withoutChip)
            while stubborn.isWaiting { await pause() }
            let card = CapturedCard(entryMode: .chip, pan: nil, expiry: nil)
            _ = await authorize(card)
            return CaptureOutcome(decision: .approvedOnline, card: card)
        }
        let outcome = try await reader(chip, stripe: stubborn).capture(request) { [asked] in asked.authorize($0) }
        #expect(asked.entryModes.count == 1)
        #expect(outcome.card?.entryMode == asked.entryModes.first)
    }

    /// A chip that comes to the host after a stripe has won is not taken there.
    @Test func chipAfterAStripe() async throws {
        let answer = Mutex<IssuerAnswer?>(nil)
        let chip = TestChip { [stripe] (_, authorize) async throws(CaptureError) in
            stripe.draw(Self.withoutChip)
            while !Task.isCancelled { await pause() }
            let got = await authorize(CapturedCard(entryMode: .chip, pan: nil, expiry: nil))
            answer.withLock { $0 = got }
            return CaptureOutcome(decision: .declinedOffline, card: nil)
        }
        let outcome = try await reader(chip).capture(request) { [asked] in asked.authorize($0) }
        #expect(outcome.decision == .approvedOnline)
        #expect(asked.entryModes == [.magneticStripe])
        guard case .unreachable = answer.withLock({ $0 }) else {
            Issue.record("the chip got an answer")
            return
        }
    }

    @Test("A reader that does not stand down holds the payment up no longer than its limit") func stubbornChip()
        async throws
    {
        let (release, finish) = AsyncStream.makeStream(of: Void.self)
        let chip = TestChip { (_, _) async throws(CaptureError) in
            await Task.detached { for await _ in release {} }.value
            throw .cancelled
        }
        stripe.draw(Self.withoutChip)
        let outcome = try await reader(chip, standDown: .milliseconds(50)).capture(request) { [asked] in
            asked.authorize($0)
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(chip.isWaiting)
        finish.finish()
    }

    // MARK: The chip goes first

    @Test("A52: a stripe that names a chip is refused, and the wait goes on") func useChipReader() async throws {
        let bench = try SaleBench.shared.get()
        let slot = VirtualReader()
        let reader = reader(bench.reader(slot))
        var prompts = Prompts(reader)
        let running = capture(reader)
        #expect(await prompts.next() == ["INSERT CARD", "insert or swipe the card"])
        stripe.draw(Self.withChip)
        #expect(await prompts.next() == ["USE CHIP READER", "the card has a chip: insert it"])
        await slot.insert(bench.fresh())
        #expect(try await running.value.decision == .approvedOnline)
        #expect(asked.entryModes == [.chip])
    }

    @Test("A52: a swiped chip card, an unreadable stripe and a fallback are cases", .timeLimit(.minutes(20)))
    func instructions() async throws {
        let chip = TestChip { (_, _) async throws(CaptureError) in throw .noCardPresented }
        let reader = reader(chip)
        var instructions = Instructions(reader)
        let running = capture(reader)
        stripe.draw(Self.withChip)
        #expect(await instructions.next() == .insertSwipedCard)
        stripe.draw("%E?;E?")
        #expect(await instructions.next() == .swipeAgain)
        running.cancel()
        _ = await running.result

        let silent = self.reader(Self.broken())
        instructions = Instructions(silent)
        let fallback = capture(silent)
        #expect(await instructions.next() == .swipeInPlaceOfChip)
        fallback.cancel()
        _ = await fallback.result
    }

    @Test("An unreadable stripe is asked for again, with the reason") func unreadableStripes() async throws {
        let reader = reader(TestChip.empty)
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        for _ in 1...2 {
            stripe.draw("%E?;E?")
            #expect(await prompts.next() == ["TRY AGAIN", "the stripe could not be read: swipe the card again"])
        }
        stripe.draw("%E?;E?")
        #expect(try await running.value.decision == .notPossible(.stripe(.unreadable)))
    }

    // MARK: Fallback

    @Test("A52 A60: after a chip that is silent the stripe is read, and marked") func technicalFallback() async throws {
        let bench = try SaleBench.shared.get()
        let slot = VirtualReader(card: FaultyCard(bench.fresh(), CardFault(.silence, at: .step(1))))
        let reader = reader(bench.reader(slot))
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        #expect(await prompts.next() == ["USE MAG STRIPE", "the chip cannot be read: swipe the card"])
        stripe.draw(Self.withChip)
        let outcome = try await running.value
        #expect(outcome.decision == .approvedOnline)
        #expect(asked.entryModes.map(\.rawValue) == ["80"])
    }

    @Test(
        "What the candidate list means for the mark is configured in the kernel; the reader takes it as it is",
        arguments: [(Fallback.EntryMode.magneticStripe, "90"), (.stripeAfterChip, "80")])
    func emptyCandidateList(_ mode: Fallback.EntryMode, _ mark: String) async throws {
        let reader = reader(Self.broken(Fallback(.emptyCandidateList, entryMode: mode)))
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        #expect(await prompts.next() == ["USE MAG STRIPE", "the chip has no supported application: swipe the card"])
        stripe.draw(Self.withChip)
        _ = try await running.value
        #expect(asked.entryModes.map(\.rawValue) == [mark])
    }

    /// The mark is for stripes that name a chip (EMV 4.4 Book 4, 6.6.2).
    @Test func stripeWithoutAChipIsNoFallback() async throws {
        let reader = reader(Self.broken())
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        _ = await prompts.next()
        stripe.draw(Self.withoutChip)
        _ = try await running.value
        #expect(asked.entryModes.map(\.rawValue) == ["90"])
    }

    @Test("no fallback for a card that is blocked, was declined, or has been to the host") func noFallback()
        async throws
    {
        #expect(
            try await capture(reader(Self.broken(nil))).value.decision == .notPossible(.kernel(.channel(.timedOut))))
        #expect(try await capture(reader(Self.outcome(.declinedOffline))).value.decision == .declinedOffline)
        let toTheHost = TestChip { (_, authorize) async throws(CaptureError) in
            _ = await authorize(CapturedCard(entryMode: .chip, pan: nil, expiry: nil))
            return CaptureOutcome(
                decision: .notPossible(.kernel(.channel(.timedOut))), card: nil,
                fallback: Fallback(.technical, entryMode: .stripeAfterChip)
            )
        }
        let outcome = try await capture(reader(toTheHost)).value
        #expect(outcome.decision == .notPossible(.kernel(.channel(.timedOut))))
        #expect(outcome.fallback == nil)
        #expect(asked.entryModes == [.chip])
        #expect(!stripe.isWaiting)
    }

    @Test func fallbackIsNotAllowed() async throws {
        let outcome = try await capture(reader(Self.broken(), fallback: nil)).value
        #expect(outcome.decision == .notPossible(.kernel(.channel(.timedOut))))
        #expect(outcome.fallback?.reason == .technical)
    }

    @Test func fallbackHasItsTime() async throws {
        let outcome = try await capture(reader(Self.broken(), fallback: .milliseconds(30))).value
        #expect(outcome.decision == .notPossible(.kernel(.channel(.timedOut))))
        #expect(outcome.fallback?.reason == .technical)
        #expect(asked.entryModes.isEmpty)
    }

    // MARK: Ends

    @Test("Without a card both readers end at the time limit") func nobodyComes() async throws {
        await #expect(throws: CaptureError.noCardPresented) {
            try await capture(reader(TestChip.empty, card: .milliseconds(30))).value
        }
        #expect(!stripe.isWaiting)
    }

    /// A chip reader that gives up by itself is asked again until the time is over.
    @Test func chipReaderThatGivesUp() async throws {
        let chip = TestChip.givingUp(times: 2)
        #expect(try await capture(reader(chip)).value.decision == .approvedOffline)
    }

    /// A chip that was put in and says nothing more.
    @Test func chipThatNeverEnds() async throws {
        let chip = TestChip { (chip, _) async throws(CaptureError) in
            chip.events.send(.cardPresented(.contact))
            try await untilCancelled()
        }
        await #expect(throws: CaptureError.readerFailed(.timedOut)) {
            try await capture(reader(chip, inserted: .milliseconds(30))).value
        }
    }

    /// A card that is put in and taken out again leaves both readers waiting.
    @Test func cardThatDoesNotStay() async throws {
        let chip = TestChip { (chip, _) async throws(CaptureError) in
            chip.events.send(.cardPresented(.contact))
            try await untilCancelled()
        }
        let running = capture(reader(chip))
        while stripe.waits == 0 || stripe.isWaiting { await pause() }
        chip.events.send(.cardRemoved(.contact))
        while !stripe.isWaiting { await pause() }
        stripe.draw(Self.withoutChip)
        #expect(try await running.value.decision == .approvedOnline)
        #expect(asked.entryModes == [.magneticStripe])
    }

    @Test("A27: cancelled while both wait") func cancelledWaiting() async throws {
        let chip = TestChip.empty
        let running = capture(reader(chip))
        while !chip.isWaiting || !stripe.isWaiting { await pause() }
        running.cancel()
        await #expect(throws: CaptureError.cancelled) { try await running.value }
        #expect(!chip.isWaiting)
        #expect(!stripe.isWaiting)
    }

    @Test(
        "A27: cancelled with a chip in the reader, and while the stripe is waited for after it",
        arguments: [true, false])
    func cancelledLater(_ inserted: Bool) async throws {
        let chip =
            inserted
            ? TestChip { (chip, _) async throws(CaptureError) in
                chip.events.send(.cardPresented(.contact))
                try await untilCancelled()
            } : Self.broken()
        let reader = reader(chip)
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        if inserted {
            while stripe.waits == 0 || stripe.isWaiting { await pause() }
        } else {
            _ = await prompts.next()
        }
        running.cancel()
        await #expect(throws: CaptureError.cancelled) { try await running.value }
        #expect(asked.entryModes.isEmpty)
        #expect(!stripe.isWaiting)
        #expect(!chip.isWaiting)
    }

    @Test("E26: cancelled after the chip has asked the host: its outcome counts") func cancelledAtTheHost() async throws
    {
        let (release, answer) = AsyncStream.makeStream(of: Void.self)
        let isAsked = Mutex(false)
        let chip = TestChip { (_, authorize) async throws(CaptureError) in
            _ = await authorize(CapturedCard(entryMode: .chip, pan: nil, expiry: nil))
            return CaptureOutcome(decision: .approvedOnline, card: nil)
        }
        let reader = reader(chip, inserted: .milliseconds(30))
        let running = Task { [request, asked] in
            try await reader.capture(request) { card in
                isAsked.withLock { $0 = true }
                await Task.detached { for await _ in release {} }.value
                return asked.authorize(card)
            }
        }
        while !isAsked.withLock({ $0 }) { await pause() }
        running.cancel()
        answer.finish()
        #expect(try await running.value.decision == .approvedOnline)
    }

    /// A request to stop is too late for the host, however long the reader takes to hear of it.
    @Test(arguments: [true, false]) func chipThatComesTooLate(_ cancelled: Bool) async throws {
        let chip = TestChip { (_, authorize) async throws(CaptureError) in
            while !Task.isCancelled { await pause() }
            guard case .unreachable = await authorize(CapturedCard(entryMode: .chip, pan: nil, expiry: nil)) else {
                throw .cardDataMissing
            }
            throw .cancelled
        }
        let running = capture(reader(chip, card: cancelled ? .seconds(30) : .milliseconds(30)))
        if cancelled {
            while !chip.isWaiting { await pause() }
            running.cancel()
        }
        await #expect(throws: cancelled ? CaptureError.cancelled : .noCardPresented) { try await running.value }
        #expect(asked.entryModes.isEmpty)
    }

    @Test(
        "A stripe reader that is broken is said to be so once, also where the chip reader has to be asked again and again"
    )
    func brokenOnce() async throws {
        let chip = TestChip.givingUp(times: 2)
        stripe.draw(.failure(.readerFailed(.driver(DeviceError.disconnected))))
        #expect(try await capture(reader(chip)).value.decision == .approvedOffline)
        #expect(stripe.waits == 1)
    }

    @Test func stripeReaderThatFails() async throws {
        let bench = try SaleBench.shared.get()
        let slot = VirtualReader()
        let reader = reader(bench.reader(slot))
        var prompts = Prompts(reader)
        let running = capture(reader)
        _ = await prompts.next()
        stripe.draw(.failure(.readerFailed(.driver(DeviceError.disconnected))))
        #expect(await prompts.next() == ["INSERT CARD", "the stripe reader does not work"])
        await slot.insert(bench.fresh())
        #expect(try await running.value.decision == .approvedOnline)
    }

    @Test func chipReaderThatFails() async throws {
        let chip = TestChip { (_, _) async throws(CaptureError) in
            throw .readerFailed(.driver(DeviceError.disconnected))
        }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            try await capture(reader(chip)).value
        }
    }

    @Test func oneAtATime() async throws {
        let chip = TestChip.empty
        let reader = reader(chip)
        let first = capture(reader)
        while !chip.isWaiting { await pause() }
        await #expect(throws: CaptureError.self) { try await capture(reader).value }
        first.cancel()
        _ = try? await first.value
    }

    @Test("E29 E31: what both readers tell comes from the one", .timeLimit(.minutes(20))) func events() async throws {
        let chip = TestChip.empty
        let reader = reader(chip)
        #expect(reader.name == "Test chip and Test stripe")
        #expect(reader.capabilities == [.contactChip, .cardEvents, .magneticStripe])
        var events = reader.events.stream().makeAsyncIterator()
        chip.events.send(.cardPresented(.contact))
        #expect(await events.next(isolation: nil) == .cardPresented(.contact))
        stripe.events.send(.swiped(readable: true))
        #expect(await events.next(isolation: nil) == .swiped(readable: true))
    }
}
