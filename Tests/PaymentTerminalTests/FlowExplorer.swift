import CardCapture
import EMVKernel

@testable import PaymentTerminal

/// Every course that one order's operation can take: all states that its flow, its reader, its
/// caller and the host can be in together, breadth first, equal states merged, until there are no
/// new ones.
///
/// Each effect is done, fails, or is still under way when the next thing happens. The host's books
/// are kept beside the flow, so that what the caller is told can be compared with them.
struct FlowExplorer {
    /// What the flow, and those around it, are at in one moment.
    struct World {
        var flow: OrderFlow
        var reader: Side
        var caller: Side
        var host = Host()
        /// The card's last word; nil if the reader gave none.
        var card: CaptureOutcome.Decision?
        var isSigned: Bool?
    }

    /// One of the two tasks that give the flow events.
    enum Side {
        /// It may begin something.
        case free
        case doing(OrderFlow.Effect)
        /// It gives the event again, as soon as nothing is being written.
        case waiting(OrderFlow.Event)
        case ended(OrderFlow.Effect)
    }

    /// The books of the host, in minor units.
    struct Host {
        var held: Int64 = 0
        var requests = 0
        var bookings = 0
        /// The stage that the journal has, and whether it has that an approval code may have left.
        var journaled: JournalEntry.Stage?
        var isReferred = false
    }

    private static let chip = chipCard()
    private static let signature = Signature(strokes: [[.init(x: 1, y: 1), .init(x: 9, y: 9)]])
    private static let stripe = stripeCard()
    static let whole: Int64 = 1234
    static let part: Int64 = 500

    private(set) var states = 0
    private(set) var steps = 0
    private(set) var ends = 0
    /// What came after what: step and event to the steps and effects that follow.
    private(set) var transitions: [Transition: Set<String>] = [:]
    private(set) var violations: [String] = []
    /// A flow in each step and state of the exchange.
    private var samples: [String: OrderFlow] = [:]

    struct Transition: Hashable {
        let step: String
        let event: String
    }

    // MARK: The search

    mutating func explore(_ flow: OrderFlow) {
        let first = World(flow: flow, reader: flow.hasReader ? .free : .ended(.wait), caller: .free)
        var seen = [key(first)] as Set
        var queue = [first]
        var place = 0
        while place < queue.count {
            let world = queue[place]
            place += 1
            for next in successors(of: world) where seen.insert(key(next)).inserted { queue.append(next) }
        }
        states += seen.count
    }

    private mutating func successors(of world: World) -> [World] {
        var all: [World] = []
        switch world.reader {
        case .free:
            guard !isOver(world.caller) else { break }
            all += readersEvents(world.flow).map { give($0, world, toReader: true) }
        case .doing(let effect): all += done(effect, world).map { give($0.event, $0.world, toReader: true) }
        case .waiting, .ended: break
        }
        switch world.caller {
        case .free: all += callersEvents(world).map { give($0.event, $0.world, toReader: false) }
        case .doing(let effect): all += done(effect, world).map { give($0.event, $0.world, toReader: false) }
        case .waiting(let event): if !world.flow.isWriting { all.append(give(event, world, toReader: false)) }
        case .ended: break
        }
        return all
    }

    private func isOver(_ side: Side) -> Bool {
        if case .ended = side { true } else { false }
    }

