internal import PaymentTerminal

/// The way from one life of the process to the host and back: each message may be lost, late,
/// doubled or refused.
///
/// It has no task of its own: what is on its way happens outside the process, and an answer to a
/// dead process reaches nobody.
final class Line: @unchecked Sendable {
    private let world: World
    private let life: Int

    init(_ world: World, life: Int) {
        self.world = world
        self.life = life
    }

    /// What a message is about, where something happens to such messages alone.
    enum Content {
        case other, reversal
        /// The attendant's for an order that its issuer has referred.
        case approvalCode
    }

    /// One request, and what each fate of it comes to for whoever sent it.
    struct Message<Answer: Sendable> {
        let name: String
        let order: OrderID?
        let canBeDoubled: Bool
        /// Has the host act on the request when it arrives, and hands over what it answers.
        let act: (_ answered: @escaping (Answer) -> Void) -> Void
        /// The host's answer when it cannot do its work.
        let unavailable: () -> Answer
        /// An answer of something on the way.
        ///
        /// - Parameter wasPassedOn: The host has had the request.
        let bareStatus: (_ wasPassedOn: Bool) -> Answer
        let damaged: (Answer) -> Answer
        /// Nothing of the request has left.
        let unreachable: (_ reason: String) -> Answer
        /// The request has left, and no answer came.
        let noAnswer: (_ reason: String) -> Answer
        /// For the trace.
        let summary: (Answer) -> String
        /// Whoever sends it ends at the time-out even if it hears of no cancelling.
        var endsInTime = false
        var content = Content.other
        /// The second answer to a request that was doubled on the way.
        var leftOver: (Answer) -> Void = { _ in }
    }

    private enum Time {
        static let millisecond: Int64 = 1_000_000
        static let second: Int64 = 1_000_000_000
        /// How long a client waits for an answer.
        static let limit: Int64 = 30 * second
    }

    /// One question, and the task that waits for its answer.
    @safe private final class Call<Answer: Sendable>: @unchecked Sendable {
        let message: Message<Answer>
        var waiting: UnsafeContinuation<Answer, Never>?
        var hasLeft = false
        var isCancelled = false
        var isDeaf = false

        init(_ message: Message<Answer>) { self.message = message }

        func end(_ answer: Answer) {
            guard let waiting = unsafe waiting else { return }
            unsafe self.waiting = nil
            unsafe waiting.resume(returning: answer)
        }

        func cancel() {
            isCancelled = true
            guard !isDeaf else { return }
            fail("cancelled")
        }

        func fail(_ reason: String) { end(hasLeft ? message.noAnswer(reason) : message.unreachable(reason)) }
    }

