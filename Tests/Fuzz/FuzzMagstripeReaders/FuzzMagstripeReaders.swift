import CFuzzer
import Modules

@c(FuzzMagstripeReaders_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says which reader the rest comes from. It is read, or said why not; nothing of it
/// is printed, and what would be recorded of it stays in bounds.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    switch kind % 12 {
    case 0: check(try? SureSwipeReport(parsing: rest).tracks, SureSwipeReport.redaction, rest)
    case 1:
        let report = try? MagneSafeReport(parsing: rest)
        check(report?.tracks, MagneSafeReport.redaction, rest)
        check(report?.encrypted)
    case 2:
        _ = try? MagneSafeResponse(parsing: rest)
        var (notifications, response) = (ExtendedNotification.Assembler(), ExtendedResponse())
        for start in stride(from: 0, to: rest.count, by: 60) {
            let part = Array(rest[start..<min(start + 60, rest.count)])
            if let whole = try? notifications.take(part) { _ = try? DynamoNotification(whole) }
            try? response.add(part)
        }
    case 3:
        for raw in [false, true] { check(try? MSR605Swipe.parse(rest, raw: raw)?.tracks, MSR605Swipe.redaction, rest) }
    case 4:
        // A descriptor, then its reports.
        let (first, second) = halves(rest)
        guard let descriptor = try? HIDReportDescriptor(parsing: first),
            let layout = try? HIDMagstripeLayout(descriptor)
        else { return 0 }
        var swipe = Swipe()
        for number in layout.reports { _ = try? layout.add(HIDReport(number: number, second), to: &swipe) }
        check(swipe, HIDMagstripeLayout.redaction, second)
    case 5:
        var text = WedgeText()
        for byte in rest {
            text.take(byte == 0xFF ? .lost : byte & 0x80 == 0 ? .pressed(UInt16(byte)) : .released(UInt16(byte & 0x7F)))
        }
        check(try? text.finish()?.tracks)
    case 6:
        let swipe = try? IDTechSwipe(parsing: rest)
        check(swipe?.tracks)
        check(swipe?.encrypted)
    case 7: if let data = try? SwipeEnvelope.unwrap(rest) { precondition(rest.starts(with: SwipeEnvelope.wrap(data))) }
    case 8:
        guard let (answer, count) = try? NEOResponse.parse(rest) else { return 0 }
        precondition(count <= rest.count)
        if case .card(let card?, _, _)? = try? NEOTap(answer) {
            precondition(card.chip?.elements.contains(.applicationPAN) != true)
        }
    case 9:
        guard let message = try? MMSMessage(parsing: rest) else { return 0 }
        precondition((try? MMSMessage(parsing: message.bytes)) == message)
        _ = MMSNotification(message)
    case 10:
        var (packets, line) = (MMSPackets.Assembler(), MMSLine.Assembler())
        for start in stride(from: 0, to: rest.count, by: 64) {
            _ = try? packets.take(Array(rest[start..<min(start + 64, rest.count)]))
        }
        for byte in rest { _ = try? line.take(byte) }
        precondition(rest.isEmpty || (try? assembled(rest)) == rest)
    default: check((try? DynaProCardData(parsing: rest))?.encrypted)
    }
    return 0
}

private func halves(_ bytes: [UInt8]) -> ([UInt8], [UInt8]) {
    let middle = min(Int(bytes.first ?? 0), max(0, bytes.count - 1))
    return (Array(bytes.dropFirst().prefix(middle)), Array(bytes.dropFirst(1 + middle)))
}

/// A message through its packets.
private func assembled(_ message: [UInt8]) throws -> [UInt8]? {
    var assembler = MMSPackets.Assembler()
    var whole: [UInt8]?
    for packet in MMSPackets.packets(message) { whole = try assembler.take(packet) }
    return whole
}

private func check(_ swipe: Swipe?, _ redaction: WireRecorder.Redaction = WireRecorder.nothing, _ bytes: [UInt8] = []) {
    for range in redaction(.received, .report(0), bytes) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    }
    guard let swipe else { return }
    _ = swipe.content
    precondition("\(swipe)".utf8.count < 400)
}

private func check(_ tracks: EncryptedTracks?) {
    guard let tracks else { return }
    if let shown = tracks.maskedPAN { precondition(shown.utf8.filter { $0 != UInt8(ascii: "*") }.count <= 10) }
    _ = (tracks.expiry, tracks.cardholderName, tracks.isEmpty)
}