    /// Gives the flow an event of one side, and keeps what that side has to do then.
    private mutating func give(_ event: OrderFlow.Event, _ world: World, toReader: Bool) -> World {
        var world = world
        let before = world.flow
        samples["\(name(before.step)), \(label(before.exchange))"] = before
        let effect = world.flow.next(event)
        steps += 1
        transitions[Transition(step: name(before.step), event: label(event)), default: []].insert(
            "\(name(world.flow.step)), \(label(effect))")
        if case .ask = effect {
            world.host.requests += 1
            if world.host.journaled != .asking, before.order.keeping != .nowhere {
                violations.append("asked with \(String(describing: world.host.journaled)) in the journal")
            }
            if world.host.requests > 1 { violations.append("asked twice") }
        }
        if case .book = effect {
            world.host.bookings += 1
            if !world.host.isReferred || world.host.journaled != .asking {
                violations.append("an approval code leaves before the journal has it in doubt")
            }
            if world.host.bookings > 1 { violations.append("booked twice") }
        }
        switch effect {
        case .tellCard, .tellReader:
            world.reader = toReader ? .free : world.reader
            if !toReader { violations.append("\(label(event)): \(label(effect)) to the caller") }
        case .end(let end):
            if toReader { violations.append("\(label(event)) ends the operation at the reader") }
            world.caller = .ended(effect)
            ends += 1
            judge(end, world)
        case .register:
            world.caller = .ended(effect)
            ends += 1
            judgeRegistration(event, world)
        case .wait:
            if toReader { violations.append("the reader waits after \(label(event))") }
            world.caller = .waiting(event)
        default: if toReader { world.reader = .doing(effect) } else { world.caller = .doing(effect) }
        }
        return world
    }

    /// Gives every event to a flow in every step where no course has it: it must change nothing.
    mutating func tryOtherEvents() {
        let answer = answer("00", Self.whole)
        let error = HostError(.noAnswer, "silence")
        let capture = CaptureOutcome(decision: .approvedOnline, card: Self.chip)
        let events: [OrderFlow.Event] = [
            .cardRead(.captured(Self.chip)), .written, .notWritten(TerminalError(.journalFailed, "no room")),
            .hostAnswered(answer), .hostFailed(error), .callRequired, .codeGiven("123456"), .noCode(.noApprovalCode),
            .booked(answer), .notBooked(error), .cardDecided(OrderFlow.CardDecision(capture: capture)),
            .readerFailed(.cancelled), .signed(nil), .notSigned(.signatureDeclined), .fieldLookedUp(isCarried: true),
        ]
        for sample in samples.values {
            for event in events {
                let pair = Transition(step: name(sample.step), event: label(event))
                guard transitions[pair] == nil else { continue }
                var flow = sample
                let effect = flow.next(event)
                others.insert(pair)
                let isSame =
                    name(flow.step) == pair.step && label(flow.exchange) == label(sample.exchange)
                    && flow.order.entry.stage == sample.order.entry.stage
                switch effect {
                case .wait, .tellCard, .tellReader: if isSame { continue }
                default: break
                }
                violations.append("\(pair.event) in \(pair.step), where it cannot come: \(label(effect))")
            }
        }
    }

    /// The pairs of step and event that no course has.
    private(set) var others: Set<Transition> = []

    /// What follows each event in each step, as rows of a table.
    var table: [String] {
        let pairs = transitions.sorted { ($0.key.step, $0.key.event) < ($1.key.step, $1.key.event) }
        return pairs.map { "| \($0.key.step) | \($0.key.event) | \($0.value.sorted().joined(separator: "; ")) |" }
    }

    // MARK: What may happen

    private func readersEvents(_ flow: OrderFlow) -> [OrderFlow.Event] {
        [
            .cardRead(.captured(Self.chip)),
            .cardRead(.captured(Self.chip), refusal: TerminalError(.cardRefused, "not here")), .callRequired,
        ]
    }

    private func callersEvents(_ world: World) -> [(event: OrderFlow.Event, world: World)] {
        guard world.flow.hasReader else {
            var card: PaymentCard?
            if case .payment(let payment, _) = world.flow.request { card = payment.givenCard }
            return [(.cardRead(card), world)]
        }
        var all: [(event: OrderFlow.Event, world: World)] = [
            (.readerFailed(TerminalError(CaptureError.readerTimedOut)), world)
        ]
        let decisions: [CaptureOutcome.Decision] = [
            .approvedOnline, .approvedOffline, .declinedOnline, .declinedOffline,
        ]
        for decision in decisions {
            for wish in [nil, "signature", "reversal", "advice", "stripe"] {
                let capture = CaptureOutcome(
                    decision: decision, card: wish == "stripe" ? Self.stripe : Self.chip,
                    requiresSignature: wish == "signature", requiresReversal: wish == "reversal",
                    requiresAdvice: wish == "advice")
                var next = world
                next.card = wish == "reversal" ? .declinedOnline : decision
                all.append((.cardDecided(OrderFlow.CardDecision(capture: capture)), next))
            }
        }
        let plain = CaptureOutcome(decision: .approvedOnline, card: Self.chip)
        let refusal = TerminalError(.cardRefused, "not here")
        all.append((.cardDecided(OrderFlow.CardDecision(capture: plain, refusal: refusal)), world))
        all.append((.cardDecided(OrderFlow.CardDecision(capture: plain, isCancelled: true)), world))
        let listed = CaptureOutcome(decision: .declinedOffline, card: Self.stripe)
        all.append((.cardDecided(OrderFlow.CardDecision(capture: listed, isListed: true)), world))
        all.append(
            (.cardDecided(OrderFlow.CardDecision(capture: CaptureOutcome(decision: .approvedOnline, card: nil))), world)
        )
        return all
    }

