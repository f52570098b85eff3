private import Synchronization

/// One wait for a card at a chip reader and a stripe reader, or at the latter alone: carries out what ``CardRace`` decides.
final class FirstCard: Sendable {
    typealias Authorize = @Sendable (CapturedCard) async -> IssuerAnswer
    typealias Chip = @Sendable (_ authorize: @escaping Authorize) async throws(CaptureError) -> CaptureOutcome

    private let race: Mutex<CardRace>
    private let events: AsyncStream<CardRace.Event>
    private let tell: AsyncStream<CardRace.Event>.Continuation
    private let chip: Chip?
    private let chipEvents: ReaderEvents?
    private let stripe: any MagstripeSlot
    private let judge: SwipeJudge
    private let prompt: @Sendable ([String]) -> Void

    init(
        chip: Chip?, chipEvents: ReaderEvents?, stripe: any MagstripeSlot, judge: SwipeJudge, limits: CardRace.Limits,
        prompt: @escaping @Sendable ([String]) -> Void
    ) {
        race = Mutex(CardRace(hasChip: chip != nil, limits: limits))
        (events, tell) = AsyncStream.makeStream(of: CardRace.Event.self)
        self.chip = chip
        self.chipEvents = chipEvents
        self.stripe = stripe
        self.judge = judge
        self.prompt = prompt
    }

    /// Waits, until the end or until the task is cancelled. To be called once.
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
        let following = followChipEvents()
        defer {
            following?.cancel()
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
        var chip: Task<Void, Never>?
        var stripe: Task<Void, Never>?
        var timer: Task<Void, Never>?
    }

    private func perform(_ actions: [CardRace.Action], _ tasks: inout Tasks, _ authorize: @escaping Authorize) {
        for action in actions {
            switch action {
            case .startChip(let pause): tasks.chip = startChip(after: pause, authorize)
            case .startStripe(let pause): tasks.stripe = startStripe(after: pause)
            case .stopChip: tasks.chip?.cancel()
            case .stopStripe: tasks.stripe?.cancel()
            case .startTimer(let number, let limit):
                tasks.timer?.cancel()
                tasks.timer = startTimer(number, limit)
            case .stopTimer: tasks.timer?.cancel()
            case .prompt(let lines): prompt(lines)
            }
        }
    }

    private func startChip(after pause: Duration, _ authorize: @escaping Authorize) -> Task<Void, Never>? {
        guard let chip else { return nil }
        return Task { [self] in
            if pause > .zero { try? await Task.sleep(for: pause) }
            do throws(CaptureError) {
                if Task.isCancelled { throw .cancelled }
                let outcome = try await chip { [self] card in
                    guard race.withLock({ $0.takeForHost() }) else { return .unreachable }
                    tell.yield(.chipCame)
                    return await authorize(card)
                }
                tell.yield(.chipEnded(.success(outcome)))
            } catch {
                tell.yield(.chipEnded(.failure(error)))
            }
        }
    }

    private func startStripe(after pause: Duration) -> Task<Void, Never> {
        Task { [self] in
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

    private func followChipEvents() -> Task<Void, Never>? {
        guard let stream = chipEvents?.stream() else { return nil }
        return Task { [tell] in
            for await event in stream {
                switch event {
                case .cardPresented: tell.yield(.chipCame)
                // A card that was tapped goes while its transaction goes on.
                case .cardRemoved(.contact): tell.yield(.chipWent)
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
