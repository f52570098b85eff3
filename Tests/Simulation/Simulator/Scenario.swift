internal import Bytes
internal import CSimulation
internal import CardCapture
internal import PaymentTerminal
internal import TerminalJournal

/// One run from its first life to the end: first with faults, then with none, when everything has
/// to come right.
@safe final class Scenario: @unchecked Sendable {
    enum End: Equatable {
        case done, died, stuck
    }

    let world: World
    var life: Life?
    var wishes: [Wish] = []
    /// The keys that the journal may have; one, but while it changes.
    var keys: [[UInt8]] = []
    var keyOfBackup: [[UInt8]] = []
    var marksOfBackup = (written: 0, withThoseToCome: 0)
    /// How many marks there had been when the folder was put back or lost last.
    var marksAtStart = 0
    var configuration: Terminal.Configuration
    var fileReader: UnsafeMutableRawPointer?
    let cleanIsLast: Bool
    let course: Course?
    /// Of its longest attempt: what had no answer is asked again, which takes fewer steps.
    private(set) var stepsOfLastWish = 0

    /// Whether each entry could be read at the start of this life.
    var knowsStages = true
    var isHealed = false

    static let second: Int64 = 1_000_000_000
    /// Of steps: more than any sound run needs.
    static let maximumSteps = 60_000

    init(_ world: World, force: [Fault: UInt64] = [:], course: Course? = nil) {
        self.world = world
        self.course = course
        let draw = { (label: StaticString, bound: UInt64) in world.draw(.plan, label, bound) }
        world.swarm = Swarm(draw)
        world.swarm.addCorners { world.draw(.corners, $0, $1) }
        for (fault, rate) in force { world.swarm.set(fault, rate) }
        world.host.hasExtensions = draw("extensions", 3) < 2
        world.host.hasList = world.host.hasExtensions || draw("list", 2) == 0
        world.keepsMark = draw("mark", 4) < 3
        let isTest = draw("test mode", 20) == 19
        var drawsGateway = world.draw(.parts, "gateway", 4) == 3
        if !drawsGateway, world.swarm.hasGatewayCorners { drawsGateway = world.draw(.corners, "gateway", 3) == 2 }
        if drawsGateway, world.swarm.exists(.repeatRefused), world.draw(.corners, "as published", 2) == 1 {
            (world.host.hasExtensions, world.host.hasList) = (false, true)
        }
        world.hasKernel = world.draw(.parts, "kernel", 8) == 7
        if world.swarm.exists(.contactless), world.draw(.corners, "contactless kernels", 2) == 1 {
            world.hasKernel = true
        }
        Self.chooseHost(world, Interface(course?.host, world, drawsGateway: drawsGateway))
        if let course { world.hasKernel = course.host.hasKernel }
        world.marks.parts[world.hasKernel ? "reader: ChipReader with a virtual card" : "reader: model", default: 0] += 1
        if let course {
            (world.host.hasExtensions, world.host.hasList) = (course.host.hasExtensions, course.host.hasList)
        }
        // A host without a list refuses order ids for ever, and a journal without a mark does not
        // see that it was restored.
        if world.host.hasList, world.keepsMark, draw("short memory", 2) == 1 || world.swarm.exists(.storedSinceCopy),
            world.bench == nil
        {
            world.host.memory = 3600 * Self.second
        }
        world.loop.policy = Loop.Policy(rawValue: draw("policy", UInt64(Loop.Policy.allCases.count))) ?? .first
        world.loop.slowness = draw("slowness", 3)
        configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        // The cards' keys are test keys.
        if world.hasKernel || isTest { configuration.mode = .test }
        if draw("short limits", 4) == 3 {
            configuration.limits = TimeLimits(reader: .seconds(20), standDown: .seconds(2), host: .seconds(5))
        }
        if draw("deferred", 4) == 3 {
            configuration.offline = OfflinePolicy(deferredAuthorization: [.keyed, .magneticStripe])
        }
        configuration.draw(world)
        world.host.hasOddRecord = world.swarm.exists(.oddRecord)
        if world.swarm.exists(.shortPages) { world.host.pageLimit = 1 + Int(world.draw(.corners, "page", 3)) }
        cleanIsLast = draw("last start", 2) == 0
        keys = [Self.key(1)]
    }

