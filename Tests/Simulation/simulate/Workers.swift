import Foundation
import Simulator

/// Processes that simulate: each has its own executor, its own clock and its own disk, and what
/// dead lives leave in memory goes with it.
struct Workers {
    /// Seeds that one process runs; then the next begins with fresh memory.
    static let batch: UInt64 = 250

    /// The first argument of a worker.
    static let option = "--worker"

    let count: Int
    /// Ends after so many findings.
    let maximumFindings: Int
    let faults: [FaultRate]
    var isObliging = false

    /// Runs `seeds` and every fiftieth once more in another process.
    func run(_ seeds: Range<UInt64>, progress: (Tally) -> Void) throws -> Tally {
        var total = Tally()
        var batches = Array(stride(from: seeds.lowerBound, to: seeds.upperBound, by: Int(Self.batch)).reversed())
        var running: [(Range<UInt64>, (Process, FileHandle))] = []
        while !batches.isEmpty && total.findings.count < maximumFindings || !running.isEmpty {
            while running.count < count, total.findings.count < maximumFindings, let first = batches.popLast() {
                let last = min(first + Self.batch, seeds.upperBound)
                running.append((first..<last, try start(["--range", "\(first)", "\(last)"])))
            }
            let (seeds, worker) = running.removeFirst()
            total.add(try tallyOfSeeds(worker, seeds))
            progress(total)
        }
        let checked = total.hashes.keys.sorted()
        for start in stride(from: 0, to: checked.count, by: Int(Self.batch)) {
            let some = checked[start..<min(start + Int(Self.batch), checked.count)]
            let (process, output) = try self.start(["--seeds"] + some.map { "\($0)" })
            let again = try tally(process, output)
            total.unequal += some.filter { again.hashes[$0] != total.hashes[$0] && !total.unequal.contains($0) }
        }
        return total
    }

    /// Tries every course at each of its steps.
    func exhaust(progress: (Tally) -> Void) throws -> Tally {
        var total = Tally()
        var next = 0
        var running: [(Process, FileHandle)] = []
        while next < Simulator.courseCount || !running.isEmpty {
            while running.count < count, next < Simulator.courseCount {
                running.append(try start(["--courses", "\(next)", "\(next + 4)"]))
                next += 4
            }
            let (process, output) = running.removeFirst()
            total.add(try tally(process, output))
            progress(total)
        }
        return total
    }

    /// Starts this program once more as a worker, with hashing that is the same in every process.
    private func start(_ arguments: [String]) throws -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = self.arguments(arguments)
        // A trap is found by the seed that has it; where it is, --seed shows.
        process.environment = Self.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }

    /// What `seeds` came to: one that ends its process with a trap has a finding, and the others
    /// run without it.
    private func tallyOfSeeds(_ worker: (Process, FileHandle), _ seeds: Range<UInt64>) throws -> Tally {
        do {
            return try tally(worker.0, worker.1)
        } catch let failure as Failure {
            guard seeds.count > 1 else {
                var tally = Tally()
                tally.addTrap(seeds.lowerBound, failure.description)
                return tally
            }
            let middle = seeds.lowerBound + UInt64(seeds.count / 2)
            var total = Tally()
            for half in [seeds.lowerBound..<middle, middle..<seeds.upperBound] {
                total.add(try tallyOfSeeds(start(["--range", "\(half.lowerBound)", "\(half.upperBound)"]), half))
            }
            return total
        }
    }

    private func tally(_ process: Process, _ output: FileHandle) throws -> Tally {
        let data = output.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                summary:
                    "a worker ended with \(process.terminationStatus): \(process.arguments?.joined(separator: " ") ?? "")"
            )
        }
        return try JSONDecoder().decode(Tally.self, from: data)
    }

    /// Runs one worker whose output is for the reader.
    func show(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = self.arguments(arguments)
        process.environment = Self.environment
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func arguments(_ work: [String]) -> [String] {
        [Self.option] + faults.flatMap { ["--fault", "\($0)"] } + (isObliging ? ["--obliging"] : []) + work
    }

    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1", "TZ": "UTC"]) { $1 }
    }

    struct Failure: Error, CustomStringConvertible {
        let summary: String
        var description: String { summary }
    }
}
