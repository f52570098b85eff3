import DeviceIO
import Testing

@testable import Peripherals

/// Reports of page 8C (USB HID Point of Sale Usage Tables 1.02) in the layout of Honeywell's
/// scanners as their manuals give it: a count, three bytes of identifier, 56 of data, two of the
/// maker's, and the flag for "continued". The descriptor is written here after USB HID 1.11.
@Suite("Scans in HID reports") struct HIDScanTests {
    private static let descriptor: [UInt8] =
        [0x05, 0x8C, 0x09, 0x02, 0xA1, 0x01]  // page 8C, bar code scanner, collection
        + [0x09, 0x12, 0xA1, 0x02, 0x85, 0x02]  // scanned data report, number 2
        + [0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08]  // bytes
        + [0x05, 0x01, 0x09, 0x3B, 0x95, 0x01, 0x81, 0x02, 0x05, 0x8C]  // byte count
        + [0x09, 0xFB, 0x09, 0xFC, 0x09, 0xFD, 0x95, 0x03, 0x81, 0x02]  // identifier
        + [0x09, 0xFE, 0x95, 0x38, 0x82, 0x02, 0x01]  // decoded data, buffered bytes
        + [0x06, 0x66, 0xFF, 0x09, 0x04, 0x09, 0x00, 0x95, 0x02, 0x81, 0x02]  // the maker's
        + [0x05, 0x8C, 0x09, 0xFF, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x81, 0x02]  // continued
        + [0x95, 0x07, 0x81, 0x03, 0xC0, 0xC0]

    private static func report(
        _ data: [UInt8], count: UInt8? = nil, continued: Bool = false, identifier: String = "]E0"
    ) -> HIDReport {
        let padded = data + [UInt8](repeating: 0, count: 56 - data.count)
        return HIDReport(
            number: 2,
            [count ?? UInt8(data.count)] + Array(identifier.utf8) + padded + [0, 0, continued ? 1 : 0])
    }

    private func scan(_ format: ScanFormat = ScanFormat()) throws -> HIDScan {
        try #require(HIDScan(try HIDReportDescriptor(parsing: Self.descriptor), format))
    }

    private func text(_ event: ScannerEvent?) -> String? {
        switch event {
        case .scan(let scan): (scan.identifier?.description ?? "") + "|" + (scan.text ?? "not text")
        case .refused(let reason): reason.rawValue
        case .disconnected, nil: nil
        }
    }

    @Test func shortCode() throws {
        var scan = try scan()
        #expect(text(scan.take(Self.report(Array("4006381333931".utf8)))) == "]E0|4006381333931")
        #expect(text(scan.take(Self.report(Array("4006381333931".utf8), count: 0))) == "]E0|4006381333931")
        #expect(text(scan.take(Self.report(Array("12".utf8), count: 200))) == "]E0|12")
        #expect(text(scan.take(Self.report(Array("12".utf8), identifier: "\u{0}\u{0}\u{0}"))) == "|12")
    }

    @Test("A code of 4 KB in 74 reports is joined; one that never ends is refused") func continued() throws {
        var scan = try scan()
        let code = [UInt8]((0..<4096).map { UInt8(0x30 + $0 % 10) })
        var rest = code[...]
        while rest.count > 56 {
            #expect(scan.take(Self.report(Array(rest.prefix(56)), continued: true)) == nil)
            rest = rest.dropFirst(56)
        }
        #expect(text(scan.take(Self.report(Array(rest)))) == "]E0|" + String(decoding: code, as: UTF8.self))
        for _ in 0..<200 { #expect(scan.take(Self.report(Array(code.prefix(56)), continued: true)) == nil) }
        #expect(text(scan.take(Self.report([0x31]))) == "tooLong")
        #expect(text(scan.take(Self.report([0x31]))) == "]E0|1")
    }

    @Test("A torn report is told, a report of another number passed over") func torn() throws {
        var scan = try scan()
        #expect(text(scan.take(HIDReport(number: 2, [13, 0x5D, 0x45]))) == "torn")
        #expect(scan.take(HIDReport(number: 3, [UInt8](repeating: 1, count: 63))) == nil)
        #expect(text(scan.take(Self.report([0x31]))) == "]E0|1")
        _ = scan.take(Self.report([0x31], continued: true))
        #expect(scan.silence != nil)
        #expect(text(scan.fallSilent()) == "unfinished")
    }

    @Test("A device without decoded data is no scanner") func otherDevice() throws {
        let keyboard: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x08, 0x81, 0x02, 0xC0]
        #expect(HIDScan(try HIDReportDescriptor(parsing: keyboard), ScanFormat()) == nil)
    }
}
