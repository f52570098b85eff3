import Bytes
import Foundation
import Testing

@testable import DeviceIO

/// Swipe readers on USB, whose reports are longer than any packet, and a device that Bluetooth
/// brings, which numbers its reports.
@Suite(.serialized, .enabled(if: RealDevices.hid.areSetUp), .timeLimit(.minutes(20))) struct HIDDeviceTests {
    /// Lengths in bytes, as `usbip_device.py` has them.
    struct Reader: CustomTestStringConvertible {
        let name: String
        let product: UInt16
        let input: Int
        let feature: Int
        let serialNumber: String

        var testDescription: String { name }
    }

    static let readers = [
        Reader(name: "hid-337", product: 0x0002, input: 337, feature: 24, serialNumber: "S1"),
        Reader(name: "hid-887", product: 0x0011, input: 887, feature: 60, serialNumber: "S2"),
    ]

    private func node(_ product: UInt16) throws -> DeviceNode? {
        try DeviceMonitor.devices().first { $0.kind == .hid && $0.vendor == 0x0801 && $0.product == product }
    }

    private func open(_ product: UInt16) throws -> OnDeviceThread<HIDDevice> {
        let path = try #require(try node(product)).node
        return try OnDeviceThread { cancel throws(DeviceError) in try HIDDevice(path: path, cancel: cancel) }
    }

    private func read(_ device: OnDeviceThread<HIDDevice>) async throws(DeviceError) -> HIDReport {
        try await device.perform { transport throws(DeviceError) in try transport.read(by: .after(.seconds(60))) }
    }

    private func identity(_ device: OnDeviceThread<HIDDevice>) async throws(DeviceError) -> (
        UInt16, UInt16, HIDReportDescriptor
    ) {
        try await device.perform { transport throws(DeviceError) in
            (transport.vendor, transport.product, transport.reports)
        }
    }

    private func pattern(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256 &+ seed) }
    }

    @Test(arguments: readers)
    func whatItSaysOfItself(_ reader: Reader) async throws {
        let node = try #require(try node(reader.product))
        #expect(node.serialNumber == reader.serialNumber)
        #expect(node.maker == "Mag-Tek")
        #expect(node.interfaceNumber == 0)
        #expect(!node.usbPath.isEmpty)
        #expect(node.path.hasPrefix(node.usbPath))
        let device = try open(reader.product)
        let (vendor, product, reports) = try await identity(device)
        #expect(vendor == 0x0801)
        #expect(product == reader.product)
        #expect(reports.length(.input) == reader.input)
        #expect(reports.length(.feature) == reader.feature)
        #expect(reports.length(.output) == 0)
        #expect(!reports.isNumbered)
        // Usage page FF00, usage 1.
        #expect(reports.collections == [0xFF00_0001])
    }

    @Test("A report comes in packets of 64 bytes, and whole. Several wait until they are read", arguments: readers)
    func wholeReports(_ reader: Reader) async throws {
        let device = try open(reader.product)
        let reports = (0..<8).map { pattern(reader.input, $0) }
        for report in reports { try FarSide(reader.name).tell("swipe \(report.hex)") }
        for report in reports { #expect(try await read(device) == HIDReport(report)) }
    }

    @Test(arguments: readers)
    func featureReportsBothWays(_ reader: Reader) async throws {
        let device = try open(reader.product)
        let sent = [0xEE] + pattern(reader.feature - 1, 9)
        try await device.perform { transport throws(DeviceError) in try transport.setFeature(HIDReport(sent)) }
        #expect(try FarSide(reader.name).said().last { $0.hasPrefix("feature ") } == "feature \(sent.hex.lowercased())")
        let got = try await device.perform { transport throws(DeviceError) in try transport.feature(0) }
        #expect(got == HIDReport(sent))
        // Shorter ones are filled up: the device takes none but of its own length.
        try await device.perform { transport throws(DeviceError) in try transport.setFeature(HIDReport([0xEE, 1])) }
        let filled = try await device.perform { transport throws(DeviceError) in try transport.feature(0) }
        #expect(filled.revealed() == [0xEE, 1] + [UInt8](repeating: 0, count: reader.feature - 2))
    }

    @Test(arguments: readers)
    func deadlineAndCancellation(_ reader: Reader) async throws {
        let device = try open(reader.product)
        await #expect(throws: DeviceError.timedOut) {
            try await device.perform { transport throws(DeviceError) in
                try transport.read(by: .after(.milliseconds(50)))
            }
        }
        let waiting = Task {
            try await device.cancellable { transport throws(DeviceError) in try transport.read(by: .never) }
        }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: DeviceError.cancelled) { try await waiting.value }
        let report = pattern(reader.input, 77)
        try FarSide(reader.name).tell("swipe \(report.hex)")
        #expect(try await read(device) == HIDReport(report))
    }

    @Test(arguments: readers)
    func oneProgramOnly(_ reader: Reader) async throws {
        let path = try #require(try node(reader.product)).node
        do {
            let device = try open(reader.product)
            #expect(throws: DeviceError.busy(path, holder: nil)) { try HIDDevice(path: path, cancel: nil) }
            _ = try await identity(device)
        }
        let (program, input, output) = (Process(), Pipe(), Pipe())
        program.executableURL = URL(filePath: "/bin/sh")
        program.arguments = ["-c", "exec 9<>\"$0\"; flock -n 9 && echo ready; read -r line", path]
        program.standardInput = input
        program.standardOutput = output
        try program.run()
        #expect(output.fileHandleForReading.readData(ofLength: 6) == Data("ready\n".utf8))
        #expect(throws: DeviceError.busy(path, holder: "sh (process \(program.processIdentifier))")) {
            try HIDDevice(path: path, cancel: nil)
        }
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
    }

    @Test(arguments: readers)
    func unpluggedDuringAWait(_ reader: Reader) async throws {
        for _ in 0..<3 {
            let device = try open(reader.product)
            let waiting = Task { try await read(device) }
            try await Task.sleep(for: .milliseconds(100))
            try FarSide(reader.name).tell("unplug")
            await #expect(throws: DeviceError.disconnected) { try await waiting.value }
            await #expect(throws: DeviceError.disconnected) {
                try await device.perform { transport throws(DeviceError) in try transport.feature(0) }
            }
            try await eventually("the node goes") { try node(reader.product) == nil }
            try FarSide(reader.name).tell("plug")
            try await eventually("the node is back") { try node(reader.product) != nil }
        }
        let device = try open(reader.product)
        let report = pattern(reader.input, 5)
        try FarSide(reader.name).tell("swipe \(report.hex)")
        #expect(try await read(device) == HIDReport(report))
    }

    // MARK: Bluetooth

    private static let wireless: UInt16 = 0x0014

    @Test("HID_ID, HID_NAME and HID_UNIQ stand in for what a USB device would say") func bluetoothNode() async throws {
        let node = try #require(try node(Self.wireless))
        #expect(node.model == "Emulated wireless reader")
        #expect(node.serialNumber == "00:11:22:33:44:55")
        #expect(node.usbPath.isEmpty)
        #expect(node.interfaceNumber == nil)
        let device = try open(Self.wireless)
        let (vendor, product, reports) = try await identity(device)
        #expect(vendor == 0x0801)
        #expect(product == Self.wireless)
        #expect(reports.isNumbered)
        #expect(reports.numbers(.input) == [1, 2])
        #expect(reports.length(.input, report: 1) == 63)
        #expect(reports.length(.input, report: 2) == 7)
        #expect(reports.length(.output, report: 1) == 31)
        #expect(reports.length(.feature, report: 3) == 15)
    }

    @Test("The device sends an output report back as input report 1") func numberedReports() async throws {
        let device = try open(Self.wireless)
        let sent = pattern(31, 3)
        try await device.perform { transport throws(DeviceError) in
            try transport.write(HIDReport(number: 1, sent), by: .after(.seconds(10)))
        }
        #expect(try await read(device) == HIDReport(number: 1, sent + [UInt8](repeating: 0, count: 32)))
        try FarSide("wireless").tell("input 02\(pattern(7, 4).hex)")
        #expect(try await read(device) == HIDReport(number: 2, pattern(7, 4)))
    }

    @Test("Feature reports with numbers are written and read") func numberedFeatures() async throws {
        let device = try open(Self.wireless)
        let sent = HIDReport(number: 3, pattern(15, 6))
        try await device.perform { transport throws(DeviceError) in try transport.setFeature(sent) }
        #expect(try await device.perform { transport throws(DeviceError) in try transport.feature(3) } == sent)
    }

    @Test func bluetoothDeviceGoes() async throws {
        let device = try open(Self.wireless)
        let waiting = Task { try await read(device) }
        try await Task.sleep(for: .milliseconds(100))
        try FarSide("wireless").tell("unplug")
        await #expect(throws: DeviceError.disconnected) { try await waiting.value }
    }
}
