/// Decides which side of a reader has the transaction, the chip or the stripe: a state machine over values, without tasks and clocks.
///
/// The first card counts. A card in the chip reader may be taken out again until it has asked the host. The race is over when one side has won or no
/// card came, and both sides have stood down.
struct CardRace {
    enum End: Sendable {
        case chip(Result<CaptureOutcome, CaptureError>)
        case stripe(CapturedCard)
        /// A stripe that no payment is taken with.
        case fault(CaptureOutcome.StripeFault)
        case failed(CaptureError)
    }

    struct Limits: Sendable {
        /// For a card to come.
        let card: Duration
        /// For a chip that has come to ask the host, or to decide by itself.
        let chip: Duration
        let standDown: Duration
    }

    enum Event: Sendable {
        case chipCame
        case chipWent
        case chipEnded(Result<CaptureOutcome, CaptureError>)
        /// A swipe, and what it is worth.
        case swiped(Result<CapturedCard, CaptureOutcome.StripeFault>)
        /// The swipe cannot be opened or judged.
        case swipeFailed(CaptureError)
        case stripeReaderFailed(CaptureError)
        /// - Parameter timer: One that was replaced means nothing.
        case timeUp(timer: Int)
        case cancelled
    }

    enum Action: Equatable {
        case startChip(after: Duration)
        case startStripe(after: Duration)
        case stopChip
        case stopStripe
        /// In place of the timer before.
        case startTimer(Int, Duration)
        case stopTimer
        case prompt([String])
    }

    private enum Owner {
        case nobody
        /// A card is in the chip reader; it may still be taken out.
        case chip
        /// The chip has asked the host: the transaction is completed.
        case chipAtTheHost
        case stripe
        /// The wait has ended without a card: a card that comes now is too late.
        case over
    }

    private let limits: Limits
    private let hasChip: Bool
    private var owner = Owner.nobody
    private var chipIsWaiting = false
    private var stripeIsWaiting = false
    private var stripeIsBroken = false
    private var misreads = 0
    private var timer = 0
    private var result: End?

    /// Before a reader that gave up by itself is started again.
    private static let pause = Duration.milliseconds(100)

    init(hasChip: Bool, limits: Limits) {
        self.hasChip = hasChip
        self.limits = limits
    }

    /// How the race ended; nil until both sides have stopped, or their time for that is over.
    var end: End? { chipIsWaiting || stripeIsWaiting ? nil : result }

    mutating func start() -> [Action] { (hasChip ? [startChip()] : []) + [startStripe(), startTimer(limits.card)] }

    /// Has the chip take the transaction before it asks the host, so that no card is charged beside another.
    ///
    /// - Returns: False for a chip that is too late.
    mutating func takeForHost() -> Bool {
        guard owner == .nobody || owner == .chip || owner == .chipAtTheHost else { return false }
        owner = .chipAtTheHost
        return true
    }

    mutating func take(_ event: Event) -> [Action] {
        switch event {
        case .chipEnded: chipIsWaiting = false
        case .swiped, .swipeFailed, .stripeReaderFailed: stripeIsWaiting = false
        case .timeUp(let which) where which == timer && result != nil:
            chipIsWaiting = false
            stripeIsWaiting = false
        case .timeUp, .chipCame, .chipWent, .cancelled: break
        }
        guard result == nil else { return [] }
        switch event {
        case .chipCame: return chipCame()
        case .chipWent: return chipWent()
        case .chipEnded(let result): return chipEnded(result)
        case .swiped(let swipe): return owner == .nobody ? swiped(swipe) : []
        case .swipeFailed(let error): return owner == .nobody ? finish(.failed(error)) : []
        case .stripeReaderFailed(let error): return owner == .nobody ? stripeReaderFailed(error) : []
        case .timeUp(let which): return which == timer ? timeUp() : []
        case .cancelled:
            // The chip that has asked the host brings the transaction to its end.
            return owner == .chipAtTheHost ? [.stopChip] : finish(.failed(.cancelled))
        }
    }

    // MARK: The chip

    private mutating func chipCame() -> [Action] {
        switch owner {
        case .nobody:
            owner = .chip
            return stopStripe() + [startTimer(limits.chip)]
        case .chipAtTheHost: return stopStripe() + [.stopTimer]
        case .chip, .stripe, .over: return []
        }
    }

    private mutating func chipWent() -> [Action] {
        guard owner == .chip else { return [] }
        owner = .nobody
        return [startTimer(limits.card)] + resumeStripe()
    }

    private mutating func chipEnded(_ result: Result<CaptureOutcome, CaptureError>) -> [Action] {
        switch result {
        case .failure(.noCardPresented) where owner != .chipAtTheHost:
            let timer = owner == .chip ? [startTimer(limits.card)] : []
            owner = .nobody
            return timer + [startChip(after: Self.pause)] + resumeStripe()
        case .success(var outcome):
            // A second question to the host would be a second payment.
            if owner == .chipAtTheHost { outcome.fallback = nil }
            return finish(.chip(.success(outcome)))
        case .failure: return finish(.chip(result))
        }
    }

    // MARK: The stripe

    private mutating func swiped(_ swipe: Result<CapturedCard, CaptureOutcome.StripeFault>) -> [Action] {
        switch swipe {
        case .failure(.chip):
            return [.prompt(["USE CHIP READER", CaptureOutcome.StripeFault.chip.description]), startStripe()]
        case .failure(.unreadable) where misreads < MagstripeReader.maximumSwipes - 1:
            misreads += 1
            return [.prompt(["TRY AGAIN", "the stripe could not be read: swipe the card again"]), startStripe()]
        case .failure(let fault): return finish(.fault(fault))
        case .success(let card):
            owner = .stripe
            return finish(.stripe(card))
        }
    }

    private mutating func stripeReaderFailed(_ error: CaptureError) -> [Action] {
        switch error {
        case .cancelled, .noCardPresented, .severalCards, .cardRemoved: return [startStripe(after: Self.pause)]
        case _ where hasChip:
            stripeIsBroken = true
            return [.prompt(["INSERT CARD", "the stripe reader does not work"])]
        case .amountTooLong, .cardDataMissing, .swipeDecryption, .readerFailed: return finish(.failed(error))
        }
    }

    private mutating func resumeStripe() -> [Action] { stripeIsWaiting || stripeIsBroken ? [] : [startStripe()] }

    // MARK: The end

    private mutating func timeUp() -> [Action] {
        switch owner {
        case .chipAtTheHost: []
        case .nobody: finish(.failed(.noCardPresented))
        case .chip, .stripe, .over: finish(.failed(.readerTimedOut))
        }
    }

    /// Ends the race for both sides, also for the card in the chip reader.
    private mutating func finish(_ end: End) -> [Action] {
        result = end
        if owner != .stripe, owner != .chipAtTheHost { owner = .over }
        return (chipIsWaiting ? [.stopChip] : []) + stopStripe() + [startTimer(limits.standDown)]
    }

    // MARK: Actions

    private mutating func startChip(after pause: Duration = .zero) -> Action {
        chipIsWaiting = true
        return .startChip(after: pause)
    }

    private mutating func startStripe(after pause: Duration = .zero) -> Action {
        stripeIsWaiting = true
        return .startStripe(after: pause)
    }

    private func stopStripe() -> [Action] { stripeIsWaiting ? [.stopStripe] : [] }

    private mutating func startTimer(_ limit: Duration) -> Action {
        timer += 1
        return .startTimer(timer, limit)
    }
}
