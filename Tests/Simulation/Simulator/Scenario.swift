internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalJournal

/// One run from its first life to the end: first with faults, then with none, when everything has to come right.
@safe final class Scenario: @unchecked Sendable {
    private enum End: Equatable {
        case done, died, stuck
    }

    private let world: World
    private var life: Life?
    private var wishes: [Wish] = []
    /// The keys that the journal may have; one, but while it changes.
    private var keys: [[UInt8]] = []
    private var keyOfBackup: [[UInt8]] = []
    private var marksOfBackup = (written: 0, withThoseToCome: 0)
    private var configuration: Terminal.Configuration
    private var fileReader: UnsafeMutableRawPointer?
    private let cleanIsLast: Bool
    private let course: Course?
    /// The journal of an earlier release that the run begins with.
    private var golden: String?
    /// Of its longest attempt: what had no answer is asked again, which takes fewer steps.
    private(set) var stepsOfLastWish = 0

    private static let second: Int64 = 1_000_000_000
    /// Of steps: more than any sound run needs.
    static let maximumSteps = 60_000

    init(_ world: World, force: [Fault: UInt64] = [:], course: Course? = nil) {
        self.world = world
        self.course = course
        let draw = { (label: StaticString, bound: UInt64) in world.draw(.plan, label, bound) }
        world.swarm = Swarm(draw)
        for (fault, rate) in force { world.swarm.set(fault, rate) }
        world.host.hasExtensions = draw("extensions", 3) < 2
        world.host.hasList = world.host.hasExtensions || draw("list", 2) == 0
        world.keepsMark = draw("mark", 4) < 3
        if draw("version 1", 20) == 19 { golden = Self.goldenJournals[Int(draw("which", UInt64(Self.goldenJournals.count)))] }
        let drawsGateway = world.draw(.parts, "gateway", 4) == 3
        world.hasKernel = world.draw(.parts, "kernel", 8) == 7
        let remembersGolden = Self.chooseHost(world, Interface(course?.host, world, drawsGateway: drawsGateway))
        if !remembersGolden { golden = nil }
        if let course { world.hasKernel = course.host.hasKernel }
        world.marks.parts[world.hasKernel ? "reader: ChipReader with a virtual card" : "reader: model", default: 0] += 1
        if let course { (world.host.hasExtensions, world.host.hasList) = (course.host.hasExtensions, course.host.hasList) }
        // A host without a list refuses order ids for ever, and a journal without a mark does not see that it was restored.
        if world.host.hasList, world.keepsMark, draw("short memory", 2) == 1, world.bench == nil { world.host.memory = 3600 * Self.second }
        world.loop.policy = Loop.Policy(rawValue: draw("policy", UInt64(Loop.Policy.allCases.count))) ?? .first
        world.loop.slowness = draw("slowness", 3)
        configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        // The cards' keys are test keys.
        if world.hasKernel { configuration.mode = .test }
        if draw("short limits", 4) == 3 {
            configuration.limits = TimeLimits(reader: .seconds(20), standDown: .seconds(2), host: .seconds(5))
        }
        if draw("deferred", 4) == 3 { configuration.offline = OfflinePolicy(deferredAuthorization: [.keyed, .magneticStripe]) }
        cleanIsLast = draw("last start", 2) == 0
        keys = [golden == nil ? Self.key(1) : Self.goldenKey]
    }

    /// What stands between the terminal and the host.
    private enum Interface {
        case none, rest, xml
        /// The host is the bench host.
        case bench

        /// As the course says, else as drawn: a quarter of the gateways have the XML interface, and a sixteenth of the other hosts are the
        /// bench host.
        init(_ course: Course.Host?, _ world: World, drawsGateway: Bool) {
            switch course {
            case .extended, .listed, .bare, .kernel: self = .none
            case .extendedGateway, .publishedGateway: self = .rest
            case .extendedXML, .publishedXML: self = .xml
            case .bench: self = .bench
            case nil where drawsGateway: self = world.draw(.parts, "interface", 4) == 3 ? .xml : .rest
            case nil: self = world.draw(.parts, "bench", 16) == 15 ? .bench : .none
            }
        }
    }

