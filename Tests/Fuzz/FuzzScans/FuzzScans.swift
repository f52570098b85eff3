import CFuzzer
import Modules

@c(FuzzScans_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says how the scanner is connected, the second how it is set. Scans stay within
/// their limit, and show nothing but their length.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard bytes.count >= 2 else { return 0 }
    let format = ScanFormat(
        end: bytes[1] & 1 == 0 ? .terminator : .silence(.milliseconds(100)), prefix: bytes[1] & 2 == 0 ? [] : [0x02],
        suffix: bytes[1] & 4 == 0 ? [] : [0x03])
    let rest = Array(bytes.dropFirst(2))
    switch bytes[0] % 3 {
    case 0: serial(rest, format)
    case 1: keys(rest, format)
    default: reports(rest, format)
    }
    return 0
}

private func serial(_ bytes: [UInt8], _ format: ScanFormat) {
    var (whole, torn) = (SerialScan(format), SerialScan(format))
    let scans = whole.take(bytes)
    let parts = bytes.flatMap { torn.take([$0]) }
    precondition(scans.count == parts.count)
    for event in scans { check(event) }
    check(whole.fallSilent())
    precondition(whole.silence == nil)
}

private func keys(_ bytes: [UInt8], _ format: ScanFormat) {
    var scan = KeyedScan(format)
    for byte in bytes {
        check(
            scan.take(byte == 0xFF ? .lost : byte & 0x80 == 0 ? .pressed(UInt16(byte)) : .released(UInt16(byte & 0x7F)))
        )
    }
    check(scan.fallSilent())
}

/// A descriptor behind its length, then reports of 64 bytes of each number.
private func reports(_ bytes: [UInt8], _ format: ScanFormat) {
    let length = Int(bytes.first ?? 0)
    guard let descriptor = try? HIDReportDescriptor(parsing: Array(bytes.dropFirst().prefix(length))),
        var scan = HIDScan(descriptor, format)
    else { return }
    let data = Array(bytes.dropFirst(1 + length))
    for number in descriptor.numbers(.input) {
        for start in stride(from: 0, to: data.count, by: 64) {
            check(scan.take(HIDReport(number: number, data[start..<min(start + 64, data.count)])))
        }
    }
    check(scan.fallSilent())
}

private func check(_ event: ScannerEvent?) {
    guard case .scan(let scan)? = event else { return }
    precondition(scan.data.count <= ScanFormat.maximumLength)
    precondition("\(scan)".utf8.count < 40)
    _ = (scan.text, scan.identifier?.symbology, scan.identifier?.isGS1)
}
