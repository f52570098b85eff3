import Contactless

/// Decides which interface of a reader gets the transaction: contacts, field or stripe. It is a
/// state machine over values, without tasks and clocks.
///
/// The first card wins. A card in the chip reader may be removed until it has asked the host. A tap
/// that asks for the contacts leaves the transaction to the other interfaces. The race is over when
/// one interface has won or no card came, and all interfaces have stopped.
struct CardRace {
    typealias ChipInterface = ReaderEvent.CardInterface

    enum End: Sendable {
        case chip(Result<CaptureOutcome, CaptureError>)
        case stripe(CapturedCard)
        /// A stripe that cannot be used for a payment.
        case fault(CaptureOutcome.MagstripeFault)
        case failed(CaptureError)
    }

    struct Limits: Sendable {
        /// Until a card is presented.
        let card: Duration
        /// From the card's arrival until its chip asks the host or decides offline.
        let chip: Duration
        let standDown: Duration
    }

    enum Event: Sendable {
        case chipCame(ChipInterface)
        case chipWent(ChipInterface)
        case chipEnded(ChipInterface, Result<CaptureOutcome, CaptureError>)
        /// A swipe, with its card or the reason why it cannot be used.
        case swiped(Result<CapturedCard, CaptureOutcome.MagstripeFault>)
        /// The swipe cannot be decrypted or evaluated.
        case swipeFailed(CaptureError)
        case stripeReaderFailed(CaptureError)
        /// - Parameter timer: A timer that was replaced is ignored.
        case timeUp(timer: Int)
        case cancelled
    }

    enum Action: Equatable {
        case startChip(ChipInterface, after: Duration)
        case startStripe(after: Duration)
        case stopChip(ChipInterface)
        case stopStripe
        /// Replaces the previous timer.
        case startTimer(Int, Duration)
        case stopTimer
        case ask(CardholderRequest)
    }

    private enum Owner: Equatable {
        case none
        /// A card is at this interface; one in the contacts may still be removed.
        case chip(ChipInterface)
        /// The chip has asked the host: the transaction is completed.
        case chipAtTheHost(ChipInterface)
        case stripe
        /// The wait has ended without a card: a later card is ignored.
        case over
    }

    /// An interface of the reader.
    private struct Side {
        var isWaiting = false
        /// It was stopped for a card at another interface.
        var wasStopped = false
        /// It failed, or the tap asked for another interface: it is not started again.
        var isOut = false
    }

    private let limits: Limits
    private var owner = Owner.none
    private var contacts: Side?
    private var field: Side?
    private var stripe: Side?
    private var misreads = 0
    private var timer = 0
    private var result: End?
    /// Of the last card that was read; nil if none told its language.
    private var language: MessageLanguage?

    /// Before a reader that stopped by itself is started again.
    private static let pause = Duration.milliseconds(100)

    /// - Parameter language: Of a card that was read before.
    init(chips: Set<ChipInterface>, hasStripe: Bool, limits: Limits, language: MessageLanguage? = nil) {
        self.language = language
        contacts = chips.contains(.contact) ? Side() : nil
        field = chips.contains(.contactless) ? Side() : nil
        stripe = hasStripe ? Side() : nil
        self.limits = limits
    }

    /// How the race ended; nil until all interfaces have stopped, or their time for that is over.
    var end: End? { [contacts, field, stripe].contains { $0?.isWaiting == true } ? nil : result }

    mutating func start() -> [Action] { startOthers() + [startTimer(limits.card)] }

    /// Assigns the transaction to the chip before it asks the host, so that only one card is
    /// charged.
    ///
    /// - Returns: False if another interface has the transaction, or the race is over.
    mutating func takeForHost(_ interface: ChipInterface) -> Bool {
        guard owner == .none || owner == .chip(interface) || owner == .chipAtTheHost(interface) else { return false }
        owner = .chipAtTheHost(interface)
        return true
    }

