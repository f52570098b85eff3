import Bytes
import CardCapture
import CardReaders
import DeviceIO
import MagneticStripe
import SmartCard
import Testing

@Suite(.serialized) struct HIDMagstripeTests {
    /// Three lengths of a byte, then tracks of 79, 40 and 107 characters, in one report (HID Usage
    /// Tables, page 8E).
    private static let together =
        "058E0901A101150026FF007508" + "091109120913" + "95038102" + "0921954F8102" + "092295288102" + "0923956B8102"
        + "C0"
    /// The same in three reports with numbers, lengths of twelve bits and four bits of filling
    /// before the data.
    private static let apart =
        "058E0901A101"
        + (1...3).map { "850\($0)091\($0)750C95018102" + "750495018101" + "092\($0)750895508102" }.joined() + "C0"
    private static let whole = "058E0901A101092075089640018102C0"

    private static func reports(_ hex: String) throws -> HIDReportDescriptor {
        try HIDReportDescriptor(parsing: [UInt8](hex: hex))
    }

    private func swipe(_ layout: HIDMagstripeLayout, _ reports: HIDReport...) throws(DeviceError) -> Swipe {
        var swipe = Swipe()
        for report in reports { try layout.add(report, to: &swipe) }
        return swipe
    }

    private func padded(_ text: String, _ count: Int) -> [UInt8] {
        Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
    }

    @Test("Three tracks in one report are separated") func oneReport() throws {
        let reports = try Self.reports(Self.together)
        #expect(reports.length(.input) == 3 + 79 + 40 + 107)
        let layout = try HIDMagstripeLayout(reports)
        let bytes: [UInt8] =
            [20, 26, 0] + padded("%B4761739001010119^?", 79) + padded(";4761739001010119=4912201?", 40)
            + padded("", 107)
        let swipe = try swipe(layout, HIDReport(bytes))
        #expect(text(swipe.track1) == "B4761739001010119^")
        #expect(text(swipe.track2) == "4761739001010119=4912201")
        #expect(swipe.track3 == .blank)
    }

    @Test("Some readers send the characters between the sentinels only") func withoutSentinels() throws {
        let bytes: [UInt8] = [0, 24, 0] + padded("", 79) + padded("4761739001010119=4912201", 40) + padded("", 107)
        let swipe = try swipe(HIDMagstripeLayout(Self.reports(Self.together)), HIDReport(bytes))
        #expect(text(swipe.track2) == "4761739001010119=4912201")
        #expect(swipe.track1 == .blank)
    }

    @Test("Three tracks in three reports are put together") func severalReports() throws {
        let layout = try HIDMagstripeLayout(Self.reports(Self.apart))
        #expect(layout.reports == [1, 2, 3])
        // Twelve bits of length, four of filling: little endian.
        let second = HIDReport(number: 2, [26, 0xF0] + padded(";4761739001010119=4912201?", 80))
        #expect(text(try swipe(layout, second).track2) == "4761739001010119=4912201")
    }

    @Test func tracksAsOneText() throws {
        let layout = try HIDMagstripeLayout(Self.reports(Self.whole))
        let swipe = try swipe(layout, HIDReport(padded("%ABC123?;12345?", 320)))
        #expect(text(swipe.track1) == "ABC123")
        #expect(text(swipe.track2) == "12345")
    }

    @Test("Reports with impossible lengths are refused") func hostileReports() throws {
        let layout = try HIDMagstripeLayout(Self.reports(Self.together))
        #expect(throws: DeviceError.malformed(.hidReport, .tooShort(2))) { try swipe(layout, HIDReport([1, 2])) }
        var bytes: [UInt8] = [0, 41, 0] + [UInt8](repeating: 0x31, count: 226)
        #expect(throws: DeviceError.malformed(.hidTrack, .tooLong(41))) { try swipe(layout, HIDReport(bytes)) }
        bytes[1] = 40
        #expect(try swipe(layout, HIDReport(bytes)).track2.text?.characters.count == 40)
    }

    @Test("A descriptor without tracks is refused") func otherDevices() throws {
        for hex in ["05010906A101050719E029E7950875018102C0", "058E0901A101091175089501B102C0", ""] {
            #expect(throws: DeviceError.self) { try HIDMagstripeLayout(Self.reports(hex)) }
            #expect(!HIDMagstripe.matches(try Self.reports(hex)))
        }
        #expect(HIDMagstripe.matches(try Self.reports(Self.together)))
    }

    @Test func theDriverPutsReportsTogether() async throws {
        let device = try EmulatedDevice(.packets)
        let reports = try Self.reports(Self.apart)
        let reader = try HIDMagstripeReader(name: "generic", capabilities: .magneticStripe) {
            cancel throws(DeviceError) in
            try HIDMagstripe(EmulatedReports(device, cancel, reports: reports))
        }
        let second = [2, 26, 0] + padded(";4761739001010119=4912201?", 80)
        let whole = try await sending(
            [1, 9, 0] + padded("%ABC123^?", 80), second, [3, 0, 0] + padded("", 80), from: device
        ) {
            try await reader.swipe()
        }
        #expect(text(whole.tracks.track1) == "ABC123^")
        #expect(text(whole.tracks.track2) == "4761739001010119=4912201")
        // A report is missing: the swipe ends with the silence after the others.
        let part = try await sending(second, from: device) { try await reader.swipe() }
        #expect(text(part.tracks.track2) == "4761739001010119=4912201")
        #expect(part.tracks.track1 == .blank)
    }

    @Test func aDeviceWithoutTracks() async throws {
        let device = try EmulatedDevice(.packets)
        let reports = try Self.reports("05010906A101050719E029E7950875018102C0")
        let reader = try HIDMagstripeReader(name: "keyboard", capabilities: .magneticStripe) {
            cancel throws(DeviceError) in
            try HIDMagstripe(EmulatedReports(device, cancel, reports: reports))
        }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.hidTrack, .missing)))) {
            _ = try await reader.swipe()
        }
    }
}