    /// The bench host verifies the cards of the kernel.
    ///
    /// - Returns: Whether the host can tell what came of an order of an earlier release.
    private static func chooseHost(_ world: World, _ interface: Interface) -> Bool {
        func chosen(_ part: String) { world.marks.parts["host: \(part)", default: 0] += 1 }
        switch interface {
        case .xml:
            world.server = XMLServer(world)
            world.host.hasList = false
            chosen("model behind XMLGateway")
            return world.host.hasExtensions
        case .rest:
            world.server = RESTServer(world)
            // The client finds orders by it where the gateway has no extensions.
            world.host.hasList = true
            chosen("model behind RESTGateway")
            return true
        case .bench:
            world.bench = EmbeddedBench(world)
            (world.host.hasExtensions, world.host.hasList) = (true, true)
            world.hasKernel = true
            chosen("bench host")
            return false
        case .none:
            chosen("model")
            return true
        }
    }

    private static let goldenJournals = [
        "asking", "answered", "finished", "owing-advice", "owing-authorization", "owing-confirmation", "owing-reversal",
    ]
    /// Of the test journals in Tests/TerminalJournalTests/Golden.
    private static let goldenKey = [UInt8](repeating: 0x5A, count: 32)
    private static let goldenFolder =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        + "/TerminalJournalTests/Golden/version-1"

