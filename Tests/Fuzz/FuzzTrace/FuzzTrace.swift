import CFuzzer
import Modules

@c(FuzzTrace_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Texts that may be traces: they parse or name a line.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    if let trace = try? APDUTrace(parsing: text) {
        for disclosure in [TraceDisclosure.redacted, .testCard] {
            var writer = APDUTraceWriter(disclosure, showsTimes: true)
            _ = writer.text(trace)
        }
    }
    var problems: [APDUTraceError] = []
    _ = APDUTrace(parsing: text, hiddenDigits: .zeros, skipping: &problems)
    return 0
}
