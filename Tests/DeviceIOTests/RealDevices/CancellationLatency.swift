import Foundation
import Testing

@testable import DeviceIO

/// How long it takes from `cancel()` to the error of the wait that it ends. Prints a line for each
/// device and judges none (docs/performance.md).
@Suite(.serialized, .enabled(if: RealDevices.cancellation.areSetUp), .timeLimit(.minutes(20)))
struct CancellationLatency {
    private static let rounds = 400

    /// The waiting call runs on a thread of its own, as a device's; a round whose wait had not
    /// begun, or had ended already, does not count.
    private func measure(_ what: String, event: WakeEvent, _ wait: @escaping @Sendable () throws(DeviceError) -> Void)
        async throws
    {
        let thread = try OnDeviceThread { _ throws(DeviceError) in event }
        var latencies: [Duration] = []
        while latencies.count < Self.rounds {
            let cancellation = Cancellation()
            let waiting = Task {
                try await thread.perform { event throws(DeviceError) -> ContinuousClock.Instant? in
                    var hasBegun = false
                    do throws(DeviceError) {
                        try cancellation.begin(event)
                        defer { cancellation.end() }
                        hasBegun = true
                        try wait()
                        return nil
                    } catch {
                        guard error == .cancelled else { throw error }
                        return hasBegun ? ContinuousClock.now : nil
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            let begin = ContinuousClock.now
            cancellation.cancel()
            if let end = try await waiting.value { latencies.append(end - begin) }
        }
        latencies.sort()
        let (median, high) = (latencies[Self.rounds / 2], latencies[Self.rounds * 99 / 100])
        print("measured: \(what): p50 \(median), p99 \(high), most \(latencies[Self.rounds - 1])")
    }

    @Test("A wait at a pseudoterminal ends when it is cancelled") func pseudoterminal() async throws {
        let terminal = try PseudoTerminal()
        let event = try WakeEvent()
        let port = Held(try SerialPort(path: terminal.path, line: SerialLine(rate: 9600), cancel: event))
        try await measure("pseudoterminal", event: event) { () throws(DeviceError) in
            _ = try port.value.read(atMost: 1, by: .never)
        }
    }

    @Test(
        "A wait at a serial port ends when it is cancelled",
        .enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/acm")))
    func serial() async throws {
        let event = try WakeEvent()
        let port = Held(try SerialPort(path: "/dev/ttyACM0", line: SerialLine(rate: 9600), cancel: event))
        try await measure("ttyACM", event: event) { () throws(DeviceError) in
            _ = try port.value.read(atMost: 1, by: .never)
        }
    }

    @Test(
        "A wait at a HID device ends when it is cancelled",
        .enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/hid-337")))
    func hid() async throws {
        let event = try WakeEvent()
        let device = Held(try HIDDevice(path: "/dev/hidraw0", cancel: event))
        try await measure("hidraw", event: event) { () throws(DeviceError) in _ = try device.value.read(by: .never) }
    }

    /// Bulk and interrupt transfers that a reader answers with nothing, as no command was sent to
    /// it, on each host controller that has one: the kernel takes the transfer back from the
    /// controller before the call ends.
    @Test(
        "A wait at a USB reader ends when it is cancelled",
        .enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/ccid")))
    func usb() async throws {
        let readers = try DeviceMonitor.devices().filter {
            $0.kind == .usb && $0.interfaces.contains { $0.classCode == 0x0B }
        }
        try #require(!readers.isEmpty)
        for reader in readers {
            let hub = URL(filePath: "/sys" + reader.path).deletingLastPathComponent()
            let controller = try String(contentsOf: hub.appending(path: "product"), encoding: .utf8).trimmingCharacters(
                in: .newlines)
            let event = try WakeEvent()
            let device = Held(try USBDevice(node: reader.node, cancel: event))
            let interface = try #require(device.value.descriptors.interfaces.first)
            try device.value.claim(interface: interface.number)
            for endpoint in interface.endpoints where endpoint.isInput {
                try await measure("\(controller), \(endpoint.transfer)", event: event) { () throws(DeviceError) in
                    _ = try device.value.read(endpoint: endpoint.address, atMost: endpoint.largestPacket, by: .never)
                }
            }
        }
    }
}

/// A transport that one thread at a time uses.
private final class Held<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
