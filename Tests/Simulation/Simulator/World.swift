internal import Bytes
internal import CSimulation
internal import PaymentTerminal

/// One run: what is outside the process, and what is known about what is inside.
final class World: @unchecked Sendable {
    /// The one that the C side asks; a process simulates one world at a time.
    private final class Current: @unchecked Sendable {
        var world: World?
    }
    private static let current = Current()

    var draws: Draws
    var trace: Trace
    var swarm = Swarm()
    var marks = Marks()
    let host: ModelHost
    /// The shipped chip reader and kernel read virtual cards in place of the model reader.
    var hasKernel = false
    /// The host's interface for gateway clients; nil where the terminal speaks to the host
    /// directly.
    var server: (any GatewayServer)?
    /// The shipped bench host in place of the model host, which then has only what the bench host
    /// has recorded.
    var bench: EmbeddedBench?
    /// Of the transactions of the card that the shop is shown, tag `9F36`.
    var cardTransactions: UInt16 = 0
    /// What the shop did with its secure cards, counted.
    var errands = 0
    /// When the host was asked last what it has of an order.
    var looks: [OrderID: Int64] = [:]
    /// Orders of another terminal, counted.
    var others = 0
    /// What the host has refused for its own reasons, and until when it does so again.
    var refusals: [OrderID: (error: HostError, end: Int64)] = [:]
    /// Orders whose refusal is for the next request only.
    var refusesOnce: Set<OrderID> = []
    /// Orders whose next answer is lost.
    var lostAnswers: Set<OrderID> = []
    /// Orders whose host does not say how they ended.
    var refusesToTell: Set<OrderID> = []
    /// Orders whose host refuses to reverse what holds no money.
    var hasNothingToUndo: Set<OrderID> = []
    /// Orders whose first inquiry the host refuses.
    var refusesInquiry: Set<OrderID> = []
    /// Orders whose reversal has no answer, and does not show for a minute.
    var showsUndone: Set<OrderID> = []
    /// What the host tells of such an order, and until when.
    var tells: [OrderID: (before: Result<OrderStatus, HostError>, end: Int64)] = [:]
    /// Reversals whose answer was lost, and which the gateway refuses to do once more.
    var refusedRepetitions: Set<OrderID> = []
    let shop = Shop()
    /// Counts the lives of the process; 0 before the first.
    private(set) var life = 0
    /// What the terminal's wall clock is off by, in seconds.
    var clockOffset: Int64 = 0
    /// Until when nothing gets through to the host.
    var partitionEnd: Int64 = 0
    /// The next flush fails, and every write after it, until the process has ended.
    var losesNextSync = false
    private var isDiskGone = false
    /// The process ends at its next step.
    var isDoomed = false
    /// Set while faults are allowed to come.
    var isFaulty = true
    /// A bit of the journal has turned round by itself. Then it may not open, and nobody can say
    /// what it knows.
    var isRotten = false
    /// Whether the journal has a watermark file, and what was written to it, the latest last.
    var keepsMark = true
    var marksKept: [(bytes: [UInt8], number: Int, time: Int64)] = []
    /// How many marks there have been, the lost ones too.
    var marksWritten = 0
    /// Which payments the terminal may accept without the host.
    var offline = OfflinePolicy()
    /// Whether the terminal has an exception file: the number that is keyed in, and that of the
    /// stripe.
    var hasExceptions = false
    /// The number of the last one that no power cut takes back.
    var marksFlushed = 0
    /// Lasting writes whose marks are still to come: a copy of the journal may have them already.
    var marksToCome = 0
    private(set) var violations: [Violation] = []
    var loop: Loop { .shared }
    var now: Int64 { loop.now }

    init(draws: Draws, keepsTrace: Bool, keepsHashes: Bool = false) {
        self.draws = draws
        trace = Trace(isKept: keepsTrace, keepsHashes: keepsHashes)
        host = ModelHost()
        host.now = { simulation_now() }
        Self.current.world = self
        simulation_set_now(0)
        simulation_set_wall_clock(Self.start * 1_000_000_000)
        simulation_disk_erase()
        loop.reset()
        host.lag = { [unowned self] in lag(of: $0) }
        loop.draw = { [unowned self] in draw(.schedule, $0, $1) }
        loop.mix = { [unowned self] in trace.mix($0) }
        simulation_seed_random(draw(.plan, "random", .max))
    }

    /// By the wall clock, in seconds since 1970.
    static let start: Int64 = 1_773_057_909

    static func registerDisk() {
        unsafe simulation_disk_register(
            { operation, name, offset, amount in
                guard let world = World.current.world else { return DISK_WORKS }
                return world.judge(
                    operation, name: unsafe name.map { unsafe String(cString: $0) } ?? "", offset: offset,
                    amount: amount)
            },
            { _, bound in World.current.world?.draw(.disk, "disk", bound) ?? 0 })
    }

    // MARK: Chance

