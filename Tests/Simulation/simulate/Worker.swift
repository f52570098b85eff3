import Foundation
import Simulator

/// The part of the program that simulates. It has no thread but its own.
enum Worker {
    /// - Parameter arguments: `--fault KIND=RATE` for each, perhaps `--obliging`, then what to run.
    static func run(_ arguments: [String]) {
        var arguments = arguments
        var force: [Fault: UInt64] = [:]
        while arguments.first == "--fault", let fault = arguments.dropFirst().first.flatMap({ FaultRate(argument: $0) })
        {
            force[fault.kind] = fault.rate
            arguments.removeFirst(2)
        }
        let isObliging = arguments.first == "--obliging"
        if isObliging { arguments.removeFirst() }
        Simulator.start()
        switch arguments.first {
        case "--range":
            guard arguments.count == 3, let first = UInt64(arguments[1]), let last = UInt64(arguments[2]) else {
                return
            }
            report(Array(first..<last), force, isObliging)
        case "--seeds": report(arguments.dropFirst().compactMap { UInt64($0) }, force, isObliging)
        case "--seed":
            guard let seed = arguments.dropFirst().first.flatMap({ UInt64($0) }) else { return }
            let result = Simulator.run(
                seed: seed, force: force, isObliging: isObliging, showsDisk: arguments.contains("--disk")
            ) { lines in
                for line in lines { print(line) }
            }
            print(
                "seed \(seed): \(result.steps) steps, \(Int(result.seconds)) s, hash \(String(result.hash, radix: 16))")
            for violation in result.violations { print("\(violation.kind.rawValue): \(violation.summary)") }
        case "--case":
            guard let number = arguments.dropFirst().first.flatMap({ UInt64($0) }) else { return }
            let result = Simulator.run(courseStep: number) { lines in
                for line in lines { print(line) }
            }
            for violation in result?.violations ?? [] { print("\(violation.kind.rawValue): \(violation.summary)") }
        case "--courses":
            guard arguments.count == 3, let first = Int(arguments[1]), let last = Int(arguments[2]) else { return }
            var tally = Tally()
            for number in first..<min(last, Simulator.courseCount) { Simulator.exhaust(number) { tally.add($0) } }
            write(tally)
        case "--shrink":
            guard let seed = arguments.dropFirst().first.flatMap({ UInt64($0) }) else { return }
            shrink(seed, force, isObliging)
        case "--replay":
            guard let path = arguments.dropFirst().first else { return }
            replay(path, force)
        case "--disk-model":
            for (name, lies) in [("FULL", false), ("NORMAL", false), ("OFF", false), ("FULL", true)] {
                let sum = Simulator.tryDisk(name, seeds: 0..<500, lies: lies)
                print(
                    "\(name)\(lies ? ", syncs lie" : ""): \(sum.crashes) crashes, \(sum.lost) lost, \(sum.corrupt) corrupt"
                )
            }
        default: break
        }
    }

    private static func report(_ seeds: [UInt64], _ force: [Fault: UInt64], _ isObliging: Bool) {
        var tally = Tally()
        for seed in seeds {
            let result = Simulator.run(seed: seed, force: force, isObliging: isObliging)
            tally.add(result)
            guard Tally.isCheckedTwice(seed) else { continue }
            if Simulator.run(seed: seed, force: force, isObliging: isObliging).hash != result.hash {
                tally.unequal.append(seed)
            }
        }
        write(tally)
    }

    private static func write(_ tally: Tally) {
        guard let data = try? JSONEncoder().encode(tally) else { return }
        FileHandle.standardOutput.write(data)
    }

    /// Prints the trace of the smallest run, and its draws, a line for each stream, for `--replay`.
    private static func shrink(_ seed: UInt64, _ force: [Fault: UInt64], _ isObliging: Bool) {
        guard let (list, runs) = Simulator.shrink(seed: seed, force: force, isObliging: isObliging, maximumRuns: 4000)
        else {
            print("seed \(seed) finds nothing")
            return
        }
        show(list, force)
        print("after \(runs) runs; the draws, for --replay:")
        for stream in list { print(stream.map { "\($0)" }.joined(separator: " ")) }
    }

    private static func replay(_ path: String, _ force: [Fault: UInt64]) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            print("\(path) cannot be read: give a file with the draws, a line for each stream")
            return
        }
        let list = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.split(separator: " ").compactMap { UInt64($0) }
        }
        show(list, force)
    }

    private static func show(_ list: [[UInt64]], _ force: [Fault: UInt64]) {
        let result = Simulator.run(list: list, force: force) { lines in
            for line in lines { print(line) }
        }
        for violation in result.violations { print("\(violation.kind.rawValue): \(violation.summary)") }
    }
}
