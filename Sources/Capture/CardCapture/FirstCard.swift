import Contactless
private import Synchronization

/// One wait for a card at the interfaces of a reader: executes what ``CardRace`` decides.
final class FirstCard: Sendable {
    typealias Ask = @Sendable (CardholderRequest) -> Void
    typealias Authorize = CardReader.Authorize

    private let race: Mutex<CardRace>
    private let events: AsyncStream<CardRace.Event>
    private let tell: AsyncStream<CardRace.Event>.Continuation
    private let request: CaptureRequest
    private let chips: [CardRace.ChipInterface: any CardReader]
    private let stripe: (any MagstripeSlot)?
    private let judge: SwipeJudge
    private let ask: Ask

    /// - Parameters:
    ///   - chips: The reader behind each interface that a chip can come to.
    ///   - stripe: Nil if no stripe is read; `judge` decides which swipes are accepted.
    ///   - language: Of a card that was read before; nil if none told it.
    init(
        of request: CaptureRequest, chips: [CardRace.ChipInterface: any CardReader], stripe: (any MagstripeSlot)?,
        judge: SwipeJudge,
        limits: CardRace.Limits, language: MessageLanguage? = nil, ask: @escaping Ask
    ) {
        race = Mutex(CardRace(chips: Set(chips.keys), hasStripe: stripe != nil, limits: limits, language: language))
        (events, tell) = AsyncStream.makeStream(of: CardRace.Event.self)
        self.request = request
        self.chips = chips
        self.stripe = stripe
        self.judge = judge
        self.ask = ask
    }

    /// Waits until the end of the race or until the task is cancelled. Call it once.
    func end(authorize: @escaping Authorize) async -> CardRace.End {
        let waiting = Task { await run(authorize) }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            tell.yield(.cancelled)
        }
    }

    private func run(_ authorize: @escaping Authorize) async -> CardRace.End {
        var tasks = Tasks()
        let following = chips.map { followEvents(of: $1, at: $0) }
        defer {
            for task in following { task.cancel() }
            tasks.timer?.cancel()
            tell.finish()
        }
        perform(race.withLock { $0.start() }, &tasks, authorize)
        for await event in events {
            let (actions, end) = race.withLock { ($0.take(event), $0.end) }
            perform(actions, &tasks, authorize)
            if let end { return end }
        }
        return .failed(.cancelled)
    }

    private struct Tasks {
        var chips: [CardRace.ChipInterface: Task<Void, Never>] = [:]
        var stripe: Task<Void, Never>?
        var timer: Task<Void, Never>?
    }

    private func perform(_ actions: [CardRace.Action], _ tasks: inout Tasks, _ authorize: @escaping Authorize) {
        for action in actions {
            switch action {
            case .startChip(let interface, let pause):
                tasks.chips[interface] = startChip(interface, after: pause, authorize)
            case .startStripe(let pause): tasks.stripe = startStripe(after: pause)
            case .stopChip(let interface): tasks.chips[interface]?.cancel()
            case .stopStripe: tasks.stripe?.cancel()
            case .startTimer(let number, let limit):
                tasks.timer?.cancel()
                tasks.timer = startTimer(number, limit)
            case .stopTimer: tasks.timer?.cancel()
            case .ask(let request): ask(request)
            }
        }
    }

    private func startChip(
        _ interface: CardRace.ChipInterface, after pause: Duration, _ authorize: @escaping Authorize
    ) -> Task<Void, Never>? {
        guard let reader = chips[interface] else { return nil }
        return Task { [self] in
            if pause > .zero { try? await Task.sleep(for: pause) }
            do throws(CaptureError) {
                if Task.isCancelled { throw .cancelled }
                let outcome = try await reader.capture(request) { [self] card in
                    guard race.withLock({ $0.takeForHost(interface) }) else { return .unreachable }
                    tell.yield(.chipCame(interface))
                    return await authorize(card)
                }
                tell.yield(.chipEnded(interface, .success(outcome)))
            } catch {
                tell.yield(.chipEnded(interface, .failure(error)))
            }
        }
    }

    private func startStripe(after pause: Duration) -> Task<Void, Never>? {
        guard let stripe else { return nil }
        return Task { [self] in
            if pause > .zero { try? await Task.sleep(for: pause) }
            let swipe: CapturedSwipe
            do throws(CaptureError) {
                if Task.isCancelled { throw .cancelled }
                swipe = try await stripe.swipe()
            } catch {
                tell.yield(.stripeReaderFailed(error))
                return
            }
            do throws(CaptureError) {
                tell.yield(.swiped(try judge.judge(swipe)))
            } catch {
                tell.yield(.swipeFailed(error))
            }
        }
    }

    private func followEvents(of reader: any CardReader, at interface: CardRace.ChipInterface) -> Task<Void, Never> {
        let stream = reader.events.stream()
        return Task { [tell] in
            for await event in stream {
                switch event {
                case .cardPresented: tell.yield(.chipCame(interface))
                // A tapped card leaves while its transaction continues.
                case .cardRemoved(.contact): tell.yield(.chipWent(interface))
                default: break
                }
            }
        }
    }

    private func startTimer(_ number: Int, _ limit: Duration) -> Task<Void, Never> {
        Task { [tell] in
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { tell.yield(.timeUp(timer: number)) }
        }
    }
}
