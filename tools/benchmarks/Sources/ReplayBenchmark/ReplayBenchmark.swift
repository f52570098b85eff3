import CReference
import CardPresent
import Foundation

/// How fast `cardpresent replay` gets through a folder of logs: with two jobs against one, and with one against the logs' RSA operations in libcrypto alone.
@main
struct ReplayBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let logs = Int(arguments[3]), let rounds = Int(arguments[4]), logs > 0, rounds > 0 else {
            print("usage: ReplayBenchmark CARDPRESENT FOLDER LOGS ROUNDS (tools/bench-replay builds and passes them)")
            exit(64)
        }
        let operations = try await LogFolder(arguments[2]).make(logs)
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first.map(String.init) ?? "?"
        print("\(logs) logs, \(operations.count) RSA operations; load of the machine before: \(load)")
        var one = Double.infinity, two = Double.infinity, reference = Double.infinity
        var out = [UInt8](repeating: 0, count: 248)
        for _ in 0..<rounds {
            reference = try min(
                reference,
                seconds {
                    for operation in operations where !operation.run(&out) { throw Failure("an RSA operation failed") }
                })
            one = try min(one, seconds { try replay(arguments[1], arguments[2], jobs: 1) })
            two = try min(two, seconds { try replay(arguments[1], arguments[2], jobs: 2) })
        }
        func line(_ name: String, _ value: Double) {
            print(name.padding(toLength: 46, withPad: " ", startingAt: 0) + String(format: "%8.1f ms", value * 1000))
        }
        line("replay with one job", one)
        line("replay with two jobs", two)
        line("their RSA operations in libcrypto, one thread", reference)
        print(String(format: "two jobs / one: %.2f times faster (wanted: 1.8)", one / two))
        print(String(format: "one job / libcrypto: %.2f (wanted: at most 1.5)", one / reference))
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return start.duration(to: .now) / .seconds(1)
    }

    private static func replay(_ cardpresent: String, _ folder: String, jobs: Int) throws {
        let process = Process()
        process.executableURL = URL(filePath: cardpresent)
        process.arguments = ["replay", "--jobs", "\(jobs)", "--strict", folder]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("replay ended with \(process.terminationStatus)") }
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
