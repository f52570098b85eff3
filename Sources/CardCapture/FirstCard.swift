import SmartCard
private import Synchronization

/// One wait for a card at a chip reader and a stripe reader, or at the latter alone. The first card counts; when the wait is over the other reader has stood
/// down, or had its time to.
final class FirstCard: Sendable {
    enum End: Sendable {
        case chip(Result<CaptureOutcome, CaptureError>)
        case stripe(CapturedCard)
        /// A stripe that no payment is taken with.
        case fault(CaptureOutcome.StripeFault)
        case failed(CaptureError)
    }

    typealias Authorize = @Sendable (CapturedCard) async -> IssuerAnswer
    typealias Chip = @Sendable (_ authorize: @escaping Authorize) async throws(CaptureError) -> CaptureOutcome

    struct Limits: Sendable {
        /// For a card to come.
        let card: Duration
        /// For a chip that has come to ask the host, or to decide by itself.
        let chip: Duration
        let standDown: Duration
    }

    private enum Happening: Sendable {
        case chipCame
        case chipWent
        case chipEnded(Result<CaptureOutcome, CaptureError>)
        case swiped(Result<CapturedSwipe, CaptureError>)
        /// - Parameter wait: Which of the timers, by number: one that was replaced means nothing.
        case timeUp(wait: Int)
        case cancelled
    }

    /// Who has the transaction. The chip takes it before it asks the host, so that no card is charged beside another.
    private enum Owner {
        case nobody
        /// A card is in the chip reader; it may still be taken out.
        case chip
        /// The chip has asked the host: the transaction is brought to its end.
        case chipAtTheHost
        case stripe
        /// The wait has ended without a card: whoever comes now is too late.
        case over
    }

    private let owner = Mutex(Owner.nobody)
    private let happenings: AsyncStream<Happening>
    private let tell: AsyncStream<Happening>.Continuation
    private let chip: Chip?
    private let chipEvents: ReaderEvents?
    private let stripe: any MagstripeSlot
    private let judge: SwipeJudge
    private let limits: Limits
    private let prompt: @Sendable ([String]) -> Void

    /// How long a reader is let be that gave up by itself.
    private static let pause = Duration.milliseconds(100)

    init(
        chip: Chip?, chipEvents: ReaderEvents?, stripe: any MagstripeSlot, judge: SwipeJudge, limits: Limits,
        prompt: @escaping @Sendable ([String]) -> Void
    ) {
        (happenings, tell) = AsyncStream.makeStream(of: Happening.self)
        self.chip = chip
        self.chipEvents = chipEvents
        self.stripe = stripe
        self.judge = judge
        self.limits = limits
        self.prompt = prompt
    }

