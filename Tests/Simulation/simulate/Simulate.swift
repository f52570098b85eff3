import ArgumentParser
import Foundation
import Simulator

@main struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run the terminal in simulated worlds, one for each seed.",
        discussion: """
            Without another mode it runs SEEDS seeds and prints a summary. Every fiftieth seed runs \
            twice in its process and once in another one, and must take the same steps.

            The exit status is 1 if a seed has a finding, or takes other steps in its second run.
            """)

    @Argument(help: ArgumentHelp("How many seeds to run; 1000 if no number is given.", valueName: "seeds"))
    var count: UInt64?

    @Option(help: "The first seed; 0 if no number is given.")
    var from: UInt64?

    @Option(help: "How many processes run at once; 2 if no number is given.")
    var workers: Int?

    @Option(help: ArgumentHelp("End after so many findings.", valueName: "findings"))
    var maximum: Int?

    @Flag(help: "Print the seeds that have a finding.")
    var list = false

    @Option(
        name: .customLong("fault"),
        help: ArgumentHelp(
            "How often a fault comes, in 256; 0 for never. Kinds: \(FaultRate.kinds).", valueName: "kind=rate"))
    var faults: [FaultRate] = []

    @Flag(help: "Hosts, cards and people do only what everybody expects, with one configuration.")
    var obliging = false

    @OptionGroup(title: "Other modes") var mode: Mode

    func validate() throws {
        if let workers, workers < 1 { throw ValidationError("--workers \(workers): give at least 1") }
        guard seeds != nil else {
            throw ValidationError("no seed is greater than \(UInt64.max): give a smaller --from")
        }
        if mode.isGiven, count != nil || from != nil || maximum != nil || list {
            throw ValidationError("a number of seeds, --from, --maximum and --list go with no other mode")
        }
        guard workers == nil || mode.shown == nil else {
            throw ValidationError("--workers goes with many seeds and --exhaustive")
        }
        guard faults.isEmpty || !mode.isGiven || mode.drawsFaults else {
            throw ValidationError("--fault goes with many seeds, --seed, --shrink and --replay")
        }
        guard !obliging || !mode.isGiven || mode.seed != nil || mode.shrink != nil else {
            throw ValidationError("--obliging goes with many seeds, --seed and --shrink")
        }
    }

    /// Nil if they would pass the greatest number.
    private var seeds: Range<UInt64>? {
        let (first, count) = (from ?? 0, count ?? 1000)
        return count <= UInt64.max - first ? first..<first + count : nil
    }

    /// A worker is this program, too: it begins with nothing but its own arguments.
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == Workers.option { Worker.run(Array(arguments.dropFirst())) } else { main(nil) }
    }

    func run() throws {
        guard let seeds else { return }
        let workers = Workers(
            count: workers ?? 2, maximumFindings: maximum ?? .max, faults: faults, isObliging: obliging)
        if let arguments = mode.shown { throw ExitCode(try workers.show(arguments)) }
        let total =
            mode.exhaustive
            ? try workers.exhaust { Self.report("\($0.runs) steps, \($0.findings.count) findings") }
            : try workers.run(seeds) { Self.report("\($0.runs) of \(seeds.count), \($0.findings.count) findings") }
        FileHandle.standardError.write(Data("\n".utf8))
        print(Summary(total).text)
        if list { print("seeds: " + total.findings.map { "\($0.seed)" }.joined(separator: " ")) }
        if !total.findings.isEmpty || !total.unequal.isEmpty { throw ExitCode.failure }
    }

    private static func report(_ progress: String) { FileHandle.standardError.write(Data("\r\(progress) ".utf8)) }
}

/// What to do in place of a run of many seeds.
struct Mode: ParsableArguments {
    @Option(help: "Show the trace of one seed.")
    var seed: UInt64?

    @Flag(help: "With --seed: show what is written to the disk, too.")
    var disk = false

    @Option(
        help: ArgumentHelp("Make a seed with a finding small, and print its trace and its draws.", valueName: "seed"))
    var shrink: UInt64?

    @Option(help: ArgumentHelp("Run the draws that --shrink printed.", valueName: "file"))
    var replay: String?

    @Flag(help: "Cancel, or kill the process, at every step of each scenario.")
    var exhaustive = false

    @Option(
        name: .customLong("case"),
        help: ArgumentHelp("Show the trace of one step of --exhaustive.", valueName: "number"))
    var courseStep: UInt64?

    @Flag(help: "Show what the disk loses under each setting of SQLite.")
    var diskModel = false

    func validate() throws {
        guard
            [seed != nil, shrink != nil, replay != nil, exhaustive, courseStep != nil, diskModel].count(where: \.self)
                < 2
        else {
            throw ValidationError("give one mode only")
        }
        guard !disk || seed != nil else { throw ValidationError("--disk goes with --seed") }
    }

    var isGiven: Bool { exhaustive || shown != nil }
    /// Whether its runs draw faults.
    var drawsFaults: Bool { seed != nil || shrink != nil || replay != nil }

    /// The arguments of the worker whose output is shown; nil for the modes with many workers.
    var shown: [String]? {
        if let seed { return ["--seed", "\(seed)"] + (disk ? ["--disk"] : []) }
        if let shrink { return ["--shrink", "\(shrink)"] }
        if let replay { return ["--replay", replay] }
        if let courseStep { return ["--case", "\(courseStep)"] }
        return diskModel ? ["--disk-model"] : nil
    }
}

/// `KIND=RATE`, with a rate in 256.
struct FaultRate: ExpressibleByArgument, CustomStringConvertible {
    let kind: Fault
    let rate: UInt64

    static let kinds = Fault.allCases.map(\.rawValue).joined(separator: ", ")

    init?(argument: String) {
        let parts = argument.split(separator: "=")
        guard parts.count == 2, let kind = Fault(rawValue: String(parts[0])), let rate = UInt64(parts[1]), rate <= 256
        else { return nil }
        (self.kind, self.rate) = (kind, rate)
    }

    var description: String { "\(kind.rawValue)=\(rate)" }
}