    mutating func take(_ event: Event) -> [Action] {
        switch event {
        case .chipEnded(let interface, _): self[interface]?.isWaiting = false
        case .swiped, .swipeFailed, .stripeReaderFailed: stripe?.isWaiting = false
        case .timeUp(let which) where which == timer && result != nil:
            contacts?.isWaiting = false
            field?.isWaiting = false
            stripe?.isWaiting = false
        case .timeUp, .chipCame, .chipWent, .cancelled: break
        }
        guard result == nil else { return [] }
        switch event {
        case .chipCame(let interface): return chipCame(interface)
        case .chipWent(let interface): return chipWent(interface)
        case .chipEnded(let interface, let result): return mayHave(interface) ? chipEnded(interface, result) : []
        case .swiped(let swipe): return owner == .none ? swiped(swipe) : []
        case .swipeFailed(let error): return owner == .none ? finish(.failed(error)) : []
        case .stripeReaderFailed(let error): return owner == .none ? stripeReaderFailed(error) : []
        case .timeUp(let which): return which == timer ? timeUp() : []
        case .cancelled:
            // The chip that has asked the host completes the transaction.
            if case .chipAtTheHost(let interface) = owner { return [.stopChip(interface)] }
            return finish(.failed(.cancelled))
        }
    }

    private subscript(_ interface: ChipInterface) -> Side? {
        get { interface == .contact ? contacts : field }
        set { if interface == .contact { contacts = newValue } else { field = newValue } }
    }

    /// Whether no other interface has the transaction.
    private func mayHave(_ interface: ChipInterface) -> Bool {
        owner == .none || owner == .chip(interface) || owner == .chipAtTheHost(interface)
    }

    // MARK: The chip

    private mutating func chipCame(_ interface: ChipInterface) -> [Action] {
        // A card that stays in the field after its tap was sent to the contacts has no part in the
        // race.
        guard self[interface]?.isWaiting == true else { return [] }
        switch owner {
        case .none:
            owner = .chip(interface)
            return stopOthers(than: interface) + [startTimer(limits.chip)]
        case .chipAtTheHost(interface): return stopOthers(than: interface) + [.stopTimer]
        case .chip, .chipAtTheHost, .stripe, .over: return []
        }
    }

    private mutating func chipWent(_ interface: ChipInterface) -> [Action] {
        guard owner == .chip(interface) else { return [] }
        owner = .none
        return [startTimer(limits.card)] + startOthers()
    }

    private mutating func chipEnded(_ interface: ChipInterface, _ result: Result<CaptureOutcome, CaptureError>)
        -> [Action]
    {
        switch result {
        case .failure(.noCardPresented) where owner != .chipAtTheHost(interface),
            .failure(.cardNotRemoved) where owner == .none && hasOthers(than: interface):
            let timer = owner == .none ? [] : [startTimer(limits.card)]
            owner = .none
            return timer + [startChip(interface, after: Self.pause)] + startOthers()
        case .failure(.readerFailed) where interface == .contactless && owner == .none && hasOthers(than: interface):
            self[interface]?.isOut = true
            return [ask(instruction, .fieldFails)]
        case .failure where owner == .none && self[interface]?.wasStopped == true:
            // The card at the other interface was removed again.
            return [startChip(interface, after: Self.pause)]
        case .success(var outcome):
            language = outcome.language ?? language
            outcome.language = language
            if outcome.asksForContacts, owner != .chipAtTheHost(interface), hasOthers(than: interface) {
                self[interface]?.isOut = true
                owner = .none
                return [ask(instruction, .notByTap)] + startOthers() + [startTimer(limits.card)]
            }
            // A second question to the host would be a second payment.
            if owner == .chipAtTheHost(interface) { outcome.fallback = nil }
            return finish(.chip(.success(outcome)))
        case .failure: return finish(.chip(result))
        }
    }

