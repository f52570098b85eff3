internal import CardCapture
internal import PaymentTerminal

/// What the caller of the terminal knows, and what was seen on the way.
final class Shop {
    /// One attempt at a wish.
    enum Reply {
        case response(PaymentResponse)
        case error(TerminalError.Code)
        /// The process ended before the caller had an answer.
        case nothing
    }

    struct Running {
        let number: Int
        let orderID: OrderID
        let start: Int64
        let readsCard: Bool
        /// Whether the host was asked about its order in this operation.
        var hasAsked = false
        /// Whether its payment may have left: the host's port did not say that nothing did.
        var mayHaveLeft = false
        /// The issuer declined, and the terminal was there to hear it.
        var isDeclined = false
        /// A signature was asked for, and not given, or not found genuine.
        var isUnsigned = false
    }

    var running: [Running] = []
    var replies: [Int: [Reply]] = [:]
    /// The outcome that the shop knows last of an order, events included.
    var known: [OrderID: PaymentResponse.Outcome] = [:]
    /// The sums of the approvals that were told of an order, events included, since its reversal
    /// was asked for last.
    var sums: [OrderID: Set<Int64>] = [:]
    /// Orders that were answered approved once, and those whose reversal was asked for.
    var approved: Set<OrderID> = []
    var undone: Set<OrderID> = []
    /// What refunds and captures were said to be about, by wish.
    var originals: [Int: String] = [:]
    var references: [OrderID: String] = [:]
    /// What the journal has acknowledged.
    var stages: [OrderID: JournalEntry.Stage] = [:]
    /// What it was given since, and did not acknowledge: that may be lasting, or not.
    var written: [OrderID: Set<JournalEntry.Stage>] = [:]
    /// Orders that the journal had with an outcome.
    private(set) var concluded: Set<OrderID> = []
    /// Outcomes that the journal is given; it may have them or not when the process dies.
    private var writing: [OrderID: PaymentResponse.Outcome] = [:]
    /// The outcome that the shop was told last of an order.
    private var lastTold: [OrderID: PaymentResponse.Outcome] = [:]
    /// What the journal has of an order, with or without an outcome, as far as it has acknowledged
    /// that. After a death only those of whom every write was acknowledged.
    private var acknowledged: [OrderID: PaymentResponse.Outcome?] = [:]
    /// Outcomes that the journal has, and that no event has reported yet.
    private var unreported: [OrderID: PaymentResponse.Outcome] = [:]
    var lastEvent: [OrderID: String] = [:]
    /// Orders whose host is silent about them.
    var silenced: Set<OrderID> = []
    /// Orders of which nobody can claim anything: their entry was damaged.
    var lost: Set<OrderID> = []
    var disturbed: Set<OrderID> = []
    /// Orders whose host may refuse to tell or to undo what it did.
    var mayStayUnknown: Set<OrderID> = []
    /// Orders that the merchant has taken back without the terminal.
    var voided: Set<OrderID> = []
    /// Orders whose chip has asked, and has not ended since.
    var awaitingCard: Set<OrderID> = []
    /// Payments that the journal has to send later.
    private var stored: [OrderID: Money] = [:]
    /// What the host has told this process last of an order.
    private var told: [OrderID: OrderStatus] = [:]
    /// What the card said last of an order, where it came to that.
    var cardsWord: [OrderID: CaptureOutcome.Decision] = [:]
    var captures = 0
    var lastCapture: [OrderID: Int] = [:]
    /// The tokens that it was told, by merchant reference.
    var tokens: [String: SecureCardReference] = [:]
    /// Those that sales were made with, by wish.
    var tokensOfSales: [Int: SecureCardReference?] = [:]
    /// What sales were to register their cards as, by wish.
    var registrations: [Int: SecureCard?] = [:]
    /// The order of the wish that began last.
    private(set) var latest: OrderID?
    /// Orders of others that a journal with a gap has from the host's list, and of which it knew
    /// nothing.
    var takenIn: Set<OrderID> = []
    /// What the shop wants last with each order.
    var kinds: [OrderID: Wish.Kind] = [:]
    var ownTime: [OrderID: Int64] = [:]
    private var questions: [Int: (order: OrderID?, start: Int64)] = [:]
    private var questionNumber = 0
    /// The order of the wish that a task is at work on.
    @TaskLocal static var order: OrderID?
    /// Those of orders that have an entry, and those whose order has none yet.
    private var counters: Set<UInt32> = []
    private var countersWithoutEntry: [OrderID: UInt32] = [:]
    /// The journal was put back to an earlier state, and has not been looked at since.
    var isRestored = false
    /// It was put back once.
    var wasRestored = false
    /// Orders of which a restored journal need not know how they ended.
    var forgotten: Set<OrderID> = []
    var cancelled: Set<Int> = []

