import Bytes
import Testing

@testable import DeviceIO

@Suite struct HIDReportDescriptorTests {
    private func parse(_ text: String) throws -> HIDReportDescriptor {
        try HIDReportDescriptor(parsing: try [UInt8](hex: text.filter { !$0.isWhitespace }))
    }

    /// USB HID 1.11, appendix B.1: the boot keyboard.
    private static let keyboard = """
        05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01 95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 01
        95 06 75 08 15 00 25 65 05 07 19 00 29 65 81 00 C0
        """
    /// Appendix B.2: the boot mouse.
    private static let mouse = """
        05 01 09 02 A1 01 09 01 A1 00 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 95 01 75 05 81 01 05 01 09 30 09 31 15 81 25 7F 75 08 95 02
        81 06 C0 C0
        """
    /// MagTek 99875191, USB HID SureSwipe & USB HID Swipe Reader Technical Reference Manual,
    /// section 4, report descriptor.
    private static let swipe = """
        06 00 FF 09 01 A1 01 15 00 26 FF 00 75 08 09 20 09 21 09 22 09 28 09 29 09 2A 09 38 95 07 81 02 09 30 95 6E 82 02 01 09 31 95 6E 82 02 01
        09 32 95 6E 82 02 01 09 20 95 18 B2 02 01 C0
        """

    @Test("A keyboard has its reports and collections") func keyboard() throws {
        let descriptor = try parse(Self.keyboard)
        #expect(descriptor.length(.input) == 8)
        #expect(descriptor.length(.output) == 1)
        #expect(descriptor.length(.feature) == 0)
        #expect(!descriptor.isNumbered)
        #expect(descriptor.collections == [0x0001_0006])
        let inputs = descriptor.fields.filter { $0.kind == .input }
        #expect(inputs.map(\.offset) == [0, 8, 16])
        #expect(inputs[0].usages == (0xE0...0xE7).map { 0x0007_0000 | $0 })
        #expect(inputs[0].size == 1 && inputs[0].count == 8)
        let constants = descriptor.fields.map(\.isConstant)
        #expect(constants == [false, true, false, true, false])
        let lamps = descriptor.fields[2]
        #expect(lamps.kind == .output)
        #expect(lamps.usage(0) == 0x0008_0001)
        #expect(lamps.usage(4) == 0x0008_0005)
    }

    @Test("A mouse has its reports and fields") func mouse() throws {
        let descriptor = try parse(Self.mouse)
        #expect(descriptor.length(.input) == 3)
        #expect(descriptor.collections == [0x0001_0002])
        #expect(descriptor.fields.last?.usages == [0x0001_0030, 0x0001_0031])
        #expect(descriptor.fields.last?.offset == 8)
    }

    @Test("The descriptor of a swipe reader gives the lengths of its reports") func swipeReader() throws {
        let descriptor = try parse(Self.swipe)
        #expect(descriptor.length(.input) == 337)
        #expect(descriptor.length(.feature) == 24)
        #expect(descriptor.numbers(.input) == [0])
        #expect(descriptor.numbers(.output).isEmpty)
        #expect(descriptor.fields[0].usage(6) == 0xFF00_0038)
        let track2 = try #require(descriptor.fields.first { $0.usages == [0xFF00_0031] })
        #expect(track2.offset == 117 * 8)
        #expect(track2.count == 110)
        #expect(track2.size == 8)
        // A usage applies to all values without a usage of their own.
        #expect(track2.usage(109) == 0xFF00_0031)
    }

    @Test("Reports with numbers, global items pushed and popped, usages with their page (6.2.2.7 and 6.2.2.8)")
    func numberedReports()
        throws
    {
        let descriptor = try parse(
            "0600FF 0901 A101 8501 7508 9540 0902 8102 A4 8502 9510 0903 8102 0904 9102 B4 0B05008E00 9502 8102 C0")
        #expect(descriptor.isNumbered)
        #expect(descriptor.numbers(.input) == [1, 2])
        #expect(descriptor.length(.input, report: 1) == 66)
        #expect(descriptor.length(.input, report: 2) == 16)
        #expect(descriptor.length(.output, report: 2) == 16)
        #expect(descriptor.length(.input, report: 3) == 0)
        #expect(descriptor.fields.last?.usages == [0x008E_0005])
    }

    @Test func longItemsArePassedOver() throws {
        #expect(try parse("FE 02 10 AABB" + Self.mouse) == parse(Self.mouse))
    }

    @Test(
        "A malformed descriptor is refused",
        arguments: [
            "05", "26 FF", "27 00 00 00", "FE", "FE 05 00 AA", "B4", "77 FFFFFFFF", "97 01000200", "75FF 96FFFF 8102",
            "7508 9501" + String(repeating: "8102", count: 513), String(repeating: "A4", count: 17),
            "1A0000 2AFF0F 1A0000 2AFF0F 0901",
        ]) func malformed(_ text: String)
    {
        #expect(throws: DeviceError.malformed(.hidReportDescriptor, .invalid)) { try parse(text) }
    }

    @Test("Every beginning of a descriptor, and every byte of it changed: fields within bounds, or an error")
    func damaged() throws {
        let bytes = try [UInt8](hex: Self.swipe.filter { !$0.isWhitespace })
        for index in bytes.indices {
            var changed = bytes
            for value in [0x00, 0xFF, bytes[index] ^ 0x01, bytes[index] ^ 0x80] as [UInt8] {
                changed[index] = value
                guard let descriptor = try? HIDReportDescriptor(parsing: changed) else { continue }
                for field in descriptor.fields { #expect(field.offset + field.size * field.count <= 8192 * 8) }
            }
            _ = try? HIDReportDescriptor(parsing: Array(bytes.prefix(index)))
        }
    }

    @Test func reportsShowNothing() {
        let report = HIDReport(number: 3, [0x47, 0x61])
        var dumped = ""
        dump(report, to: &dumped)
        #expect("\(report)" == "report 3, 2 bytes")
        #expect(!dumped.contains("71"))
        #expect(!dumped.contains("97"))
    }
}
