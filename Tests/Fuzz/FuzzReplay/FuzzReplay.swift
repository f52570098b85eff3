import CFuzzer
import Dispatch
import Modules

@c(FuzzReplay_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A log whose card and terminal have said anything: its replay ends, and says what differs.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    var problems: [APDUTraceError] = []
    let trace = APDUTrace(parsing: text, hiddenDigits: .zeros, skipping: &problems)
    let ended = DispatchSemaphore(value: 0)
    Task {
        // A head that makes no sense is said so.
        if let report = try? await Replay.run(trace, caKeys: []) {
            precondition(report.steps.count <= 400, "a transaction has no more commands than its limits allow")
            precondition(report.lastLine <= text.utf8.count + 1)
            for strictness in [ReplayStrictness.meaning, .bytes] { _ = report.changes(strictness) }
            _ = report.isCutShort
        }
        ended.signal()
    }
    // What does not end is found by libFuzzer's own limit.
    ended.wait()
    return 0
}
