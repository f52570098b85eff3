import Foundation
import Synchronization
import Testing

@testable import DeviceIO

/// Two Bluetooth controllers of BlueZ's emulator and the real bluetoothd: the first one looks, the
/// second one lets itself be found.
@Suite(.serialized, .enabled(if: RealDevices.bluetooth.areSetUp), .timeLimit(.minutes(20))) struct BluetoothDeviceTests
{
    private let address: String

    init() throws {
        address = try #require(ProcessInfo.processInfo.environment["CARDPRESENT_RFCOMM_ADDRESS"])
    }

    @Test(
        "Found by an inquiry, reported by the monitor, forgotten on request; then bluetoothd ends and takes everything along"
    )
    func foundAndForgotten() async throws {
        let monitor = try DeviceMonitor()
        try await monitor.start()
        let isPresent = Mutex(false)
        let address = address
        let listening = Task {
            for await change in monitor.changes {
                switch change {
                case .arrived(let node): if node.node == address { isPresent.withLock { $0 = true } }
                case .left(let node): if node.node == address { isPresent.withLock { $0 = false } }
                }
            }
        }
        // An inquiry has some of ten seconds to hear of it, and an emulated machine may be slow.
        var found: DeviceNode?
        for _ in 0..<6 where found == nil {
            found = try await BluetoothDiscovery().discover(scanTime: .seconds(20)).first { $0.node == address }
        }
        let node = try #require(found)
        #expect(node.kind == .bluetooth)
        #expect(node.bluetooth?.isPaired == false)
        try await eventually("the monitor tells of it") { isPresent.withLock { $0 } }
        #expect(try DeviceMonitor.devices().contains { $0.path == node.path })

        // By the controller that found it: bluetoothctl asks the first one that came up.
        let controller = try #require(node.path.firstMatch(of: /(.*)\/dev_/)).1
        let removed = try run(
            "dbus-send", "--system", "--print-reply", "--dest=org.bluez", String(controller),
            "org.bluez.Adapter1.RemoveDevice",
            "objpath:\(node.path)")
        #expect(removed == 0)
        try await eventually("it is forgotten") { !isPresent.withLock { $0 } }

        try await monitor.startScanning()
        try await eventually("it is found again", within: .seconds(60)) { isPresent.withLock { $0 } }
        try run("pkill", "bluetoothd")
        try await eventually("it is gone with bluetoothd") { !isPresent.withLock { $0 } }
        // Its devices go before it does.
        var isGone = false
        for _ in 0..<100 where !isGone {
            do throws(DeviceError) {
                _ = try await BluetoothDiscovery().known()
                try? await Task.sleep(for: .milliseconds(100))
            } catch {
                #expect(error == .bluetoothUnavailable(.noService))
                isGone = true
            }
        }
        #expect(isGone, "bluetoothd has ended")
        await monitor.stop()
        listening.cancel()
    }
}
