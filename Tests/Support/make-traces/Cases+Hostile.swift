import CardProfiles
import EMVKernel
import FoundationEssentials
import VirtualCard

extension TraceCase {
    /// The hostile cards of `Vectors/cards`, each with the terminal and the users of this suite.
    static func hostile(in folder: URL) throws -> [TraceCase] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return try names.filter { $0.hasPrefix("hostile-") && $0.hasSuffix(".json") }.sorted().compactMap { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let file = try CardProfileFile(parsing: text)
            guard let expectation = file.expectation, let reason = file.reason else { return nil }
            return TraceCase(String(name.dropLast(5)), reason, expect: expectation.verdict.summary) {
                // With the keys that its faults expect.
                $0.profile = file.profile
                $0.faults = file.faults
                $0.request.amount = expectation.amount
                $0.terminal = { $0.usesPaymentSystemEnvironment = true }
            }
        }
    }
}

extension CardExpectation.Verdict {
    /// The summary of the outcome.
    fileprivate var summary: String {
        switch self {
        case .approvedOffline: "approved offline"
        case .approvedOnline: "approved online"
        case .approvedUnableToGoOnline: "approved offline, unable to go online"
        case .declinedOffline: "declined offline"
        case .declinedOnline: "declined online"
        case .declinedUnableToGoOnline: "declined offline, unable to go online"
        case .terminated: "terminated"
        }
    }
}
