import CFuzzer
import Modules

@c(FuzzPrinterStatus_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// What a printer sends, behind a byte that says which printer it is: it is understood the same in
/// parts of any size, and a job ends, whatever is said to it, with each block written at most once.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let profile = PrinterProfile.known[Int(kind) % PrinterProfile.known.count]
    var (whole, torn) = (StatusDecoder(profile.language), StatusDecoder(profile.language))
    _ = (whole.request(), torn.request())
    let messages = whole.receive(rest)
    precondition(messages == rest.flatMap { torn.receive([$0]) })
    for message in messages { if case .status(let status) = message { _ = status.obstacle?.description } }
    run(profile, rest)
    return 0
}

/// Parts of the bytes are answers; a byte of FF between them is silence.
private func run(_ profile: PrinterProfile, _ bytes: [UInt8]) {
    let blocks: [[UInt8]] = [[1], [2], [3], [4]]
    let slip = PrintedSlip(blocks: blocks)
    var job = PrintJob(slip, on: profile, number: 0x3132)
    var answers = bytes.split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)[...]
    var input = PrintJob.Input.start
    var written: [UInt8] = []
    for _ in 0..<2000 {
        switch job.next(input) {
        case .connect: input = .done
        case .write(let block, _):
            if let first = block.first, first <= 4 { written.append(first) }
            input = .done
        case .read:
            let answer = answers.popFirst() ?? []
            input = answer.isEmpty ? .silence : .received(answer)
        case .finish(let outcome):
            precondition(written == Array([1, 2, 3, 4].prefix(written.count)))
            if case .notPrinted = outcome { precondition(written.isEmpty) }
            if outcome == .printed { precondition(written.count == 4 && profile.marksEnd) }
            return
        }
    }
    preconditionFailure("the job does not end")
}