    /// How an effect may end, with the host's books then.
    private func done(_ effect: OrderFlow.Effect, _ world: World) -> [(event: OrderFlow.Event, world: World)] {
        func holding(_ held: Int64, _ event: OrderFlow.Event) -> (event: OrderFlow.Event, world: World) {
            var next = world
            next.host.held = held
            return (event, next)
        }
        switch effect {
        case .write(let order, let isFirst):
            var written = world
            if order.keeping != .nowhere {
                written.host.journaled = order.entry.stage
                written.host.isReferred = order.entry.isReferred
            }
            let failure = TerminalError(.journalFailed, "no room")
            var all: [(event: OrderFlow.Event, world: World)] = [(.written, written), (.notWritten(failure), world)]
            if isFirst { all.append((.notWritten(.cancelled), world)) }
            return all
        case .ask:
            return [
                holding(Self.whole, .hostAnswered(answer("00", Self.whole))),
                holding(Self.part, .hostAnswered(answer("10", Self.part))),
                holding(Self.whole, .hostAnswered(answer("77", Self.whole, isAuthorized: true))),
                holding(0, .hostAnswered(answer("05", 0))), holding(0, .hostAnswered(answer("01", 0))),
                holding(Self.whole, .hostAnswered(answer("01", Self.whole, isAuthorized: true))),
                holding(0, .hostFailed(HostError(.unreachable, "no network"))),
                holding(0, .hostFailed(HostError(.invalidRequest, "no"))),
                holding(0, .hostFailed(HostError(.orderAlreadyProcessed, "known"))),
                holding(Self.whole, .hostFailed(HostError(.orderAlreadyProcessed, "known"))),
                holding(0, .hostFailed(HostError(.noAnswer, "silence"))),
                holding(Self.whole, .hostFailed(HostError(.noAnswer, "silence"))),
                holding(Self.part, .hostFailed(HostError(.noAnswer, "silence"))),
            ]
        case .book:
            return [
                holding(Self.whole, .booked(answer("00", Self.whole))), holding(0, .booked(answer("05", 0))),
                holding(0, .notBooked(HostError(.unreachable, "no network"))),
                holding(0, .notBooked(HostError(.invalidRequest, "no"))),
                holding(0, .notBooked(HostError(.noAnswer, "silence"))),
                holding(Self.whole, .notBooked(HostError(.noAnswer, "silence"))),
            ]
        case .askForCode:
            return [(.codeGiven("123456"), world), (.noCode(.noApprovalCode), world), (.noCode(.notCarried), world)]
        case .requestSignature:
            var signed = world
            signed.isSigned = true
            var refused = world
            refused.isSigned = false
            return [
                (.signed(nil), signed), (.signed(Self.signature), signed), (.notSigned(.signatureDeclined), refused),
            ]
        case .lookUp: return [(.fieldLookedUp(isCarried: true), world), (.fieldLookedUp(isCarried: false), world)]
        case .tellCard, .tellReader, .wait, .end, .register: return []
        }
    }

