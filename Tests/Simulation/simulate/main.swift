import Foundation
import Simulator

/// `simulate [SEEDS] [--from N] [--workers N] [--most FINDINGS] [--list] [--fault KIND=RATE]…`, `--seed N [--disk]`, `--shrink N`,
/// `--replay FILE`, `--exhaustive`, `--case N`, `--disk-model`.
var arguments = Array(CommandLine.arguments.dropFirst())
var force: [Fault: UInt64] = [:]
var forceArguments: [String] = []

@MainActor func value(of option: String) -> String? {
    guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(place...place + 1) }
    return arguments[place + 1]
}

func fail(_ summary: String) -> Never {
    FileHandle.standardError.write(Data("simulate: \(summary)\n".utf8))
    exit(64)
}

while let text = value(of: "--fault") {
    let parts = text.split(separator: "=")
    guard parts.count == 2, let fault = Fault(rawValue: String(parts[0])), let rate = UInt64(parts[1]), rate <= 256 else {
        fail(
            "--fault \(text): give KIND=RATE, with a rate from 0 to 256; kinds are \(Fault.allCases.map(\.rawValue).joined(separator: ", "))"
        )
    }
    force[fault] = rate
    forceArguments += ["--fault", text]
}
if arguments.first == "--worker" {
    Worker.run(Array(arguments.dropFirst()), force: force)
    exit(0)
}
let from = value(of: "--from").flatMap { UInt64($0) } ?? 0
let count = value(of: "--workers").flatMap { Int($0) } ?? 2
let most = value(of: "--most").flatMap { Int($0) } ?? .max
let workers = Workers(count: max(1, count), maximumFindings: most, force: forceArguments)
let listsSeeds = arguments.contains("--list")
arguments.removeAll { $0 == "--list" }
do {
    if let seed = value(of: "--seed") { exit(try workers.show(["--seed", seed] + (arguments.contains("--disk") ? ["--disk"] : []))) }
    for option in ["--shrink", "--replay", "--case"] {
        if let value = value(of: option) { exit(try workers.show([option, value])) }
    }
    if arguments.contains("--exhaustive") {
        let total = try workers.exhaust { so_far in
            FileHandle.standardError.write(Data("\r\(so_far.runs) steps, \(so_far.findings.count) findings ".utf8))
        }
        FileHandle.standardError.write(Data("\n".utf8))
        print(Summary(total).text)
        exit(total.findings.isEmpty ? 0 : 1)
    }
    if arguments.contains("--disk-model") { exit(try workers.show(["--disk-model"])) }
    let seeds = arguments.first.flatMap { UInt64($0) } ?? 1000
    let total = try workers.run(from..<(from + seeds)) { so_far in
        FileHandle.standardError.write(Data("\r\(so_far.runs) of \(seeds), \(so_far.findings.count) findings ".utf8))
    }
    FileHandle.standardError.write(Data("\n".utf8))
    print(Summary(total).text)
    if listsSeeds { print("seeds: " + total.findings.map { "\($0.seed)" }.joined(separator: " ")) }
    exit(total.findings.isEmpty && total.unequal.isEmpty ? 0 : 1)
} catch {
    fail("\(error)")
}
