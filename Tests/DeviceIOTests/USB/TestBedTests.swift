import Foundation
import Synchronization
import Testing

@testable import DeviceIO

/// A test bed of umockdev, in which the reader of `Tests/Peers/usb_testbed.py` is plugged in.
enum TestBed {
    private static let variable = "CARDPRESENT_TEST_BED"
    /// Of the program that runs in one.
    static var folder: String? { ProcessInfo.processInfo.environment[variable] }

    static func tell(_ line: String) throws {
        let pipe = try FileHandle(forWritingTo: URL(filePath: "\(try #require(folder))/tell"))
        try pipe.write(contentsOf: Data("\(line)\n".utf8))
        try pipe.close()
    }

    /// Runs the suite `filter` of this test program in a test bed of its own, and gives its status
    /// and what it said.
    static func run(_ filter: String) async throws -> (status: Int32, said: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Peers/usb_testbed.py")
            .standardized
        let path = folder.path(percentEncoded: false)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "timeout", "--kill-after", "5", "120", "umockdev-wrapper", "/usr/bin/python3",
                peer.path(percentEncoded: false), path,
            ]
            + [CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter", filter]
        process.environment = ProcessInfo.processInfo.environment.merging([variable: path]) { $1 }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { waiting.resume(throwing: error) }
        }
        return (status, try String(contentsOf: log, encoding: .utf8))
    }
}

@Suite struct TestBedTests {
    @Test("`ScriptedReaderTests`, where libusb and udev find a reader") func scriptedReader() async throws {
        let (status, said) = try await TestBed.run("ScriptedReaderTests")
        #expect(status == 0, "\(said)")
        #expect(said.contains("Test run with 3 tests"), "\(said)")
    }
}

@Suite(.serialized, .enabled(if: TestBed.folder != nil), .timeLimit(.minutes(20))) struct ScriptedReaderTests {
    private static let node = "/dev/bus/usb/001/002"

    private final class Observations: Sendable {
        let changes = Mutex<[DeviceMonitor.Change]>([])
    }

    @Test("The reader in the test bed is listed") func listed() throws {
        let node = try #require(try DeviceMonitor.devices(bus: nil).first)
        #expect(node.kind == .usb)
        #expect(node.node == Self.node)
        #expect(node.vendor == 0x1209)
        #expect(node.product == 0x0001)
        // The maker's blank at the end is gone.
        #expect(node.maker == "Scripted")
        #expect(node.model == "Chip card reader")
        #expect(node.serialNumber == "S-17")
        #expect(node.interfaces == [DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)])
        #expect(node.usbPath == node.path)
    }

    /// USB CCID 1.1: GetSlotStatus and its answer over the bulk endpoints, a stall, and two notices
    /// of the interrupt endpoint.
    @Test("Bulk transfers, a stall and notices arrive as they are sent") func transfers() async throws {
        let device = try OnDeviceThread { cancel throws(DeviceError) in try USBDevice(node: Self.node, cancel: cancel) }
        try await device.perform { usb throws(DeviceError) in
            try usb.claim(interface: 0)
            try usb.write(endpoint: 0x02, [0x65, 0, 0, 0, 0, 0, 7, 0, 0, 0], by: .after(.seconds(10)))
        }
        let answer = try await device.perform { usb throws(DeviceError) in
            try usb.read(endpoint: 0x83, atMost: 64, by: .after(.seconds(10)))
        }
        #expect(answer == [0x81, 0, 0, 0, 0, 0, 7, 1, 0, 0])
        await #expect(throws: DeviceError.stalled) {
            try await device.perform { usb throws(DeviceError) in
                try usb.write(endpoint: 0x02, [0xFF], by: .after(.seconds(10)))
            }
        }
        try await device.perform { usb throws(DeviceError) in
            try usb.clearHalt(endpoint: 0x02)
            try usb.listen(endpoint: 0x81, atMost: 8)
        }
        for notice: [UInt8] in [[0x50, 0x03], [0x50, 0x02]] {
            var heard: [UInt8]?
            try await eventually("the reader tells of its slot") {
                heard = try await device.perform { usb throws(DeviceError) in try usb.heard() }
                return heard != nil
            }
            #expect(heard == notice)
        }
    }

    @Test("Its going and its coming back, each reported once") func comesAndGoes() async throws {
        let monitor = try DeviceMonitor(bus: nil)
        let observed = Observations()
        let watch = Task { for await change in monitor.changes { observed.changes.withLock { $0.append(change) } } }
        defer { watch.cancel() }
        try await monitor.start()
        func count() -> Int { observed.changes.withLock { $0.count } }
        try await eventually("it is there") { count() == 1 }
        try TestBed.tell("unplug")
        try await eventually("it has gone") { count() == 2 }
        #expect(try DeviceMonitor.devices(bus: nil).isEmpty)
        try TestBed.tell("plug")
        try await eventually("it is back") { count() == 3 }
        let node = try #require(try DeviceMonitor.devices(bus: nil).first)
        #expect(observed.changes.withLock { $0 } == [.arrived(node), .left(node), .arrived(node)])
        await monitor.stop()
    }
}