    private static func key(_ number: Int) -> [UInt8] { (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) } }

    /// What the names of the journal's files begin with.
    private static let journal = "journal"

    // MARK: The run

    func run() {
        world.note("faults: \(world.swarm.kinds.map(\.rawValue).joined(separator: " ")); extensions: \(world.host.hasExtensions)")
        world.note("parts: \(world.marks.parts.keys.sorted().joined(separator: ", "))")
        wishes = course?.wishes ?? Wish.plan(world)
        if let golden {
            world.note("the journal is of version 1, \(golden)")
            guard unsafe simulation_disk_put("\(Self.goldenFolder)/\(golden).sqlite", "\(Life.folder)/journal.sqlite") else {
                fatalError("no journal \(golden) in \(Self.goldenFolder)")
            }
        }
        for wish in wishes { world.host.decisions[wish.orderID] = wish.decision }
        if golden != nil { world.shop.stages[OrderID("order")] = .asking }
        guard boot() else { return }
        for wish in wishes {
            for _ in 0...wish.retries {
                if life == nil, !boot() { return }
                attempt(wish)
                guard wantsRetry(wish) else { break }
            }
            if world.draw(.plan, "pause", 4) == 3 { _ = pass(Int64(world.draw(.plan, "pause for", 90)) * Self.second) }
        }
        finish()
    }

    private func wantsRetry(_ wish: Wish) -> Bool {
        switch world.shop.replies[wish.number]?.last {
        case .response(let response): response.outcome == .unknown
        case .error, .nothing, nil: wish.key != nil
        }
    }

    private func boot() -> Bool {
        closeFile()
        for attempt in 0..<8 {
            // Whoever repairs the machine sees to it in the end.
            if attempt == 5 { world.isFaulty = false }
            defer { if attempt >= 5 { world.isFaulty = !isHealed } }
            let number = world.start()
            var failure = "it does not end"
            for key in keys {
                let configuration = configuration
                let made = call { [world] () async -> Result<Life, BootError> in
                    do {
                        var bytes = key
                        return .success(
                            try await Life(world, number: number, key: SecretBytes(wiping: &bytes), configuration: configuration))
                    } catch {
                        return .failure(BootError(summary: "\(error)"))
                    }
                }
                switch made {
                case .success(let life)?:
                    if keys.count > 1 { keys = [key] }
                    self.life = life
                    checkAcknowledged()
                    if self.life != nil { return true }
                case .failure(let error)?:
                    failure = error.summary
                    world.note("start failed: \(failure)")
                    if failure.contains("another key") { continue }
                case nil: break
                }
                break
            }
            if !world.isFaulty || attempt == 7 {
                if !failure.isEmpty, life == nil, world.isUp, !world.isRotten { world.violated(.journalClosed, failure) }
                if attempt == 7 { return false }
            }
            if world.isUp { kill(powerIsLost: false) }
            simulation_set_now(world.now + Self.second)
        }
        return false
    }

    private struct BootError: Error {
        let summary: String
    }

    /// Whether each entry could be read at the start of this life.
    private var knowsStages = true

    /// What the journal said is lasting must be there; what it was given and did not acknowledge may be.
    private func checkAcknowledged() {
        guard let life, !world.isRotten else { return }
        let isRestored = world.shop.isRestored
        knowsStages = true
        // Who could not read every entry looks again in the next life, or when all faults have ended.
        defer { if knowsStages { world.shop.isRestored = false } }
        for wish in wishes {
            let mayHaveEntry = world.shop.stages[wish.orderID] != nil || world.shop.written[wish.orderID]?.isEmpty == false
            guard isRestored || mayHaveEntry, !world.shop.lost.contains(wish.orderID) else { continue }
            let found = call { () async -> Result<JournalEntry.Stage?, BootError> in
                do {
                    return .success(try await life.journal.entry(for: wish.orderID)?.stage)
                } catch {
                    return .failure(BootError(summary: "\(error)"))
                }
            }
            guard case .success(let now)? = found else {
                knowsStages = false
                continue
            }
            let stage = world.shop.stages[wish.orderID]
            world.shop.stages[wish.orderID] = now
            // What was open in the copy may have ended since.
            if isRestored, let now, now != .finished { world.shop.forgotten.insert(wish.orderID) }
            guard !isRestored, let stage else { continue }
            if let now, world.shop.written[wish.orderID]?.contains(now) == true { continue }
            if (now.map(Self.rank) ?? -1) < Self.rank(stage) {
                world.violated(
                    world.marks.faults[Fault.syncLost.rawValue] == nil ? .entryLost : .entryLostAfterFailedSync,
                    "\(wish.orderID) was acknowledged as \(stage) and is \(now?.rawValue ?? "not there")")
            }
        }
    }

    private static func rank(_ stage: JournalEntry.Stage) -> Int {
        switch stage {
        case .begun: 0
        case .asking: 1
        case .answered: 2
        case .owing: 3
        // The last write needs no flush where something was owed: done twice it does no harm.
        case .finished: 3
        }
    }

    // MARK: Steps

    /// Lets the world go on until `isOver`, or until nothing more can happen.
    private func go(until horizon: Int64 = .max, _ isOver: () -> Bool) -> End {
        let first = world.loop.steps
        while true {
            if simulation_disk_has_no_power() {
                kill(powerIsLost: true)
                return .died
            }
            if !world.isUp { return .died }
            if isOver() { return .done }
            guard world.loop.steps - first < Self.maximumSteps, world.loop.step(until: horizon) else { return .stuck }
            world.trace.step()
        }
    }

    /// Runs `body` in the process.
    ///
    /// - Returns: Nil if the process died, or did not come to an end.
    private func call<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
        let box = Box<Value>()
        Task.detached { box.value = await body() }
        return go(until: world.now + 3600 * Self.second) { box.value != nil } == .done ? box.value : nil
    }

    private final class Box<Value>: @unchecked Sendable {
        var value: Value?
    }

    private func pass(_ time: Int64) -> End {
        let end = world.now + time
        var reached = false
        world.loop.after(time, "pause ends") { reached = true }
        return go(until: end + Self.second) { reached }
    }

    private func kill(powerIsLost: Bool) {
        closeFile()
        world.kill(powerIsLost: powerIsLost)
        life = nil
    }

    // MARK: An attempt

    private func attempt(_ wish: Wish) {
        guard let life else { return }
        if wish.readsCard, world.draw(.plan, "new reader", 4) == 3 {
            _ = call { try? await life.connectReader() }
            guard self.life === life else { return }
        }
        if wish.number == wishes.last?.number, let fault = course?.fault { world.swarm.set(fault, 256) }
        let task = begin(wish, life)
        let first = world.loop.steps
        var sides = wish.sides[...]
        let end = go(until: world.now + 1200 * Self.second) {
            while let next = sides.first, self.world.loop.steps - first >= next.step {
                sides.removeFirst()
                self.play(next.side, wish, life: life, task: task)
                guard self.world.isUp else { return true }
            }
            return !self.world.shop.running.contains { $0.number == wish.number }
        }
        closeFile()
        if wish.number == wishes.last?.number { stepsOfLastWish = max(stepsOfLastWish, world.loop.steps - first) }
        if end == .stuck {
            world.violated(.stuck, "the operation of \(wish.orderID) does not end")
            kill(powerIsLost: false)
        }
        if self.life == nil { afterDeath() }
    }

    private func begin(_ wish: Wish, _ life: Life) -> Task<Void, Never> {
        world.shop.starts(wish, world)
        return Task.detached { [world] in world.shop.tell(wish, await life.take(wish), world) }
    }

    private func play(_ side: Wish.Side, _ wish: Wish, life: Life, task: Task<Void, Never>) {
        world.note("meanwhile: \(side.rawValue)")
        switch side {
        case .cancelTask:
            world.struck(.cancelledTask)
            task.cancel()
        case .cancelCall:
            world.struck(.cancelCall)
            Task.detached { [world] in
                let running = world.shop.running.first?.number
                let answer = await life.terminal.cancel()
                world.note("cancel: \(answer.rawValue)")
                if answer == .cancelled, running == wish.number { world.shop.cancelled.insert(wish.number) }
            }
        case .rotateKey: rotateKey(life)
        case .recover: Task.detached { _ = try? await life.terminal.recoverPending() }
        case .jumpClock:
            world.struck(.clockJump)
            world.clockOffset += Int64(world.draw(.plan, "clock", 20_000)) - 10_000
        case .backUp:
            guard keys.count == 1 else { return }
            unsafe simulation_disk_back_up(Self.journal)
            keyOfBackup = keys
            marksOfBackup = (written: world.marksWritten, withThoseToCome: world.marksWritten + world.marksToCome)
        case .readFile:
            world.struck(.fileReader)
            if unsafe fileReader == nil { unsafe fileReader = simulation_read_file("\(Life.folder)/journal.sqlite") }
        case .die:
            world.struck(.death)
            kill(powerIsLost: false)
        case .losePower:
            world.struck(.restart)
            kill(powerIsLost: true)
        case .startNext:
            guard let next = wishes.first(where: { $0.number > wish.number && $0.kind != .reversal }) else { return }
            _ = begin(next, life)
        }
    }

    private func closeFile() {
        if let reader = unsafe fileReader { unsafe simulation_close_file(reader) }
        unsafe fileReader = nil
    }

    private func rotateKey(_ life: Life) {
        guard keys.count == 1 else { return }
        world.struck(.keyRotation)
        // Payments that come meanwhile wait for it, and it waits for whoever reads the file.
        for run in world.shop.running { world.shop.disturbed.insert(run.orderID) }
        let new = Self.key(Int(keys[0][0]) + 1)
        keys.append(new)
        Task.detached { [self] in
            var bytes = new
            do {
                try await life.journal.rotate(to: JournalKey.bytes(SecretBytes(wiping: &bytes)))
                keys = [new]
                world.note("the key has changed")
            } catch {
                world.note("the key has not changed: \(error)")
            }
        }
    }

    /// What happens to the files while no process has them.
    private func afterDeath() {
        if world.swarm.exists(.restore), world.draw(.plan, "restore", 2) == 1, unsafe simulation_disk_restore(Self.journal) {
            restored()
        }
        if world.strikes(.rot, .disk), unsafe simulation_disk_rot("\(Life.folder)/journal.sqlite") {
            world.isRotten = true
            // What a journal has forgotten only the host can refuse.
            world.host.memory = .max
        }
        if world.swarm.exists(.damagedRow), world.draw(.plan, "damage", 2) == 1 {
            let open = wishes.filter { wish in world.shop.stages[wish.orderID].map { $0 != .finished } ?? false }
            if let wish = open.first {
                world.struck(.damagedRow, wish.orderID)
                world.shop.lost.insert(wish.orderID)
                world.isFaulty = false
                _ = unsafe simulation_execute(
                    "\(Life.folder)/journal.sqlite", "UPDATE entry SET content = zeroblob(64) WHERE order_id = '\(wish.orderID.text)'")
                world.isFaulty = true
            }
        }
    }

    private func restored() {
        world.struck(.restore)
        keys = keyOfBackup
        world.shop.isRestored = true
        world.shop.wasRestored = true
        if world.strikes(.markLost, .plan) { world.marksKept = [] }
        // The power took back every mark since the copy, which has the write whose mark was still to come, or not.
        if let last = world.marksKept.last,
            [marksOfBackup.written, marksOfBackup.withThoseToCome].contains(where: { marks in
                world.marksWritten > marks && last.number <= marks
            })
        {
            world.keepsMark = false
            world.host.memory = .max
        }
        // Somebody goes and gets the copy. What is on its way to the host arrives meanwhile.
        let end = world.now + Int64(120 + world.draw(.plan, "restore takes", 4) * 3600) * Self.second
        while world.loop.step(until: end) { world.trace.step() }
        simulation_set_now(max(world.now, end))
        for wish in wishes where !isKept(wish.orderID) { world.shop.forgotten.insert(wish.orderID) }
    }

    /// Whether the terminal can know an order again after the restore: from the copy, if it was finished there, or from the host's list.
    private func isKept(_ order: OrderID) -> Bool {
        // What was open at the end is not in the copy.
        if world.shop.stages[order] == .owing || world.shop.written[order]?.contains(.owing) == true { return false }
        guard world.keepsMark, case .success(let list) = world.host.transactions(TransactionQuery(orderID: order)) else { return false }
        return list.contains { $0.amount != nil }
    }

    // MARK: The end

    private var isHealed = false

    private func finish() {
        world.note("all faults end")
        isHealed = true
        world.isFaulty = false
        world.partitionEnd = 0
        if !cleanIsLast, life != nil { kill(powerIsLost: false) }
        if life == nil, !boot() { return }
        guard let terminal = life?.terminal else { return }
        if world.isRotten {
            for wish in wishes { judgeCharges(wish.orderID) }
            return
        }
        if !knowsStages { checkAcknowledged() }
        // First with the orders of which the host still says nothing: the others must not wait for them.
        if !world.shop.silenced.isEmpty {
            let others = recover(terminal) { !self.world.shop.silenced.contains($0) && !self.world.shop.lost.contains($0) }
            if !others.isEmpty {
                world.violated(.heldUpByAnother, "\(others.joined(separator: " ")) wait while the host is silent about another")
            }
            world.shop.silenced = []
        }
        let open = recover(terminal) { !self.world.shop.lost.contains($0) }
        if !open.isEmpty { world.violated(.stuck, "not recovered in the end: \(open.joined(separator: " "))") }
        for wish in wishes where wish.kind != .reversal && wish.key != nil && !isExcused(wish.orderID) {
            repeatForKey(wish)
        }
        // Each planned cancellation has happened by then.
        _ = pass(5 * Self.second)
        probe()
        judge(terminal)
        tryOtherKey()
    }

    /// Has the terminal settle until nothing is open of what is selected, for twenty minutes at most.
    ///
    /// - Returns: What is still open then.
    private func recover(_ terminal: Terminal, _ isSelected: (OrderID) -> Bool) -> [String] {
        var open: [String] = []
        for _ in 0..<40 {
            _ = call { try? await terminal.recoverPending() }
            // An order that is still looked into is not a pending payment yet.
            let unanswered = wishes.map(\.orderID).filter { [.asking, .answered].contains(world.shop.stages[$0]) }
            let found = call { await terminal.pendingPayments.map(\.orderID) } ?? []
            open = Set(found).union(unanswered).filter { isSelected($0) && !world.shop.forgotten.contains($0) }.map(\.text).sorted()
            if open.isEmpty { break }
            if pass(30 * Self.second) == .died { break }
        }
        return open
    }

    /// Says a wish again: its key has one answer for ever.
    private func repeatForKey(_ wish: Wish) {
        guard let life,
            case .response(let before)? = world.shop.replies[wish.number]?.last(where: { if case .response = $0 { true } else { false } })
        else { return }
        world.shop.running = [Shop.Running(number: wish.number, orderID: wish.orderID, start: world.now, readsCard: wish.readsCard)]
        defer { world.shop.running = [] }
        // Answered unknown because no write went through, nothing of the request may be left: then it is a new one.
        let stage = world.shop.stages[wish.orderID]
        if before.outcome == .unknown, stage == nil || stage == .finished && !world.shop.concluded.contains(wish.orderID) { return }
        guard case .response(let now)? = call({ await life.take(wish) }) else {
            world.violated(.keyAnsweredTwice, "\(wish.orderID) had an answer, and its key has none in the end")
            return
        }
        if Shop.isApproved(before.outcome) != Shop.isApproved(now.outcome), before.outcome != .unknown, before.outcome != .storedOffline,
            !world.shop.undone.contains(wish.orderID)
        {
            world.violated(.keyAnsweredTwice, "\(wish.orderID) was \(before.outcome) and is \(now.outcome)")
        }
    }

    /// A payment as on any other day.
    private func probe() {
        guard let life, let order = Wish.orderID(900), let key = try? IdempotencyKey("K900"), let card = Cards.keyed() else { return }
        let sale = Sale(
            orderID: order, idempotencyKey: key, amount: Money(minorUnits: 100, currency: .euro), source: .keyed(card, cvv: nil),
            terms: PaymentTerms(channel: .eCommerce))
        world.shop.running.append(Shop.Running(number: 900, orderID: order, start: world.now, readsCard: false))
        let reply = call { () async -> Shop.Reply in
            do throws(TerminalError) {
                return .response(try await life.terminal.processSale(sale))
            } catch {
                return .error(error.code)
            }
        }
        world.shop.running = []
        switch reply {
        case .response(let response)? where response.isApproved && world.host.holdsMoney(of: order): break
        case .response(let response)?: world.violated(.stuck, "a payment on a sound day is \(response.outcome)")
        case .error(let code)?: world.violated(.stuck, "a payment on a sound day fails: \(code)")
        case .nothing?, nil: world.violated(.stuck, "a payment on a sound day does not end")
        }
    }

    /// Whether the clocks of terminal and gateway were too far apart for an order of the gateway's list to be recognized. It may be an
    /// older one with the same id.
    private func isMisdated(_ response: PaymentResponse) -> Bool {
        guard let taken = world.host.orders[response.orderID]?.timestamp else { return false }
        let difference = taken.secondsSince1970 - response.timestamp.secondsSince1970
        return difference.magnitude > 300
    }

    private func judge(_ terminal: Terminal) {
        let journaled = call { try? await terminal.journaled(1000) } ?? nil
        for wish in wishes where wish.kind != .reversal {
            let order = wish.orderID
            guard !world.shop.lost.contains(order) else { continue }
            let isHeld = world.host.holdsMoney(of: order)
            judgeCharges(order)
            guard !world.shop.forgotten.contains(order) else { continue }
            judgeReplies(wish, isHeld)
            let entry = journaled?.first { $0.orderID == order }
            guard journaled != nil else { continue }
            // Without the extensions some things cannot be found out.
            let isReferenced = wish.kind == .refund || wish.kind == .capture
            let mayBeUnknown =
                !world.host.hasList || !world.host.hasExtensions && isReferenced || entry.map { isMisdated($0) } ?? false
            switch entry?.outcome {
            case .approved, .partiallyApproved: if !isHeld { world.violated(.journalDisagrees, "\(order) is approved, not held") }
            case .declined, .reversed: if isHeld { world.violated(.journalDisagrees, "\(order) is not approved, and held") }
            case .unknown: if !mayBeUnknown { world.violated(.stuck, "\(order) stays unknown") }
            case .storedOffline: world.violated(.stuck, "\(order) stays stored")
            case nil: if isHeld { world.violated(.journalDisagrees, "\(order) is held, and the journal has no outcome") }
            }
        }
        if let golden, !world.swarm.exists(.rot) {
            let entry = journaled?.first { $0.orderID.text == "order" }
            switch entry?.outcome {
            case .unknown, .storedOffline, .partiallyApproved, nil:
                world.violated(.stuck, "the order of version 1, \(golden), is not recovered")
            case .approved, .declined, .reversed: break
            }
        }
        for text in [Cards.chipNumber, Cards.stripeNumber, Cards.keyedNumber] {
            let digits = Array(text.utf8)
            let isThere = unsafe digits.withUnsafeBytes { unsafe simulation_disk_contains($0.baseAddress, $0.count) }
            // As text, and as a chip has it.
            let packed = BCD.encode(digits: digits) ?? digits
            let isPacked = unsafe packed.withUnsafeBytes { unsafe simulation_disk_contains($0.baseAddress, $0.count) }
            if isThere || isPacked { world.violated(.cardDataInClear, "a card number lies on the disk") }
        }
    }

    private func judgeCharges(_ order: OrderID) {
        // A refund without an order id is not known again by the host, nor by a journal that has lost it.
        let isLostRefund = !world.host.hasExtensions && world.host.isReferenced(order) && world.shop.forgotten.contains(order)
        if world.host.charges(of: order) > 1, !isLostRefund { world.violated(.chargedTwice, "\(order)") }
    }

    /// Whether nobody can claim anything of the order.
    private func isExcused(_ order: OrderID) -> Bool { world.shop.lost.contains(order) || world.shop.forgotten.contains(order) }

    /// Compares what the shop knows with what the host has.
    private func judgeReplies(_ wish: Wish, _ isHeld: Bool) {
        let order = wish.orderID
        let attempts = world.shop.replies[wish.number] ?? []
        let mayBeWrong: Set<TerminalError.Code> = [.busy, .hostFailed(.noAnswer), .idempotencyConflict]
        var onlyErrors = !attempts.isEmpty
        for (number, reply) in attempts.enumerated() {
            switch reply {
            case .response, .nothing: onlyErrors = false
            case .error(let code):
                if mayBeWrong.contains(code) && code != .busy || code == .refused(.orderAlreadyProcessed) && number > 0 {
                    onlyErrors = false
                }
            }
        }
        if onlyErrors, isHeld { world.violated(.errorButHeld, "\(order): only errors were reported, and the host has the money") }
        if world.shop.cancelled.contains(wish.number), onlyErrors, isHeld {
            world.violated(.cancelledButHeld, "\(order): cancel() said cancelled")
        }
        switch world.shop.known[order] {
        case .approved, .partiallyApproved: if !isHeld { world.violated(.approvedNotHeld, "\(order)") }
        case .declined, .reversed: if isHeld { world.violated(.refusedButHeld, "\(order)") }
        case .storedOffline, .unknown, nil: break
        }
    }

    /// The journal opens with no key but its own.
    private func tryOtherKey() {
        guard world.draw(.plan, "other key", 8) == 7, life != nil else { return }
        kill(powerIsLost: false)
        let number = world.start()
        let configuration = configuration
        let opened = call { [world] () async -> Bool in
            var bytes = Self.key(200)
            return (try? await Life(world, number: number, key: SecretBytes(wiping: &bytes), configuration: configuration)) != nil
        }
        if opened == true { world.violated(.openedByOtherKey, "") }
    }
}
