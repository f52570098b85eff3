import CReference
import Foundation

/// What `cardpresent decode` costs as a process, against an empty Swift executable built the same way.
enum StartBenchmark {
    static func run(cardpresent: String, empty: String) throws -> Comparison {
        var comparison = Comparison("cardpresent decode / empty executable, user + system time", limit: 3)
        let decode = [cardpresent, "decode", "6F168407A0000000031010A50B5009564953412054455354"]
        for _ in 0..<60 {
            let reference = try cost([empty])
            comparison.take(ours: try cost(decode), reference: reference)
        }
        return comparison
    }

    private static func cost(_ arguments: [String]) throws -> Double {
        var pointers: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
        let cost = reference_process_cost(arguments[0], pointers)
        guard cost >= 0 else { throw BenchmarkError("\(arguments[0]) cannot be run") }
        return Double(cost)
    }
}