    func draw(_ stream: Draws.Stream, _ label: StaticString, _ bound: UInt64) -> UInt64 {
        let value = draws.draw(stream, label, bound)
        trace.mix(value)
        return value
    }

    /// True about `count` times in `bound`, and never for the mild draw.
    func chance(_ stream: Draws.Stream, _ label: StaticString, _ count: UInt64, in bound: UInt64 = 256) -> Bool {
        count > 0 && draw(stream, label, bound) >= bound - min(count, bound)
    }

    /// Whether `fault` strikes now.
    ///
    /// - Parameter chances: Of how many chances one is taken: for what could strike more often than
    ///   others.
    func strikes(_ fault: Fault, _ stream: Draws.Stream, order: OrderID? = nil, outOf chances: UInt64 = 1) -> Bool {
        guard isFaulty, swarm.exists(fault), chance(stream, "strikes", swarm.rate(fault), in: 256 * chances) else {
            return false
        }
        struck(fault, order)
        return true
    }

    /// The same while the run is planned: it is counted when it comes.
    func strikesInPlan(_ fault: Fault) -> Bool {
        swarm.exists(fault) && chance(.corners, "planned", swarm.rate(fault))
    }

    /// Counts a fault, and how far the order had come that it hit.
    func struck(_ fault: Fault, _ order: OrderID? = nil) {
        marks.faults[fault.rawValue, default: 0] += 1
        let orders = order.map { [$0] } ?? shop.running.map(\.orderID)
        if fault.isCorner { occurs(fault, orders) }
        for order in orders {
            marks.faultStages["\(fault.rawValue) @ \(shop.stages[order]?.rawValue ?? "none")", default: 0] += 1
            shop.lastEvent[order] = fault.rawValue
        }
        note("fault: \(fault.rawValue)\(order.map { " of \($0)" } ?? "")")
    }

    func note(_ summary: @autoclosure () -> String) { trace.note(now, summary()) }

    func violated(_ kind: Violation.Kind, _ summary: String) {
        violations.append(Violation(kind: kind, summary: summary))
        note("VIOLATION \(kind.rawValue): \(summary)")
    }

    // MARK: The host

    /// Compares what the host read from a request with the request's bytes.
    func check(_ amount: Money, of order: OrderID, onTheWire wire: Int64?) {
        guard wire != amount.minorUnits else { return }
        violated(
            .booksDisagree,
            "\(order): the request is about \(wire.map { "\($0)" } ?? "no amount"), and was read as \(amount)")
    }

    // MARK: The process

    func begin() -> Int {
        life += 1
        note("life \(life) begins")
        return life
    }

    func isAlive(_ life: Int) -> Bool { life == self.life && !simulation_disk_has_no_power() && isUp }
    private(set) var isUp = true

    /// Ends the process between two of its steps.
    func kill(powerIsLost: Bool) {
        note(powerIsLost ? "the power goes" : "the process dies")
        isUp = false
        bench?.die()
        loop.dropProcess(life)
        simulation_disk_crash(powerIsLost)
        if powerIsLost { loseMark() }
        shop.processDied()
    }

    /// Nobody waits for the disk to have the mark.
    private func loseMark() {
        // The system writes by itself what is older than half a minute.
        guard draw(.disk, "mark", 8) == 7 else { return }
        let recent = marksKept.reversed().prefix { $0.number > marksFlushed && now - $0.time < 30_000_000_000 }.count
        marksKept.removeLast(Int(draw(.disk, "older mark", UInt64(recent + 1))))
    }

    /// Has the process die in a while, if it is there and faults are still allowed to come.
    func endProcess(after time: Int64) {
        loop.after(time, "process ends", life: life) { [self] in isDoomed = isFaulty }
    }

    func start() -> Int {
        isUp = true
        (isDoomed, isDiskGone) = (false, false)
        marksToCome = 0
        return begin()
    }

    // MARK: The disk

    var showsDisk = false
    private static let names = ["open", "read", "write", "sync", "truncate", "delete"]

    private func judge(_ operation: disk_operation, name: String, offset: Int64, amount: CInt) -> disk_answer {
        if operation != DISK_READ {
            trace.mix(UInt64(operation.rawValue) << 48 ^ UInt64(bitPattern: offset) << 16 ^ UInt64(amount))
        }
        if showsDisk, operation != DISK_READ {
            trace.remark(now, "disk: \(Self.names[Int(operation.rawValue)]) \(name) \(offset) \(amount)")
        }
        guard isFaulty else { return DISK_WORKS }
        // A host's disk has a mirror: of the vault only the power can be lost.
        if name.hasPrefix("vault") {
            return operation == DISK_WRITE && strikes(.powerCut, .disk, outOf: 32) ? DISK_LOSES_POWER : DISK_WORKS
        }
        switch operation {
        case DISK_READ: return strikes(.readFails, .disk, outOf: 64) ? DISK_FAILS : DISK_WORKS
        case DISK_WRITE:
            if isDiskGone { return DISK_FAILS }
            if strikes(.powerCut, .disk, outOf: 32) { return DISK_LOSES_POWER }
            if strikes(.writeFails, .disk, outOf: 16) { return DISK_FAILS }
            if strikes(.writeShort, .disk, outOf: 16) { return DISK_WRITES_SHORT }
            if strikes(.diskFull, .disk, outOf: 16) { return DISK_IS_FULL }
        case DISK_SYNC:
            if losesNextSync {
                (losesNextSync, isDiskGone) = (false, true)
                return DISK_FAILS
            }
            if strikes(.powerCut, .disk, outOf: 16) { return DISK_LOSES_POWER }
            if strikes(.syncLost, .disk, outOf: 8) { return DISK_LOSES_SYNC }
            if strikes(.lyingDisk, .disk) { return DISK_LIES }
        default: break
        }
        return DISK_WORKS
    }
}