    func send<Answer: Sendable>(_ message: Message<Answer>) async -> Answer {
        let call = Call(message)
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiting in
                unsafe call.waiting = waiting
                depart(call)
            }
        } onCancel: {
            call.cancel()
        }
    }

    private func depart<Answer: Sendable>(_ call: Call<Answer>) {
        guard world.isAlive(life) else { return }
        let (name, order) = (call.message.name, call.message.order)
        if call.isCancelled { return call.end(call.message.unreachable("cancelled")) }
        call.isDeaf = world.strikes(.deafHostClient, .network, order: order)
        // A question that names no order is everybody's.
        if call.isDeaf { world.shop.disturbed.formUnion(order.map { [$0] } ?? world.shop.running.map(\.orderID)) }
        if !call.isDeaf || call.message.endsInTime {
            world.loop.after(Time.limit, "time-out", life: life) { call.fail("no answer in time") }
        }
        if world.strikes(.partition, .network, order: order, outOf: 4) {
            world.partitionEnd = world.now + Int64(1 + world.draw(.network, "partition", 120)) * Time.second
        }
        var there = delay()
        let isReversalAway =
            call.message.content == .reversal && world.strikes(.reversalAway, .corners, order: order)
        if world.now < world.partitionEnd || isReversalAway || isAwayAtFirst(order)
            || world.strikes(.refused, .network, order: order)
        {
            world.loop.after(there, "refused", life: life) { [world] in
                world.note("\(name): unreachable")
                call.end(call.message.unreachable("the host cannot be reached"))
            }
            return
        }
        call.hasLeft = true
        world.note("\(name) leaves")
        let isSilent = order.map { world.shop.silenced.contains($0) } ?? false
        guard !isSilent, !world.strikes(.requestLost, .network, order: order) else { return }
        if call.message.content == .approvalCode, world.strikes(.codeLate, .corners, order: order) {
            there += Time.limit + Int64(world.draw(.corners, "late", 90)) * Time.second
            // The process ends before it gives up, so that its next life finds an unanswered code.
            if world.draw(.corners, "dies", 2) == 1 { world.endProcess(after: Time.second) }
        }
        let isDoubled = call.message.canBeDoubled && world.strikes(.doubled, .network, order: order)
        let secondAnswers = isDoubled && world.draw(.network, "which answers", 2) == 1
        let again = delay()
        world.loop.after(there, "arrives") { [self] in
            // Who repeats a request hands on the answer to the last one, at least where the first
            // was not taken.
            let wasTaken = arrive(call, answers: !secondAnswers, isLast: !isDoubled)
            guard isDoubled else { return }
            world.loop.after(again, "arrives again") { [self] in
                _ = arrive(call, answers: secondAnswers || !wasTaken, isLast: true, isSecond: wasTaken)
            }
        }
    }

    /// Whether the host cannot be reached while the operation of an order is at work; what follows
    /// later gets through.
    private func isAwayAtFirst(_ order: OrderID?) -> Bool {
        guard let order, world.shop.running.contains(where: { $0.orderID == order }),
            world.shop.kinds[order] != .reversal
        else {
            return false
        }
        return world.strikes(.awayAtFirst, .corners, order: order)
    }

    /// - Returns: Whether the host took the request.
    private func arrive<Answer: Sendable>(_ call: Call<Answer>, answers: Bool, isLast: Bool, isSecond: Bool = false)
        -> Bool
    {
        let (message, order) = (call.message, call.message.order)
        if world.strikes(.unavailable, .network, order: order) {
            guard isLast, answers else { return false }
            answer(delay()) { call.end(message.unavailable()) }
            return false
        }
        if world.strikes(.strayStatus, .network, order: order) {
            // From something on the way. Whether the host has acted nobody can see; a gateway
            // client says so where money moves.
            let acts = world.draw(.network, "acts", 2) == 1
            if acts { message.act { _ in } }
            guard answers else { return true }
            let status = message.bareStatus(acts)
            answer(delay()) { call.end(status) }
            return true
        }
        message.act { [self] result in
            world.note("\(message.name) arrives: \(message.summary(result))")
            if answers { bringBack(result, call) } else if isSecond { message.leftOver(result) }
        }
        return true
    }

    /// The host's answer on its way to whoever asked.
    private func bringBack<Answer: Sendable>(_ result: Answer, _ call: Call<Answer>) {
        let (message, order) = (call.message, call.message.order)
        if let order, world.lostAnswers.remove(order) != nil { return }
        guard !world.strikes(.answerLost, .network, order: order) else { return }
        var back = delay()
        if world.strikes(.answerLate, .network, order: order) {
            back += Time.limit + Int64(world.draw(.network, "late", 90)) * Time.second
        }
        let isDamaged = world.strikes(.notGenuine, .network, order: order)
        answer(back) { [world] in
            world.note("\(message.name) answered\(isDamaged ? ", damaged" : "")")
            if let order { world.shop.lastEvent[order] = "answer" }
            call.end(isDamaged ? message.damaged(result) : result)
        }
    }

    /// Has `action` happen in the process, if it is still the one that asked.
    private func answer(_ delay: Int64, _ action: @escaping () -> Void) {
        guard world.isAlive(life) else { return }
        world.loop.after(delay, "answer", life: life, action)
    }

    private func delay() -> Int64 {
        let delay = Int64(1 + world.draw(.network, "delay", 40)) * Time.millisecond
        return world.strikes(.slow, .network) ? delay * 200 : delay
    }
}
