import CReference
import CardCryptography
import Foundation

/// How fast `cardpresent replay` gets through a folder of logs: with two jobs against one, and with one against the logs' RSA operations in libcrypto alone.
@main
struct ReplayBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let logs = Int(arguments[3]), let rounds = Int(arguments[4]), logs > 0, rounds > 0 else {
            print("usage: ReplayBenchmark CARDPRESENT FOLDER LOGS ROUNDS (tools/benchmarks/replay builds and passes them)")
            exit(64)
        }
        let operations = try await LogFolder(arguments[2]).make(logs)
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first.map(String.init) ?? "?"
        print("\(logs) logs, \(operations.count) RSA operations; load of the machine before: \(load)")
        var one = Cost(), two = Cost(), reference = Cost()
        var out = [UInt8](repeating: 0, count: 248)
        for _ in 0..<rounds {
            try reference.take {
                let before = reference_own_cost()
                for operation in operations where !operation.run(&out) { throw Failure("an RSA operation failed") }
                return reference_own_cost() - before
            }
            try one.take { try replay(arguments[1], arguments[2], jobs: 1) }
            try two.take { try replay(arguments[1], arguments[2], jobs: 2) }
        }
        func line(_ name: String, _ cost: Cost) {
            print(
                name.padding(toLength: 46, withPad: " ", startingAt: 0)
                    + String(format: "%8.1f ms, %8.1f ms of processor time", cost.wall * 1000, cost.processor * 1000))
        }
        line("replay with one job", one)
        line("replay with two jobs", two)
        line("their RSA operations in libcrypto, one thread", reference)
        print(String(format: "two jobs / one: %.2f times faster (wanted: 1.8)", one.wall / two.wall))
        print(String(format: "one job / libcrypto, processor time: %.2f (wanted: at most 1.5)", one.processor / reference.processor))
    }

    /// - Returns: The user and system time of the process, in microseconds.
    private static func replay(_ cardpresent: String, _ folder: String, jobs: Int) throws -> Int {
        let words = [cardpresent, "replay", "--jobs", "\(jobs)", "--strict", folder]
        var pointers: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
        let cost = reference_process_cost(cardpresent, pointers)
        guard cost >= 0 else { throw Failure("replay failed") }
        return cost
    }
}

/// The least that something took, in seconds: other work of the machine adds to the wall clock most, to processor time little.
struct Cost {
    private(set) var wall = Double.infinity
    private(set) var processor = Double.infinity

    /// - Parameter body: Returns the processor time that it took, in microseconds.
    mutating func take(_ body: () throws -> Int) rethrows {
        let start = ContinuousClock.now
        processor = min(processor, Double(try body()) / 1e6)
        wall = min(wall, start.duration(to: .now) / .seconds(1))
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One RSA operation with a public key, for libcrypto alone.
struct Operation {
    let operand: [UInt8]
    let key: RSAPublicKey

    func run(_ out: inout [UInt8]) -> Bool {
        reference_rsa_recover(operand, key.modulus, key.modulus.count, key.exponent, key.exponent.count, &out) == 1
    }
}
