import CFuzzer
import Modules

@c(FuzzSlips_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says which printer: the simulated one takes any bytes, the same in parts of any
/// size; and a slip with any text in it opens no drawer and cuts once.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let profile = PrinterProfile.known[Int(kind) % PrinterProfile.known.count]
    var (whole, torn) = (SimulatedPrinter(profile), SimulatedPrinter(profile))
    let answers = whole.receive(rest)
    let parts = rest.flatMap { torn.receive([$0]) }
    precondition(whole.items == torn.items)
    precondition(profile.language == .escPOS || answers == parts)

    guard profile.language != .starRaster else { return 0 }
    let text = String(decoding: rest, as: UTF8.self)
    // A code that is sent as a picture takes most of the time.
    let hasCode = kind & 0xF0 == 0xF0
    let slip = Slip(
        [.merchant(text), .row("Approval code", text), .note(text)], columns: profile.fonts[0].columns,
        additions: Slip.Additions(header: [text], footer: [text], qr: hasCode ? text : nil))
    precondition(slip.lines.allSatisfy { $0.columns <= slip.columns })
    var printer = SimulatedPrinter(profile)
    precondition(printer.receive(profile.encode(slip, pictureFont: nil).bytes).isEmpty)
    precondition(printer.pulses.isEmpty && printer.strangeBytes == 0 && printer.buffered == 0)
    precondition(printer.items.count { $0 == .cut } == (profile.cut == .none ? 0 : 1))
    return 0
}