    /// The records of torn taps that the journal has for sure; nil if a write of them has not
    /// ended.
    var torn: [UInt8]? = []

    func checkTorn(_ known: [UInt8], _ world: World) {
        // A journal with a gap drops them.
        guard let torn, torn != known, !wasRestored, !world.isRotten, lost.isEmpty else { return }
        world.violated(.entryLost, "the records of torn taps are not those that were kept last")
    }

    /// What the order has waited for a person.
    func spentWithPeople(_ time: Int64) {
        for run in running { ownTime[run.orderID, default: 0] += time }
    }

    // MARK: The journal

    func writes(_ entry: JournalEntry, _ world: World) {
        if stages[entry.orderID] == nil, entry.stage == .finished, world.host.foreign[entry.orderID] != nil {
            takenIn.insert(entry.orderID)
        }
        written[entry.orderID, default: []].insert(entry.stage)
        if stages[entry.orderID] == nil { acknowledged[entry.orderID] = .some(nil) }
        // Whoever gives it up knows that, whether the journal takes it or not.
        if !Self.isStored(entry) { stored[entry.orderID] = nil }
        // A try that follows one whose outcome was not written has none yet.
        writing[entry.orderID] = entry.response.flatMap { $0.outcome == known[entry.orderID] ? nil : $0.outcome }
    }

    func wrote(_ entry: JournalEntry, _ durability: JournalDurability, _ world: World) {
        let before = stages[entry.orderID]?.rawValue ?? "none"
        let event = lastEvent[entry.orderID] ?? "start"
        world.marks.transitions["\(before) -- \(event) -> \(entry.stage.rawValue)", default: 0] += 1
        stages[entry.orderID] = entry.stage
        written[entry.orderID] = []
        acknowledged[entry.orderID] = .some(entry.response?.outcome)
        if let outcome = writing.removeValue(forKey: entry.orderID) {
            unreported[entry.orderID] = outcome
        } else if entry.response != nil {
            // What the shop knows already is written again.
            unreported[entry.orderID] = nil
        }
        if entry.response != nil {
            concluded.insert(entry.orderID)
        } else if concluded.contains(entry.orderID), !wasRestored, !world.isRotten, !lost.contains(entry.orderID) {
            world.violated(.outcomeForgotten, "\(entry.orderID) had an outcome, and is \(entry.stage) now")
        }
        if Self.isStored(entry) { stored[entry.orderID] = entry.amount }
        if entry.stage == .finished, entry.response?.outcome == .unknown { checkToldOutcome(entry.orderID, world) }
        if durability == .lasting { keepCounter(entry.orderID, world) }
        lastEvent[entry.orderID] = "next"
        world.note("journal: \(entry.orderID) \(entry.stage)\(entry.response.map { ", \($0.outcome)" } ?? "")")
    }

    func journalFailed(_ order: OrderID, _ isCancelled: Bool, _ world: World) {
        let excuses: [Fault] = [
            .readFails, .writeFails, .writeShort, .diskFull, .syncLost, .damagedRow, .restore, .powerCut,
            .storedUnflushed,
        ]
        guard !excuses.contains(where: { world.swarm.exists($0) }), !world.isRotten else { return }
        world.violated(
            isCancelled ? .cancelBrokeJournal : .journalFailedWithoutFault,
            "a write of \(order) failed, and the disk did not")
    }

    /// A counter counts from the moment when its order has an entry: before that no host has seen
    /// it.
    func tookCounter(_ counter: UInt32) {
        guard let order = Self.order else { return }
        countersWithoutEntry[order] = counter
    }