    /// What the cardholder can still do with the card.
    private var instruction: ReaderEvent.Instruction {
        let rest: ReaderCapabilities = [
            contacts?.isOut == false ? .contactChip : [], field?.isOut == false ? .contactlessChip : [],
            stripe?.isOut == false ? .magneticStripe : [],
        ]
        return rest.invitation ?? .swipeCard
    }

    private func ask(_ instruction: ReaderEvent.Instruction, _ reason: CardholderRequest.Reason) -> Action {
        .ask(CardholderRequest(instruction: instruction, reason: reason, language: language))
    }

    // MARK: The stripe

    private mutating func swiped(_ swipe: Result<CapturedCard, CaptureOutcome.MagstripeFault>) -> [Action] {
        switch swipe {
        case .failure(.chip):
            return [ask(.insertSwipedCard, .stripeOfChip), startStripe()]
        case .failure(.unreadable) where misreads < MagstripeReader.maximumSwipes - 1:
            misreads += 1
            return [ask(.swipeAgain, .stripeUnreadable), startStripe()]
        case .failure(let fault): return finish(.fault(fault))
        case .success(let card):
            owner = .stripe
            return finish(.stripe(card))
        }
    }

    private mutating func stripeReaderFailed(_ error: CaptureError) -> [Action] {
        switch error {
        case .cancelled, .noCardPresented, .severalCards, .cardRemoved, .cardNotRemoved:
            return [startStripe(after: Self.pause)]
        case _ where contacts?.isOut == false || field?.isOut == false:
            stripe?.isOut = true
            return [ask(instruction, .stripeReaderFails)]
        case .amountTooLong, .cardDataMissing, .swipeDecryption, .memoryFailed, .readerFailed:
            return finish(.failed(error))
        }
    }

    // MARK: The end

    private mutating func timeUp() -> [Action] {
        switch owner {
        case .chipAtTheHost: []
        case .none: finish(.failed(.noCardPresented))
        case .chip, .stripe, .over: finish(.failed(.readerTimedOut))
        }
    }

    /// Ends the race for all interfaces, including the card in the chip reader.
    private mutating func finish(_ end: End) -> [Action] {
        result = end
        switch owner {
        case .none, .chip: owner = .over
        case .chipAtTheHost, .stripe, .over: break
        }
        return stopAll() + [startTimer(limits.standDown)]
    }

    // MARK: Actions

    /// Whether another interface can still have a card.
    private func hasOthers(than interface: ChipInterface) -> Bool {
        let others = [interface == .contact ? nil : contacts, interface == .contactless ? nil : field, stripe]
        return others.contains { $0?.isOut == false }
    }

    /// Starts the interfaces that can have a card and do not wait for one.
    private mutating func startOthers() -> [Action] {
        var actions: [Action] = []
        for interface in [ChipInterface.contact, .contactless] {
            if let side = self[interface], !side.isWaiting, !side.isOut { actions.append(startChip(interface)) }
        }
        if let stripe, !stripe.isWaiting, !stripe.isOut { actions.append(startStripe()) }
        return actions
    }

    private mutating func startChip(_ interface: ChipInterface, after pause: Duration = .zero) -> Action {
        self[interface] = Side(isWaiting: true)
        return .startChip(interface, after: pause)
    }

    private mutating func startStripe(after pause: Duration = .zero) -> Action {
        stripe?.isWaiting = true
        return .startStripe(after: pause)
    }

    private mutating func stopOthers(than interface: ChipInterface) -> [Action] {
        let other = interface == .contact ? ChipInterface.contactless : .contact
        self[other]?.wasStopped = true
        return stopAll().filter { $0 != .stopChip(interface) }
    }

    private func stopAll() -> [Action] {
        [ChipInterface.contact, .contactless].filter { self[$0]?.isWaiting == true }.map { .stopChip($0) }
            + (stripe?.isWaiting == true ? [.stopStripe] : [])
    }

    private mutating func startTimer(_ limit: Duration) -> Action {
        timer += 1
        return .startTimer(timer, limit)
    }
}
