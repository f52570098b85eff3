import CReference
import Foundation

/// A program that has run.
struct MeasuredProcess {
    /// User and system time in microseconds.
    let cost: Double
    /// The most memory that it had, in bytes.
    let memory: Int

    /// Runs a program; its output is thrown away.
    static func run(_ arguments: [String]) throws -> MeasuredProcess {
        var pointers: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
        var kilobytes = 0
        let cost = reference_process_memory(arguments[0], pointers, &kilobytes)
        guard cost >= 0 else { throw BenchmarkError("\(arguments[0]) cannot be run") }
        return MeasuredProcess(cost: Double(cost), memory: 1024 * kilobytes)
    }
}