    private func keepCounter(_ order: OrderID, _ world: World) {
        guard let counter = countersWithoutEntry.removeValue(forKey: order) else { return }
        guard !counters.insert(counter).inserted, !wasRestored || world.keepsMark, !world.isRotten else { return }
        world.violated(.counterRepeated, "counter \(counter) came twice")
    }

    /// No order ends as unknown after its host has told the outcome.
    private func checkToldOutcome(_ order: OrderID, _ world: World) {
        guard let status = told[order], !mayBeAnother(order, world) else { return }
        let word: String
        switch status {
        case .notSeen: return
        case .pending: word = "pending"
        case .decided(let answer): word = "decided, \(answer.issuer.responseCode)"
        case .reversed: word = "reversed"
        }
        world.violated(.unknownThoughTold, "\(order) ends as unknown, and the host had said: \(word)")
    }

    /// Whether the host's order need not be the terminal's own, for all that the terminal can see.
    private func mayBeAnother(_ order: OrderID, _ world: World) -> Bool {
        world.host.foreign[order] != nil || wasRestored || world.isRotten || lost.contains(order)
            || [.clockJump, .clockByYears, .foreignOrder, .otherTerminal].contains { world.swarm.exists($0) }
    }

    private static func isStored(_ entry: JournalEntry) -> Bool {
        entry.stage == .owing && entry.response?.outcome == .storedOffline
    }

    /// What the policy allows at most waits for the host.
    private func checkStored(_ response: PaymentResponse, _ world: World) {
        guard running.isEmpty, !wasRestored, !world.isRotten, lost.isEmpty, let amount = response.authorizedAmount
        else { return }
        let others = stored.filter { $0.key != response.orderID }.values
        guard !world.offline.allows(amount, beside: others) else { return }
        world.violated(.storedBeyondPolicy, "\(response.orderID) of \(amount) is stored beside \(others.count) others")
    }

    // MARK: The host

    func hostTold(_ order: OrderID, _ status: OrderStatus?) { told[order] = status }

    func aboutToAsk(_ order: OrderID, isDeferred: Bool, _ world: World) {
        if !isDeferred, let place = running.firstIndex(where: { $0.orderID == order }) {
            if running[place].hasAsked { world.violated(.askedTwice, "\(order)") }
            running[place].hasAsked = true
        }
        // A question that was about to leave when its operation ended: its outcome is unknown, and
        // the reversal is due.
        guard !isDeferred, !running.contains(where: { $0.orderID == order }), known[order] != .unknown else { return }
        world.violated(.askedAfterEnd, "the host is asked for \(order), whose operation has ended")
    }

    func leaves(_ order: OrderID) { change(order) { $0.mayHaveLeft = true } }

    /// - Parameter answer: What the host's port gave; nil for a call whose caller was gone.
    func cameBack(_ order: OrderID, _ answer: Result<AuthorizationResponse, HostError>?) {
        switch answer {
        case .failure(let error) where error.code == .failed(.unreachable): change(order) { $0.mayHaveLeft = false }
        case .success(let response) where response.issuer.responseCode == "05": change(order) { $0.isDeclined = true }
        case .success, .failure, nil: break
        }
    }

    /// The terminal undoes the payment; where the host refuses that, it stands, and the shop is
    /// told so.
    func undoes(_ order: OrderID) { change(order) { $0.isUnsigned = false } }

    /// The reader got the first answer for its card.
    func heard(_ answer: IssuerAnswer, of order: OrderID, _ world: World) {
        guard !Task.isCancelled, let run = running.first(where: { $0.orderID == order }), run.isDeclined else { return }
        if case .unreachable = answer {
            world.violated(.declineLost, "the card of \(order) was not told that its issuer declined")
        }
    }

    /// The one at the reader, if there is one alone.
    func signs(_ isSigned: Bool) {
        let atReader = running.filter(\.readsCard)
        guard atReader.count == 1 else { return }
        change(atReader[0].orderID) { $0.isUnsigned = !isSigned }
    }

    private func change(_ order: OrderID, _ change: (inout Running) -> Void) {
        guard let place = running.firstIndex(where: { $0.orderID == order }) else { return }
        change(&running[place])
    }

    func arrived(_ order: OrderID, isDeferred: Bool, _ world: World) {
        let stage = stages[order]
        guard stage == nil || stage == .begun, !wasRestored, !world.isRotten else { return }
        world.violated(
            .askedWithoutEntry, "the host is asked for \(order), and its entry says \(stage?.rawValue ?? "nothing")")
    }