/// Something that must never be.
package struct Violation: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// The host authorised an order twice.
        case chargedTwice
        /// The caller was answered approved, and the host has nothing, or undid it.
        case approvedNotHeld
        /// The caller was answered approved, and the card had declined.
        case approvedAgainstCard
        /// A part of the amount was accepted from a caller who does not take parts.
        case partNotAllowed
        /// The card does not get what its issuer said.
        case issuerDataLost
        /// The caller was answered that nothing was charged, and the host has the money.
        case errorButHeld
        /// The caller was answered declined or reversed, and the host has the money.
        case refusedButHeld
        /// An answer about a secure card is not what the host has.
        case secureCardLie
        /// The journal opened for two writers at once.
        case openedTwice
        /// The process was ended by a trap.
        case trapped
        /// An order of another terminal, or of the past, was reversed.
        case foreignReversed
        /// A payment that had to go online was stored.
        case storedThoughForcedOnline
        /// A caller was told another sum than the host's books have in the end.
        case booksDisagree
        /// The journal and the host do not agree in the end.
        case journalDisagrees
        /// More was accepted than the caller had asked for.
        case moreThanAsked
        /// The host was asked about one order twice in one operation.
        case askedTwice
        /// A payment that may have left was stored to be sent again.
        case storedThoughSent
        /// An outcome was told that the journal could not take.
        case toldUnwritten
        /// A payment stands whose signature was refused, missing or not genuine.
        case approvedUnsigned
        /// A card was told that its issuer cannot be reached, after the issuer had declined.
        case declineLost
        /// More was stored than the policy allows.
        case storedBeyondPolicy
        /// An order ended as unknown, although its host had told the outcome.
        case unknownThoughTold
        /// A payment stands whose card was gone before it had the answer.
        case approvedWithoutCard
        /// A payment was refunded while it was being reversed.
        case paidBackTwice
        /// The caller got the answer about another order.
        case answerOfAnother
        /// A payment with a card on the exception file was stored.
        case storedThoughListed
        /// The host was asked about money without an entry that says so.
        case askedWithoutEntry
        /// The host was asked for an order whose operation had ended.
        case askedAfterEnd
        /// What the journal had acknowledged was gone after a restart.
        case entryLost
        /// The same, after a sync that had failed before: the pages stayed in memory, and never
        /// came to the disk.
        case entryLostAfterFailedSync
        /// An order, or the terminal, did not come to its end although everything worked again.
        case stuck
        /// One order that the host did not answer kept others from their end.
        case heldUpByAnother
        /// The journal had the outcome of an order, and something was written over it.
        case outcomeForgotten
        /// A key was answered in two ways.
        case keyAnsweredTwice
        /// A sequence counter came twice.
        case counterRepeated
        /// The journal did not open with its key.
        case journalClosed
        /// The journal opened with a key that is not its own.
        case openedByOtherKey
        /// Card data lay in clear on the disk.
        case cardDataInClear
        /// A caller waited for something that was not his own.
        case waitedForOthers
        /// An operation could not be done because of a cancelled one.
        case cancelBrokeJournal
        /// `cancel()` said that nothing was charged, and the host had it.
        case cancelledButHeld
        /// The journal could not be written although the disk worked.
        case journalFailedWithoutFault
    }

    package let kind: Kind
    package let summary: String
}

/// What a run has seen: that it happened at all is a result too.
package struct Marks: Codable, Sendable {
    /// What stood beside the terminal.
    package var parts: [String: Int] = [:]
    package var faults: [String: Int] = [:]
    package var transitions: [String: Int] = [:]
    package var faultStages: [String: Int] = [:]
    package var outcomes: [String: Int] = [:]
    /// How often each corner came with each kind of wish, and with each gateway.
    package var pairs: [String: Int] = [:]

    mutating func add(_ other: Marks) {
        parts.merge(other.parts, uniquingKeysWith: +)
        faults.merge(other.faults, uniquingKeysWith: +)
        transitions.merge(other.transitions, uniquingKeysWith: +)
        faultStages.merge(other.faultStages, uniquingKeysWith: +)
        outcomes.merge(other.outcomes, uniquingKeysWith: +)
        pairs.merge(other.pairs, uniquingKeysWith: +)
    }
}