    private func answer(_ code: String, _ amount: Int64, isAuthorized: Bool? = nil) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: code, approvalCode: "123456"),
            authorizedAmount: Money(minorUnits: amount, currency: .euro), message: "", isAuthorized: isAuthorized)
    }

    // MARK: What must be true

    private mutating func judge(_ end: OrderFlow.End, _ world: World) {
        func violated(_ what: String) { violations.append("\(what): \(key(world))") }
        var mayStillCome = false
        if case .doing(let effect) = world.reader {
            switch effect {
            case .ask, .book: mayStillCome = true
            case .write: violated("it ends while the reader's part writes")
            default: break
            }
        }
        let mayBeHeld = world.host.held > 0 || mayStillCome
        if end.open == nil, let stage = world.host.journaled, stage != .finished {
            violated("it ends, and the journal has it as \(stage)")
        }
        guard case .success(let response) = end.result else {
            let movesMoney = world.flow.order.keeping != .nowhere
            if mayBeHeld, movesMoney { violated("an error, and the host may hold the money") }
            return
        }
        var undoes = false
        switch end.entry.due {
        case .reversal, .reversalIfOurs: undoes = true
        case .confirmation, .advice, .declineAdvice, .authorization, .inquiry, nil: break
        }
        if end.open == nil, end.entry.due != nil { violated("a message is due, and nobody sends it") }
        if end.open == nil, world.host.journaled == nil { violated("it ends, and the journal has nothing of it") }
        switch response.outcome {
        case .approved, .partiallyApproved:
            let expected = response.outcome == .approved ? Self.whole : Self.part
            if world.host.held != expected { violated("approved, and the host holds \(world.host.held)") }
            if response.authorizedAmount?.minorUnits != world.host.held { violated("another amount is told") }
            if undoes { violated("approved, and undone") }
            if world.flow.hasReader, world.card != .approvedOnline { violated("approved against the card") }
            if world.isSigned == false { violated("approved without a signature") }
            if response.outcome == .partiallyApproved, !world.flow.order.entry.allowsPartialApproval {
                violated("a part, which the sale does not allow")
            }
        case .declined: if mayBeHeld { violated("declined, and the host may hold the money") }
        case .reversed, .unknown:
            if !undoes || end.open == nil { violated("\(response.outcome), and no reversal is due") }
        case .storedOffline:
            if world.isSigned == false { violated("stored without a signature") }
            switch end.entry.due {
            case .advice: if world.card != .approvedOffline { violated("stored, and no card approved") }
            case .authorization: if mayBeHeld { violated("stored to be sent again, and it may have left") }
            default: violated("stored, and no message is due")
            }
        }
    }

    private mutating func judgeRegistration(_ event: OrderFlow.Event, _ world: World) {
        guard case .cardDecided(let decision) = event, case .registration(let isVerified) = world.flow.request else {
            violations.append("\(label(event)) registers a card")
            return
        }
        var isVouched = !isVerified
        if case .answered = world.flow.exchange { isVouched = decision.capture.decision == .approvedOnline }
        if decision.refusal != nil || !isVouched { violations.append("a card is registered that was not to be") }
    }

    // MARK: Names

    private func word(_ decision: CaptureOutcome.Decision) -> String {
        switch decision {
        case .approvedOnline: "approved online"
        case .approvedOffline: "approved offline"
        case .declinedOnline: "declined online"
        case .declinedOffline: "declined offline"
        case .notPossible: "not possible"
        }
    }

    /// What tells two states apart.
    private func key(_ world: World) -> String {
        let flow = world.flow
        return [
            name(flow.step), detail(flow.step), label(flow.exchange), flow.order.entry.stage.rawValue,
            "\(flow.isReaderDone)", "\(flow.obstacle != nil)", flow.referralFailure.map { label($0) } ?? "",
            "\(flow.order.entry.isReferred)", "\(flow.rules.deferrable.count)", side(world.reader), side(world.caller),
            "\(world.host.held) \(world.host.requests) \(world.host.bookings)", world.host.journaled?.rawValue ?? "",
            "\(world.host.isReferred)",
            world.card.map { word($0) } ?? "", world.isSigned.map { "\($0)" } ?? "",
        ].joined(separator: " ")
    }

    private func side(_ side: Side) -> String {
        switch side {
        case .free: "free"
        case .doing(let effect): label(effect)
        case .waiting(let event): "waits with \(label(event)) \(detail(event))"
        case .ended(let effect): "ended \(label(effect))"
        }
    }

    private func detail(_ event: OrderFlow.Event) -> String {
        guard case .cardDecided(let decision) = event else { return "" }
        let capture = decision.capture
        let facts = [
            capture.requiresSignature, capture.requiresReversal, capture.requiresAdvice, decision.refusal != nil,
            decision.isListed, decision.isCancelled,
        ]
        return "\(word(capture.decision)) \(facts) \(capture.card?.entryMode.rawValue ?? "")"
    }

    private func detail(_ step: OrderFlow.Step) -> String {
        var decision: OrderFlow.Decision?
        switch step {
        case .signing(let decided), .lookingUp(_, let decided), .writing(.outcome(let decided)): decision = decided
        default: break
        }
        guard let decision else { return "" }
        let due = decision.verdict.due.map { label($0) } ?? ""
        return
            "\(Self.word(decision.verdict.outcome)) \(due) \(decision.card?.signature != nil) \(decision.reason != nil)"
    }

    private func label(_ exchange: HostExchange) -> String {
        switch exchange {
        case .notAsked: "not asked"
        case .unreachable: "unreachable"
        case .unanswered: "unanswered"
        case .answered(let answer): "answered \(answer.issuer.responseCode) \(answer.isAuthorized == true)"
        case .refused: "refused"
        case .taken: "taken"
        }
    }

    private func label(_ event: OrderFlow.Event) -> String {
        switch event {
        case .cardRead(_, refusal: nil): "card read"
        case .cardRead: "refused card read"
        case .written: "written"
        case .notWritten: "not written"
        case .hostAnswered: "host answered"
        case .hostFailed: "host failed"
        case .callRequired: "call required"
        case .codeGiven: "code given"
        case .noCode: "no code"
        case .booked: "code booked"
        case .notBooked: "code not booked"
        case .cardDecided: "card decided"
        case .readerFailed: "reader failed"
        case .signed: "signed"
        case .notSigned: "not signed"
        case .fieldLookedUp: "field looked up"
        }
    }

    private func label(_ effect: OrderFlow.Effect) -> String {
        switch effect {
        case .write: "write"
        case .ask: "ask the host"
        case .tellCard: "tell the card"
        case .askForCode: "ask for a code"
        case .book: "book the code"
        case .tellReader: "tell the reader"
        case .requestSignature: "request a signature"
        case .lookUp: "look up a field"
        case .wait: "wait"
        case .end(let end):
            switch end.result {
            case .success(let response): "end, \(Self.word(response.outcome))"
            case .failure: "end with an error"
            }
        case .register: "register the card"
        }
    }

    private static func word(_ outcome: PaymentResponse.Outcome) -> String {
        switch outcome {
        case .approved: "approved"
        case .partiallyApproved: "approved in part"
        case .declined: "declined"
        case .reversed: "reversed"
        case .storedOffline: "stored offline"
        case .unknown: "unknown"
        }
    }

    /// A step with what it writes or looks up.
    private func name(_ step: OrderFlow.Step) -> String {
        switch step {
        case .reading: "reading"
        case .writing(.request): "writing the request"
        case .writing(.answer): "writing the answer"
        case .writing(.code): "writing the code"
        case .writing(.booking): "writing the booking"
        case .writing(.outcome): "writing the outcome"
        case .writing(.nothing): "writing the end"
        case .asking: "asking"
        case .calling: "calling"
        case .booking: "booking"
        case .signing: "signing"
        case .lookingUp(let field, _): "looking up the \(field)"
        case .over: "over"
        }
    }

    private func label(_ due: PaymentVerdict.Due) -> String {
        switch due {
        case .confirmation: "confirmation"
        case .reversal: "reversal"
        case .reversalIfOurs: "reversal if ours"
        case .advice: "advice"
        case .declineAdvice: "advice of a decline"
        case .authorization: "authorization"
        }
    }

    private func label(_ failure: ReferralFailure) -> String {
        switch failure {
        case .notCalled: "not called"
        case .notCarried: "not carried"
        case .noApprovalCode: "no code"
        case .notBooked: "not booked"
        }
    }
}
