import CFuzzer
import Modules

@c(FuzzExplanation_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Each log that can be read is explained, as text and as a page.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    var problems: [APDUTraceError] = []
    let trace = APDUTrace(parsing: text, hiddenDigits: .zeros, skipping: &problems)
    let unread = problems.map { Explanation.Oddity(line: nil, text: "\($0)") }
    for isRedacted in [true, false] {
        let explanation = Explanation(trace, issuer: IssuerKeyMaterial(trace), unread: unread, isRedacted: isRedacted)
        precondition(!explanation.verdict.sentence.isEmpty)
        precondition(explanation.phases.reduce(0) { $0 + $1.steps.count } <= trace.entries.count)
        precondition(!ExplanationText(explanation).lines.isEmpty)
        precondition(ExplanationPage(explanation).html.contains("</html>"))
    }
    return 0
}