    // MARK: The run

    func run() {
        world.note(
            "faults: \(world.swarm.kinds.map(\.rawValue).joined(separator: " ")); extensions: \(world.host.hasExtensions)"
        )
        world.note("parts: \(world.marks.parts.keys.sorted().joined(separator: ", "))")
        wishes = course?.wishes ?? Wish.plan(world)
        for wish in wishes { world.host.decisions[wish.orderID] = decision(on: wish) }
        for wish in wishes where wish.kind != .reversal && world.bench == nil { surroundOrder(of: wish) }
        guard boot() else { return }
        for wish in wishes {
            for _ in 0...wish.retries {
                if life == nil, !boot() { return }
                let isCopied = copyJournal(before: wish)
                attempt(wish)
                if isCopied { putBackCopy() }
                askAboutUnwritten()
                guard wantsRetry(wish) else { break }
            }
            sayOtherwise(wish)
            runErrand(after: wish)
            closeInOrder(after: wish)
            forgetStored(wish)
            letDaysPass(after: wish)
            if world.draw(.plan, "pause", 4) == 3 { _ = pass(Int64(world.draw(.plan, "pause for", 90)) * Self.second) }
            askAboutUnwritten()
        }
        finish()
    }

    /// The XML interface has no place for another amount in the answer to a refund or a capture, so
    /// that a gateway cannot approve a part.
    private func decision(on wish: Wish) -> ModelHost.Decision {
        let tellsAmount = ![.refund, .capture, .cardRefund].contains(wish.kind)
        return wish.decision == .approvePart && world.server is XMLServer && !tellsAmount ? .approve : wish.decision
    }

    /// What the host has of an order before it comes, and whether its issuer wants a call.
    private func surroundOrder(of wish: Wish) {
        world.shop.kinds[wish.orderID] = wish.kind
        if wish.isPartly, world.host.decisions[wish.orderID] == .approvePart { world.struck(.partly, wish.orderID) }
        if world.host.hasList, world.strikes(.foreignOrder, .corners, order: wish.orderID) {
            world.keepForeignOrder(wish)
        }
        guard wish.original == nil, !wish.isPartly, world.strikes(.referral, .corners, order: wish.orderID) else {
            return
        }
        world.host.decisions[wish.orderID] = .refer
    }

    func wantsRetry(_ wish: Wish) -> Bool {
        switch world.shop.replies[wish.number]?.last {
        case .response(let response): response.outcome == .unknown
        case .error, .nothing, nil: wish.key != nil
        }
    }
    // MARK: An attempt

    func attempt(_ wish: Wish) {
        guard let life else { return }
        if wish.readsCard, world.draw(.plan, "new reader", 4) == 3 {
            _ = call { try? await life.connectReader() }
            guard self.life === life else { return }
        }
        turnClock(before: wish)
        letOthersSell(beside: wish)
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

    /// A till asks how its orders ended. What it hears must stay true if the process dies, also
    /// where the journal could not take the end.
    private func askAboutUnwritten() {
        for order in Set(wishes.map(\.orderID)).sorted(by: { $0.text < $1.text }) {
            guard let life, world.shop.isUnwritten(order) else { continue }
            let told = call { try? await life.terminal.outcome(of: order) } ?? nil
            guard self.life === life, let told else { continue }
            world.shop.asked(told, world)
        }
    }

    func begin(_ wish: Wish, _ life: Life) -> Task<Void, Never> {
        world.shop.starts(wish, world)
        return Task.detached { [world] in world.shop.tell(wish, await life.take(wish), world) }
    }
}
