import Foundation
import Testing

@testable import DeviceIO

/// How long it takes from `cancel()` to the error of the wait that it ends. Prints a line for each device and judges none (docs/performance.md).
@Suite(.serialized, .enabled(if: RealDevices.cancellation.areSetUp), .timeLimit(.minutes(5))) struct CancellationLatency {
    private static let rounds = 400

    /// The waiting call runs on a thread of its own, as a device's; a round whose wait had not begun does not count.
    private func measure(_ what: String, event: WakeEvent, _ wait: @escaping @Sendable () throws(DeviceError) -> Void) async throws {
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
                    } catch {
                        guard error == .cancelled else { throw error }
                    }
                    return hasBegun ? ContinuousClock.now : nil
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            let begin = ContinuousClock.now
            cancellation.cancel()
            if let end = try await waiting.value { latencies.append(end - begin) }
        }
        latencies.sort()
        print("measured: \(what): p50 \(latencies[Self.rounds / 2]), p99 \(latencies[Self.rounds * 99 / 100])")
    }

    @Test func pseudoterminal() async throws {
        let terminal = try PseudoTerminal()
        let event = try WakeEvent()
        let port = Held(try SerialPort(path: terminal.path, line: SerialLine(rate: 9600), cancel: event))
        try await measure("pseudoterminal", event: event) { () throws(DeviceError) in _ = try port.value.read(atMost: 1, by: .never) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/acm"))) func serial() async throws {
        let event = try WakeEvent()
        let port = Held(try SerialPort(path: "/dev/ttyACM0", line: SerialLine(rate: 9600), cancel: event))
        try await measure("ttyACM", event: event) { () throws(DeviceError) in _ = try port.value.read(atMost: 1, by: .never) }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/hid-337"))) func hid() async throws {
        let event = try WakeEvent()
        let device = Held(try HIDDevice(path: "/dev/hidraw0", cancel: event))
        try await measure("hidraw", event: event) { () throws(DeviceError) in _ = try device.value.read(by: .never) }
    }

    /// The kernel has to hand back the transfer before the call ends.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/tmp/devices/ccid"))) func usb() async throws {
        let node = try #require(try DeviceMonitor.devices().first { $0.kind == .usb && $0.vendor == 0x08E6 })
        let event = try WakeEvent()
        let device = Held(try USBDevice(node: node.node, cancel: event))
        try device.value.claim(interface: 0)
        try await measure("USB bulk", event: event) { () throws(DeviceError) in
            _ = try device.value.read(endpoint: 0x81, atMost: 512, by: .never)
        }
    }
}

/// A transport that one thread at a time uses.
private final class Held<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