    /// The one at the reader is the order whose operation began first and reads a card.
    func spentAtReader(_ time: Int64) {
        guard let order = running.first(where: \.readsCard)?.orderID else { return }
        ownTime[order, default: 0] += time
    }

    /// A question to the host begins.
    ///
    /// - Parameter order: Nil for something that is asked for whoever is at work.
    /// - Returns: For ``ended(_:_:)``.
    func asks(_ order: OrderID?, _ world: World) -> Int {
        questionNumber += 1
        questions[questionNumber] = (order, world.now)
        return questionNumber
    }

    func ended(_ question: Int, _ world: World) {
        guard let (order, start) = questions.removeValue(forKey: question) else { return }
        for own in order.map({ [$0] }) ?? running.map(\.orderID) { ownTime[own, default: 0] += world.now - start }
    }

    /// What the order has waited for its own questions; one that its operation has given up may
    /// still be under way.
    private func waited(_ order: OrderID, _ world: World) -> Int64 {
        questions.values.filter { $0.order == nil || $0.order == order }.reduce(ownTime[order] ?? 0) {
            $0 + world.now - $1.start
        }
    }

    // MARK: Answers

    func starts(_ wish: Wish, _ world: World) {
        running.append(Running(number: wish.number, orderID: wish.orderID, start: world.now, readsCard: wish.readsCard))
        ownTime[wish.orderID] = 0
        kinds[wish.orderID] = wish.kind
        if wish.reusesKey { world.struck(.keyReused, wish.orderID) }
        latest = wish.orderID
        if wish.kind == .reversal {
            undone.insert(wish.orderID)
            known[wish.orderID] = nil
            sums[wish.orderID] = nil
        }
        disturbed.remove(wish.orderID)
        world.note(
            "wish \(wish.number): \(wish.kind.rawValue) \(wish.orderID) \(wish.amount)\(wish.key.map { " key \($0)" } ?? "")"
        )
    }

    func tell(_ wish: Wish, _ reply: Reply, _ world: World) {
        guard let place = running.firstIndex(where: { $0.number == wish.number }) else { return }
        let run = running.remove(at: place)
        let earlier = replies[wish.number] ?? []
        replies[wish.number, default: []].append(reply)
        switch reply {
        case .nothing: break
        case .error(let code):
            world.note("wish \(wish.number) answered: error \(code)")
            world.marks.outcomes["\(wish.kind.rawValue): error \(code)", default: 0] += 1
            if wish.kind == .reversal { known[wish.orderID] = nil }
            let wasAnswered = earlier.contains { if case .response = $0 { true } else { false } }
            if wasAnswered, wish.key != nil, !forgotten.contains(wish.orderID), !world.isRotten,
                code == .refused(.orderAlreadyProcessed) || code == .idempotencyConflict
            {
                world.violated(.keyAnsweredTwice, "\(wish.orderID) had an answer, and its key is now refused: \(code)")
            }
        case .response(let response):
            world.note("wish \(wish.number) answered: \(response.outcome), reversal \(response.reversal)")
            world.marks.outcomes["\(wish.kind.rawValue): \(Self.summary(response.outcome))", default: 0] += 1
            if response.orderID != wish.orderID {
                world.violated(.answerOfAnother, "\(wish.orderID) is answered with \(response.orderID)")
            }
            if response.outcome == .storedOffline { checkStored(response, world) }
            if let reference = response.uniqueReference { references[wish.orderID] = reference }
            if wish.forcesOnline, response.outcome == .storedOffline {
                world.violated(.storedThoughForcedOnline, "\(wish.orderID) had to be authorized by the host")
            }
            // What a journal has from the host's list stands as the host has it: nobody knows what
            // the caller was told before.
            if response.isApproved, wish.kind != .reversal, let sum = response.authorizedAmount,
                !mayStayUnknown.contains(wish.orderID),
                !wasRestored, sum.minorUnits > wish.amount.minorUnits
            {
                world.violated(.moreThanAsked, "\(wish.orderID) is told as approved for \(sum)")
            }
            if response.outcome == .storedOffline, world.hasExceptions, let card = response.card?.maskedPAN,
                [Cards.keyedNumber, Cards.stripeNumber].contains(where: { card.hasSuffix($0.suffix(4)) })
            {
                world.violated(.storedThoughListed, "\(wish.orderID) is of a card on the exception file")
            }
            // A chip may approve alone what the host has not answered; nothing else may be sent a
            // second time.
            if response.outcome == .storedOffline, run.mayHaveLeft,
                response.entryMode.map({ ![.chip, .contactlessChip].contains($0) }) ?? true
            {
                world.violated(.storedThoughSent, "\(wish.orderID)")
            }
            if run.isUnsigned, response.isApproved || response.outcome == .storedOffline {
                world.violated(.approvedUnsigned, "\(wish.orderID)")
            }
            if let token = response.secureCardReference, !world.host.vault.has(token: token) {
                world.violated(.secureCardLie, "\(wish.orderID) is told a token that the host does not have")
            }
            let isReplay = earlier.contains { if case .response = $0 { true } else { false } }
            lastTold[wish.orderID] = response.outcome
            if wish.kind == .reversal { known[wish.orderID] = response.outcome } else { learn(response, world) }
            let wait = world.now - run.start - waited(wish.orderID, world)
            if response.isApproved, wish.kind != .reversal, !isReplay, !disturbed.contains(wish.orderID),
                wait > 2_000_000_000
            {
                world.violated(
                    .waitedForOthers, "\(wish.orderID) waited \(wait / 1_000_000) ms for what was not its own")
            }
        }
    }