    /// Waits, until the end or until the task is cancelled. To be called once.
    func end(authorize: @escaping Authorize) async -> End {
        let waiting = Task { await wait(authorize) }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            tell.yield(.cancelled)
        }
    }

    // MARK: The sides

    private func startChip(_ authorize: @escaping Authorize, after pause: Duration? = nil) -> Task<Void, Never>? {
        guard let chip else { return nil }
        return Task { [self] in
            if let pause { try? await Task.sleep(for: pause) }
            do throws(CaptureError) {
                if Task.isCancelled { throw .cancelled }
                let outcome = try await chip { [self] card in
                    guard take(.chipAtTheHost) else { return .unreachable }
                    tell.yield(.chipCame)
                    return await authorize(card)
                }
                tell.yield(.chipEnded(.success(outcome)))
            } catch {
                tell.yield(.chipEnded(.failure(error)))
            }
        }
    }

    private func startStripe(after pause: Duration? = nil) -> Task<Void, Never> {
        Task { [self] in
            if let pause { try? await Task.sleep(for: pause) }
            do throws(CaptureError) {
                if Task.isCancelled { throw .cancelled }
                tell.yield(.swiped(.success(try await stripe.swipe())))
            } catch {
                tell.yield(.swiped(.failure(error)))
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

    private func startTimer(_ wait: Int, _ limit: Duration) -> Task<Void, Never> {
        Task { [tell] in
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { tell.yield(.timeUp(wait: wait)) }
        }
    }

    /// - Returns: Whether the transaction is now, or was already, the new owner's.
    private func take(_ new: Owner) -> Bool {
        owner.withLock { owner in
            switch (owner, new) {
            case (.nobody, _), (.chip, .chipAtTheHost): owner = new
            default: break
            }
            return owner == new
        }
    }

    /// Gives the transaction back if the card in the chip reader has not asked the host.
    private func release() {
        owner.withLock { owner in if owner == .chip { owner = .nobody } }
    }

    /// Ends the wait for everybody, the card in the chip reader too.
    ///
    /// - Returns: False if the chip has asked the host: then its end is to be awaited.
    private func close() -> Bool {
        owner.withLock { owner in
            if owner == .chipAtTheHost { return false }
            owner = .over
            return true
        }
    }

    private var isAtTheHost: Bool { owner.withLock { $0 == .chipAtTheHost } }
    private var isFree: Bool { owner.withLock { $0 == .nobody } }

    // MARK: The wait

    private func wait(_ authorize: @escaping Authorize) async -> End {
        let following = followChipEvents()
        var chipTask = startChip(authorize)
        var stripeTask: Task<Void, Never>? = startStripe()
        var wait = 0
        var timer = startTimer(wait, limits.card)
        var end: End?
        var misreads = 0
        var stripeIsBroken = false
        defer {
            following?.cancel()
            timer.cancel()
            tell.finish()
        }
        func restartTimer(_ limit: Duration) {
            timer.cancel()
            wait += 1
            timer = startTimer(wait, limit)
        }
        func resumeStripe() {
            if stripeTask == nil, !stripeIsBroken { stripeTask = startStripe() }
        }
        func finish(_ result: End) {
            end = result
            chipTask?.cancel()
            stripeTask?.cancel()
            restartTimer(limits.standDown)
        }
        for await happening in happenings {
            switch happening {
            case .chipEnded: chipTask = nil
            case .swiped: stripeTask = nil
            case .timeUp(let which) where which == wait && end != nil:
                chipTask = nil
                stripeTask = nil
            default: break
            }
            if end == nil {
                switch happening {
                case .chipCame:
                    guard isFree || isAtTheHost, isAtTheHost || take(.chip) else { break }
                    stripeTask?.cancel()
                    if isAtTheHost { timer.cancel() } else { restartTimer(limits.chip) }
                case .chipWent:
                    guard !isAtTheHost, !isFree else { break }
                    release()
                    restartTimer(limits.card)
                    resumeStripe()
                case .chipEnded(.failure(.noCardPresented)) where !isAtTheHost:
                    if !isFree { restartTimer(limits.card) }
                    release()
                    chipTask = startChip(authorize, after: Self.pause)
                    resumeStripe()
                case .chipEnded(.success(var outcome)):
                    // A second question to the host would be a second payment.
                    if isAtTheHost { outcome.fallback = nil }
                    finish(.chip(.success(outcome)))
                case .chipEnded(let result): finish(.chip(result))
                case .swiped(.success(let swipe)):
                    // The chip was first.
                    guard isFree else { break }
                    do throws(CaptureError) {
                        switch try judge.judge(swipe) {
                        case .failure(.chip):
                            prompt(["USE CHIP READER", CaptureOutcome.StripeFault.chip.description])
                            stripeTask = startStripe()
                        case .failure(.unreadable) where misreads < MagstripeReader.maximumSwipes - 1:
                            misreads += 1
                            prompt(["TRY AGAIN", "the stripe could not be read: swipe the card again"])
                            stripeTask = startStripe()
                        case .failure(let fault): if take(.over) { finish(.fault(fault)) }
                        case .success(let card): if take(.stripe) { finish(.stripe(card)) }
                        }
                    } catch {
                        if take(.over) { finish(.failed(error)) }
                    }
                case .swiped(.failure(let error)):
                    guard isFree else { break }
                    switch error {
                    case .cancelled, .noCardPresented, .severalCards, .cardRemoved: stripeTask = startStripe(after: Self.pause)
                    case _ where chip != nil:
                        stripeIsBroken = true
                        prompt(["INSERT CARD", "the stripe reader does not work"])
                    case .amountTooLong, .cardDataMissing, .swipeDecryption, .readerFailed: if take(.over) { finish(.failed(error)) }
                    }
                case .timeUp(let which):
                    let reason =
                        isFree ? CaptureError.noCardPresented : .readerFailed(.timedOut)
                    if which == wait, close() { finish(.failed(reason)) }
                case .cancelled:
                    // What the host knows of is brought to its end by whoever asked it.
                    if close() { finish(.failed(.cancelled)) } else { chipTask?.cancel() }
                }
            }
            if let end, chipTask == nil, stripeTask == nil { return end }
        }
        return end ?? .failed(.cancelled)
    }
}
