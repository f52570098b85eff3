import CFuzzer
import Modules

@c(FuzzTLV_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// TLV, DOL, descriptions and redaction: for any bytes, nothing crashes, and every value lies
/// within them.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var walker = TLVWalker()
    var steps = 0
    while let node = try? walker.next(in: bytes.span) {
        precondition(node.value.upperBound <= bytes.count)
        steps += 1
    }
    precondition(steps <= bytes.count)
    _ = try? DataElements(parsing: bytes)
    if let dol = try? DOL(parsing: bytes) { _ = dol.concatenate(DataElements()) }
    _ = try? TLVDescription.lines(bytes, isRedacted: false)
    precondition(Masking.hex(tlv: bytes).utf8.count == bytes.count * 2)
    return 0
}
