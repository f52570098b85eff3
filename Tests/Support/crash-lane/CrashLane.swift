import BenchHost
import Bytes
import Foundation
import PaymentTerminal
import TerminalJournal

/// A lane that is killed where its caller says, and another process that looks at what it left
/// behind.
///
/// - `run FOLDER SCENARIO POINT`: does what the scenario says, and kills itself with SIGKILL at the
///   point; 0 counts the points and prints their number. The answer of the terminal is printed as
///   `answered OUTCOME`.
/// - `rotate FOLDER SCENARIO POINT`: changes the key of a journal with some entries.
///   `check-rotation FOLDER SCENARIO`: whether exactly one key opens it.
/// - `check FOLDER SCENARIO`: recovers, asks again with the same key, and holds terminal, journal
///   and host against each other.
/// - `host FOLDER`: serves the bench host, to be killed by the test that started it.
@main
struct CrashLane {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "host" { return try await HostLane.serve(arguments[2]) }
        guard arguments.count >= 4, let scenario = Scenario(rawValue: arguments[3]) else {
            print(
                "crash-lane run FOLDER SCENARIO POINT | check FOLDER SCENARIO | host FOLDER; scenarios: \(Scenario.allCases.map(\.rawValue))"
            )
            exit(64)
        }
        switch arguments[1] {
        case "run":
            let doom = Doom(at: arguments.count > 4 ? Int(arguments[4]) ?? 0 : 0)
            let lane = try await Lane(folder: arguments[2], scenario, doom: doom)
            DiskFaults.arm(arguments[2])
            print("answered \(try await lane.perform())")
            fflush(nil)
            try await lane.recoverPending()
            print("points \(doom.passed)")
            do {
                try lane.close()
            } catch {
                print("not closed: \(error)")
            }
        case "rotate":
            print("answered \(try await Rotation(folder: arguments[2]).perform())")
        case "check-rotation":
            let complaints = try await Rotation(folder: arguments[2]).check()
            for complaint in complaints { print("wrong: \(complaint)") }
            exit(complaints.isEmpty ? 0 : 1)
        case "check":
            let lane = try await Lane(folder: arguments[2], scenario, doom: Doom(at: 0), isCheck: true)
            let complaints = try await lane.check()
            for complaint in complaints { print("wrong: \(complaint)") }
            exit(complaints.isEmpty ? 0 : 1)
        default: exit(64)
        }
    }
}