    func cleared(_ response: PaymentResponse, _ world: World) {
        world.note("cleared: \(response.orderID) \(response.outcome)")
        learn(response, world)
    }

    /// Whether the journal has not acknowledged what it was given last of an order at rest.
    func isUnwritten(_ order: OrderID) -> Bool {
        !(written[order] ?? []).isEmpty && !running.contains { $0.orderID == order }
    }

    /// Nothing is told that only the memory of the process has.
    func asked(_ response: PaymentResponse, _ world: World) {
        let (order, outcome) = (response.orderID, response.outcome)
        world.note("asked: \(order) \(outcome)")
        if let has = acknowledged[order], outcome != has, outcome != lastTold[order], !wasRestored, !world.isRotten {
            world.violated(.toldUnwritten, "\(order) is told as \(outcome), and the journal could not take that")
        }
        learn(response, world)
    }

    private func learn(_ response: PaymentResponse, _ world: World) {
        let (order, outcome) = (response.orderID, response.outcome)
        if approved.contains(order), !undone.contains(order), !Self.isApproved(outcome), !lost.contains(order),
            !forgotten.contains(order),
            !world.isRotten, !voided.contains(order)
        {
            world.violated(.keyAnsweredTwice, "\(order) was answered approved, and now \(outcome)")
        }
        if Self.isApproved(outcome) {
            approved.insert(order)
            sums[order, default: []].insert(response.authorizedAmount?.minorUnits ?? 0)
        }
        known[order] = outcome
        lastTold[order] = outcome
        unreported[order] = nil
    }

    func processDied() {
        for run in running { replies[run.number, default: []].append(.nothing) }
        for run in running { lastEvent[run.orderID] = "death" }
        // No event comes twice: after a death a till asks the journal.
        for (order, outcome) in unreported { known[order] = outcome }
        for order in writing.keys { known[order] = nil }
        for run in running where undone.contains(run.orderID) { known[run.orderID] = nil }
        unreported = [:]
        writing = [:]
        acknowledged = acknowledged.filter { written[$0.key]?.isEmpty ?? true }
        told = [:]
        running = []
        questions = [:]
        // They are free again: the next life may give them out.
        countersWithoutEntry = [:]
    }

    static func isApproved(_ outcome: PaymentResponse.Outcome) -> Bool {
        outcome == .approved || outcome == .partiallyApproved
    }

    static func summary(_ outcome: PaymentResponse.Outcome) -> String {
        switch outcome {
        case .approved: "approved"
        case .partiallyApproved: "partially approved"
        case .declined: "declined"
        case .reversed(let reason): "reversed, \(reason.rawValue)"
        case .storedOffline: "stored offline"
        case .unknown: "unknown"
        }
    }
}
