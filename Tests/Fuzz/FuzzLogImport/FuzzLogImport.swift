import CFuzzer
import Modules

@c(FuzzLogImport_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Logs of every form, the form in the first byte, one more than there are to have it found out:
/// they are read, or refused with a place. What is read can be written as a trace, and that is read
/// again with as many commands.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = bytes.first else { return 0 }
    let forms = LogFormat.allCases
    let form = forms.indices.contains(Int(first)) ? forms[Int(first)] : nil
    _ = try? LogImport(Array(bytes.dropFirst()), format: form)
    guard let log = try? LogImport(Array(bytes.dropFirst()), format: form, brokenParts: .skipped) else { return 0 }
    _ = log.trace.hasOnlyTestCards
    var redacted = APDUTraceWriter(.redacted)
    _ = redacted.text(log.trace)
    var writer = APDUTraceWriter(.testCard, showsTimes: true)
    let text = writer.text(log.trace)
    guard let again = try? APDUTrace(parsing: text) else { fatalError("what was written cannot be read") }
    precondition(again.exchanges.count == log.trace.exchanges.count, "commands are lost")
    return 0
}
