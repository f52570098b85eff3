internal import CSimulation

/// The one thread of a simulated world: it has the jobs that could run, the timers, the blocks of
/// the queues and what is about to happen outside, and runs one of them after the other, each time
/// as drawn.
final class Loop: @unchecked Sendable {
    static let shared = Loop()

    /// How the next one is chosen.
    enum Policy: UInt64, CaseIterable {
        case first, any, last, mostlyFirst, mostlyLast
    }

    private struct Timed<Value> {
        let due: Int64
        let number: Int
        let value: Value
    }

    /// Something outside the process: a message arrives, a card is taken out.
    struct Happening {
        let label: StaticString
        /// The life of the process that it belongs to; nil if it happens even when that has ended.
        let life: Int?
        let action: () -> Void
    }

    var policy = Policy.first
    /// Of 64 steps about this many have the clock go on while somebody is ready to run.
    var slowness: UInt64 = 0
    var draw: (StaticString, UInt64) -> UInt64 = { _, _ in 0 }
    var mix: (UInt64) -> Void = { _ in }

    private var jobs: [UnownedJob] = []
    private var sleepers: [Timed<UnownedJob>] = []
    private var happenings: [Timed<Happening>] = []
    private var due: [Happening] = []
    private var number = 0
    private(set) var steps = 0

    var now: Int64 { simulation_now() }

    // MARK: What is to happen

    func enqueue(_ job: UnownedJob) {
        guard simulation_is_on_its_thread() else {
            fatalError("a task was woken by a thread that the simulator does not know")
        }
        jobs.append(job)
    }

    func enqueue(_ job: UnownedJob, after delay: Int64) {
        guard simulation_is_on_its_thread() else {
            fatalError("a task sleeps on a thread that the simulator does not know")
        }
        insert(Timed(due: now + max(0, delay), number: next(), value: job), into: &sleepers)
    }

    func after(_ delay: Int64, _ label: StaticString, life: Int? = nil, _ action: @escaping () -> Void) {
        let happening = Happening(label: label, life: life, action: action)
        insert(Timed(due: now + max(0, delay), number: next(), value: happening), into: &happenings)
    }

    private func next() -> Int {
        number += 1
        return number
    }

    /// Keeps the latest first, so that the earliest is cheap to take.
    private func insert<Value>(_ timed: Timed<Value>, into list: inout [Timed<Value>]) {
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if (list[middle].due, list[middle].number) > (timed.due, timed.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        list.insert(timed, at: low)
    }

    // MARK: The process

    /// Forgets every task, timer and block, and what belongs to the lives up to `life`: no line of
    /// the process runs any more.
    func dropProcess(_ life: Int) {
        jobs.removeAll()
        sleepers.removeAll()
        simulation_drop_queues()
        happenings.removeAll { $0.value.life.map { $0 <= life } ?? false }
        due.removeAll { $0.life.map { $0 <= life } ?? false }
    }

    func reset() {
        dropProcess(.max)
        happenings.removeAll()
        due.removeAll()
        number = 0
        steps = 0
    }

    // MARK: Steps

    private func takeDue() {
        while let last = sleepers.last, last.due <= now {
            jobs.append(last.value)
            sleepers.removeLast()
        }
        while let last = happenings.last, last.due <= now {
            due.append(last.value)
            happenings.removeLast()
        }
    }

    private var nextTime: Int64? {
        switch (sleepers.last?.due, happenings.last?.due) {
        case (let one?, let other?): min(one, other)
        case (let one, let other): one ?? other
        }
    }

    /// Runs one of those that are ready; if there are none it is the next timer's turn.
    ///
    /// - Parameter horizon: The clock goes no further than this.
    /// - Returns: Whether there was anything to do.
    func step(until horizon: Int64 = .max) -> Bool {
        if slowness > 0, draw("slow processor", 64) >= 64 - slowness {
            let later = now + Int64(draw("by", 20)) * 1_000_000
            simulation_set_now(min(later, max(now, min(horizon, nextTime ?? later))))
        }
        takeDue()
        var queues = [CInt](repeating: 0, count: 8)
        var queueCount = Int(unsafe simulation_ready_queues(&queues, 8))
        var count = jobs.count + due.count + queueCount
        if count == 0 {
            guard let time = nextTime, time <= horizon else { return false }
            simulation_set_now(time)
            takeDue()
            queueCount = 0
            count = jobs.count + due.count
        }
        steps += 1
        let choice = count == 1 ? 0 : choose(count)
        mix(UInt64(choice) << 32 | UInt64(count))
        mix(UInt64(bitPattern: now))
        let jobCount = jobs.count
        if choice < jobCount {
            let job = jobs.remove(at: choice)
            LoopExecutor.shared.run(job)
        } else if choice < jobCount + due.count {
            due.remove(at: choice - jobCount).action()
        } else {
            simulation_run_queue(queues[choice - jobCount - due.count])
        }
        return true
    }

    private func choose(_ count: Int) -> Int {
        let last = count - 1
        switch policy {
        case .first: return 0
        case .last: return last
        case .any: return Int(draw("next", UInt64(count)))
        case .mostlyFirst: return draw("another", 8) == 7 ? Int(draw("next", UInt64(count))) : 0
        case .mostlyLast: return draw("another", 8) == 7 ? Int(draw("next", UInt64(count))) : last
        }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max / 4 : min(whole, .max / 4) + attoseconds / 1_000_000_000
    }

}
