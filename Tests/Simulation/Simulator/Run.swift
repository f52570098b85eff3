internal import CSimulation
internal import TLV

/// What a seed came to.
package struct RunResult: Codable, Sendable {
    package var seed: UInt64
    package var hash: UInt64
    package var steps: Int
    /// Virtual, in seconds.
    package var seconds: Double
    package var violations: [Violation]
    package var marks: Marks
}

package enum Simulator {
    /// Makes this thread the simulator's, and everything that runs on it virtual; to be called
    /// once, before the first task.
    package static func start() {
        simulation_claim_thread()
        Loop.takeOver()
        World.registerDisk()
        // What draws a random number once in a process draws it now, and not from the first seed's.
        _ = TestCards.shared
        _ = DataElements()
    }

    /// Runs one seed.
    ///
    /// - Parameters:
    ///   - force: Faults with their rates (in 256), in place of what is drawn.
    ///   - isObliging: Whether hosts, cards and people do only what everybody expects of them.
    ///   - showsDisk: Whether the trace has what was written to the disk.
    ///   - tell: Gets the trace, a line each.
    package static func run(
        seed: UInt64, force: [Fault: UInt64] = [:], isObliging: Bool = false, showsDisk: Bool = false,
        tell: (([String]) -> Void)? = nil
    ) -> RunResult {
        run(
            draws: Draws(seed: seed, isObliging: isObliging), seed: seed, force: force, showsDisk: showsDisk, tell: tell
        )
    }

    static func run(
        draws: Draws, seed: UInt64 = 0, force: [Fault: UInt64] = [:], course: Course? = nil, showsDisk: Bool = false,
        tell: (([String]) -> Void)? = nil, keep: ((Draws, Scenario) -> Void)? = nil
    ) -> RunResult {
        let world = World(draws: draws, keepsTrace: tell != nil)
        world.showsDisk = showsDisk
        let scenario = Scenario(world, force: force, course: course)
        scenario.run()
        tell?(world.trace.lines)
        keep?(world.draws, scenario)
        return RunResult(
            seed: seed, hash: world.trace.hash, steps: world.trace.steps, seconds: Double(world.now) / 1e9,
            violations: world.violations,
            marks: world.marks)
    }

    /// Runs the draws of a list (``shrink(seed:force:isObliging:maximumRuns:)``).
    package static func run(list: [[UInt64]], force: [Fault: UInt64], tell: @escaping ([String]) -> Void) -> RunResult {
        run(
            draws: Draws(given: list + Draws.Stream.allCases.dropFirst(list.count).map { _ in [] }), force: force,
            tell: tell)
    }

    /// Makes a seed with a finding small.
    ///
    /// - Returns: The draws of each stream that still have the finding, and how many runs that
    ///   took; nil if the seed finds nothing.
    package static func shrink(
        seed: UInt64, force: [Fault: UInt64], isObliging: Bool, maximumRuns: Int
    ) -> (list: [[UInt64]], runs: Int)? {
        var values: [[UInt64]] = []
        let result = run(
            draws: Draws(seed: seed, isObliging: isObliging), force: force,
            keep: { draws, _ in values = draws.kept.map { $0.map(\.value) } })
        guard let kind = result.violations.first?.kind else { return nil }
        var shrinker = Shrinker(values, kind, force: force, maximumRuns: maximumRuns)
        shrinker.shrink()
        return (shrinker.values, shrinker.runs)
    }

    // MARK: Every step

    package static var courseCount: Int { Course.all.count }

    /// Tries the course with this number at each of its steps.
    ///
    /// - Parameter add: Gets each result; its seed is the number of the course times
    ///   ``stepsOfCourse``, plus the step.
    package static func exhaust(_ number: Int, _ add: (RunResult) -> Void) {
        var course = Course.all[number]
        let mild = Draws(given: Draws.Stream.allCases.map { _ in [] })
        var steps = 0
        add(
            run(
                draws: mild, seed: UInt64(number) * stepsOfCourse + stepsOfCourse - 1, course: course,
                keep: { steps = $1.stepsOfLastWish })
        )
        for step in 0...steps {
            course.step = step
            add(run(draws: mild, seed: UInt64(number) * stepsOfCourse + UInt64(step), course: course))
        }
    }

    package static let stepsOfCourse: UInt64 = 1_000_000

    /// The trace of one step of one course.
    package static func run(courseStep number: UInt64, tell: @escaping ([String]) -> Void) -> RunResult? {
        guard number / stepsOfCourse < courseCount else { return nil }
        var course = Course.all[Int(number / stepsOfCourse)]
        course.step = Int(number % stepsOfCourse)
        return run(draws: Draws(given: Draws.Stream.allCases.map { _ in [] }), seed: number, course: course, tell: tell)
    }

    /// The disk's own test: how many acknowledged commits were lost, and how many databases
    /// damaged, by power cuts.
    package static func tryDisk(_ synchronous: String, seeds: Range<UInt64>, lies: Bool = false) -> (
        crashes: Int, lost: Int, corrupt: Int
    ) {
        var sum = (crashes: 0, lost: 0, corrupt: 0)
        for seed in seeds {
            let world = World(draws: Draws(seed: seed), keepsTrace: false)
            world.swarm.set(.powerCut, 64)
            if lies { world.swarm.set(.lyingDisk, 256) }
            let trial = unsafe simulation_disk_trial(synchronous, 3)
            sum = (
                sum.crashes + Int(trial.crashes), sum.lost + Int(trial.lost_after_acknowledgement),
                sum.corrupt + Int(trial.corrupt)
            )
        }
        return sum
    }
}

/// What many seeds came to.
package struct Tally: Codable, Sendable {
    package var runs = 0
    package var steps = 0
    package var seconds = 0.0
    package var marks = Marks()
    package var findings: [RunResult] = []
    /// Of every fiftieth seed.
    package var hashes: [UInt64: UInt64] = [:]
    /// Seeds whose second run differed.
    package var unequal: [UInt64] = []

    package init() {}

    package static func isCheckedTwice(_ seed: UInt64) -> Bool { seed % 50 == 0 }

    package mutating func add(_ result: RunResult) {
        runs += 1
        steps += result.steps
        seconds += result.seconds
        marks.add(result.marks)
        if Self.isCheckedTwice(result.seed) { hashes[result.seed] = result.hash }
        guard !result.violations.isEmpty else { return }
        var finding = result
        finding.marks = Marks()
        findings.append(finding)
    }

    /// A seed that ended its process.
    package mutating func addTrap(_ seed: UInt64, _ summary: String) {
        runs += 1
        findings.append(
            RunResult(
                seed: seed, hash: 0, steps: 0, seconds: 0, violations: [Violation(kind: .trapped, summary: summary)],
                marks: Marks()))
    }

    package mutating func add(_ other: Tally) {
        runs += other.runs
        steps += other.steps
        seconds += other.seconds
        marks.add(other.marks)
        findings += other.findings
        hashes.merge(other.hashes) { $1 }
        unequal += other.unequal
    }
}
