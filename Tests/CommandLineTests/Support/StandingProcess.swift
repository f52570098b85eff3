import Foundation

/// A process that waits for something that does not come.
enum StandingProcess {
    /// Waits until `process` has slept for a fifth of a second without a change of context
    /// (proc_pid_status(5)).
    static func wait(for process: pid_t) async throws {
        var (last, since) = ("", ContinuousClock.now)
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let lines = status.split(separator: "\n").filter { $0.hasPrefix("State:") || $0.contains("ctxt_switches:") }
            let now = lines.joined(separator: "\n")
            if now != last || !now.contains("S (sleeping)") { (last, since) = (now, .now) }
            if ContinuousClock.now - since > .milliseconds(200) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TooSlow(description: "process \(process) does not come to a stand")
    }
}
