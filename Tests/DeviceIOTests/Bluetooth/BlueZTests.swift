import Foundation
import MessageBus
import Synchronization
import Testing

@testable import DeviceIO

/// python-dbusmock plays bluetoothd on a bus of the test's own.
@Suite(.timeLimit(.minutes(20))) struct BlueZTests {
    private static let reader = "00:11:22:AA:BB:CC"
    private static let phone = "00:11:22:AA:BB:DD"
    private static let device = "org.bluez.Device1"
    private static let serialPort = "00001101-0000-1000-8000-00805f9b34fb"

    /// What a monitor has reported of Bluetooth, in order.
    private final class Journal: Sendable {
        private let reported = Mutex<[String]>([])
        let monitor: DeviceMonitor

        init(_ bus: DBusAddress) async throws {
            monitor = try DeviceMonitor(bus: bus)
            try await monitor.start()
            Task { [weak self, monitor] in
                for await change in monitor.changes { self?.note(change) }
            }
        }

        private func note(_ change: DeviceMonitor.Change) {
            let line: String
            switch change {
            case .arrived(let node):
                guard let bluetooth = node.bluetooth else { return }
                line = "+ \(node.node) \(node.model)" + (bluetooth.isPaired ? " paired" : "")
            case .left(let node):
                guard node.kind == .bluetooth else { return }
                line = "- \(node.node)"
            }
            reported.withLock { $0.append(line) }
        }

        /// Waits until exactly this was reported since the last time.
        func expect(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await eventually("\(lines)", sourceLocation: sourceLocation) {
                reported.withLock { $0.count >= lines.count }
            }
            let found = reported.withLock { reported in
                defer { reported = [] }
                return reported
            }
            #expect(found == lines, sourceLocation: sourceLocation)
        }
    }

    @Test func whatIsKnown() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        try bus.addDevice(Self.reader, "Miura 001")
        let services = "[\(Self.serialPort),0000fe59-0000-1000-8000-00805f9b34fb]"
        try bus.bluez("set", PrivateBus.path(Self.reader), Self.device, "UUIDs", services)
        try bus.bluez("set", PrivateBus.path(Self.reader), Self.device, "Modalias", "usb:v0801p0019d0100")
        let known = try await BluetoothDiscovery(bus: bus.address).known()
        let node = try #require(known.first)
        #expect(known.count == 1)
        #expect(node.kind == .bluetooth)
        #expect(node.node == Self.reader)
        #expect(node.model == "Miura 001")
        #expect(node.path == "/org/bluez/hci0/dev_00_11_22_AA_BB_CC")
        #expect(node.vendor == 0x0801)
        #expect(node.product == 0x0019)
        #expect(node.bluetooth?.address.description == Self.reader)
        #expect(node.bluetooth?.isPaired == false)
        #expect(node.bluetooth?.services == [.serialPort, ServiceDiscovery.Service(0xFE59)])
        #expect(try DeviceMonitor.devices(bus: bus.address).filter { $0.kind == .bluetooth } == known)
    }

    /// Whoever is in range chooses the name, and needs no pairing for that.
    @Test("a name over several lines, or with commands for a terminal, is on one line") func hostileName() async throws
    {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        try bus.addDevice(Self.reader, "Miura\nBluetooth: run\r\u{1B}[2Ksudo reboot\u{202E}")
        let node = try #require(try await BluetoothDiscovery(bus: bus.address).known().first)
        #expect(node.model == "Miura Bluetooth: run  [2Ksudo reboot")
    }

    /// Coming and going in the monitor's stream, what was there before first; a name or a pairing
    /// that is new makes it another device.
    @Test func comingAndGoing() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        try bus.addDevice(Self.phone, "Telephone")
        let journal = try await Journal(bus.address)
        try await journal.expect(["+ \(Self.phone) Telephone"])
        try bus.addDevice(Self.reader, "")
        try await journal.expect(["+ \(Self.reader) "])
        try bus.bluez("set", PrivateBus.path(Self.reader), Self.device, "Name", "Miura 001")
        try await journal.expect(["- \(Self.reader)", "+ \(Self.reader) Miura 001"])
        // Nothing that a device is known by.
        try bus.bluez("call", PrivateBus.path(Self.reader), Self.device, "Connect")
        try bus.bluez("call", "/", "org.bluez.Mock", "PairDevice", "hci0", Self.reader)
        try await journal.expect(["- \(Self.reader)", "+ \(Self.reader) Miura 001 paired"])
        try bus.bluez("call", "/org/bluez/hci0", "org.bluez.Adapter1", "RemoveDevice", PrivateBus.path(Self.reader))
        try await journal.expect(["- \(Self.reader)"])
        // The adapter goes, and nothing is said of its devices.
        try bus.bluez("call", "/", "org.bluez.Mock", "RemoveAdapter", "hci0")
        try await journal.expect(["- \(Self.phone)"])
        await journal.monitor.stop()
    }

    /// bluetoothd is not there when it begins, comes, goes and comes again; each time its devices
    /// are listed again.
    @Test func bluetoothdComesAndGoes() async throws {
        let bus = try PrivateBus()
        let journal = try await Journal(bus.address)
        for _ in 1...2 {
            try bus.startBluez()
            try bus.addAdapter()
            try bus.addDevice(Self.reader, "Miura 001")
            try await journal.expect(["+ \(Self.reader) Miura 001"])
            bus.stopBluez()
            try await journal.expect(["- \(Self.reader)"])
        }
        await journal.monitor.stop()
    }

    @Test("The bus itself goes: its devices with it, and the other devices are watched as before") func theBusGoes()
        async throws
    {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        try bus.addDevice(Self.reader, "Miura 001")
        let journal = try await Journal(bus.address)
        try await journal.expect(["+ \(Self.reader) Miura 001"])
        bus.stop()
        try await journal.expect(["- \(Self.reader)"])
        await #expect(throws: DeviceError.bluetoothUnavailable(.noBus)) { try await journal.monitor.startScanning() }
        await journal.monitor.stop()
    }

    @Test("The adapter is asked to look, and to stop; what it finds meanwhile is in the list") func discovers()
        async throws
    {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        let discovery = try BluetoothDiscovery(bus: bus.address)
        let searching = Task { try await discovery.discover(scanTime: .seconds(3)) }
        try await eventually("it looks") { try bus.isDiscovering() }
        try bus.addDevice(Self.reader, "Miura 001")
        let found = try await searching.value
        #expect(found.map(\.node) == [Self.reader])
        #expect(try !bus.isDiscovering())
    }

    @Test("Cancelled in the middle, at once: an hour is not waited for") func discoveryIsCancelled() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        let discovery = try BluetoothDiscovery(bus: bus.address)
        let searching = Task { try await discovery.discover(scanTime: .seconds(3600)) }
        try await eventually("it looks") { try bus.isDiscovering() }
        searching.cancel()
        await #expect(throws: DeviceError.cancelled) { try await searching.value }
    }

    @Test("The monitor scans for devices, and reports those that appear") func monitorScans() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        let journal = try await Journal(bus.address)
        try await journal.monitor.startScanning()
        #expect(try bus.isDiscovering())
        try bus.addDevice(Self.reader, "Miura 001")
        try await journal.expect(["+ \(Self.reader) Miura 001"])
        await journal.monitor.stopScanning()
        #expect(try !bus.isDiscovering())
        await journal.monitor.stop()
        await #expect(throws: DeviceError.self) { try await journal.monitor.start() }
    }

    @Test("Each thing that can be in the way, by its name") func obstacles() async throws {
        func failure(_ bus: DBusAddress?) async throws -> DeviceError? {
            do throws(DeviceError) {
                _ = try await BluetoothDiscovery(bus: bus).discover(scanTime: .milliseconds(1))
                return nil
            } catch {
                return error
            }
        }
        #expect(try await failure(nil) == .bluetoothUnavailable(.noBus))
        #expect(try await failure(DBusAddress("unix:path=/nowhere/bus")) == .bluetoothUnavailable(.noBus))
        // On a busy machine an answer of the bus can come too late.
        let bus = try PrivateBus()
        try await eventually("nothing has the name") {
            try await failure(bus.address) == .bluetoothUnavailable(.noService)
        }
        try bus.startBluez()
        try await eventually("it is there") { try await failure(bus.address) == .bluetoothUnavailable(.noAdapter) }
        try bus.addAdapter()
        try await eventually("it has an adapter") { try await failure(bus.address) == nil }
        let closed = try PrivateBus(policy: "<deny send_destination=\"org.bluez\"/>")
        try closed.startBluez(waits: false)
        try await eventually("it is there, and not for us") {
            try await failure(closed.address) == .bluetoothUnavailable(.accessDenied)
        }
    }

    /// From what the kernel and bluetoothd tell of this machine.
    @Test func obstaclesOfTheMachine() async throws {
        let bus = try PrivateBus()
        let sysfs = FileManager.default.temporaryDirectory.appending(path: "sys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: sysfs) }
        func write(_ path: String, _ text: String) throws {
            let file = sysfs.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        func obstacle(_ bus: DBusAddress?) -> BluetoothObstacle? {
            .ofThisHost(bus: bus, sysfs: sysfs.path(percentEncoded: false))
        }
        // On a busy machine an answer of the bus can come too late.
        func expect(_ expected: BluetoothObstacle?, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await eventually("\(String(describing: expected))", sourceLocation: sourceLocation) {
                obstacle(bus.address) == expected
            }
        }
        #expect(obstacle(bus.address) == .noAdapter)
        try write("class/bluetooth/hci0/uevent", "")
        #expect(obstacle(nil) == .noBus)
        try await expect(.noService)
        try bus.startBluez()
        try await expect(.noAdapter)
        try bus.addAdapter()
        try await expect(nil)
        try bus.bluez("set", "/org/bluez/hci0", "org.bluez.Adapter1", "Powered", "false")
        try await expect(.switchedOff)
        // Another radio's block is not ours.
        try write("class/rfkill/rfkill0/type", "wlan\n")
        try write("class/rfkill/rfkill0/soft", "1\n")
        try await expect(.switchedOff)
        try write("class/rfkill/rfkill1/type", "bluetooth\n")
        try write("class/rfkill/rfkill1/soft", "1\n")
        try write("class/rfkill/rfkill1/hard", "0\n")
        #expect(obstacle(bus.address) == .blocked)
        try write("class/rfkill/rfkill1/hard", "1\n")
        #expect(obstacle(bus.address) == .blockedByHardware)
        #expect(BluetoothObstacle.allCases.allSatisfy { !$0.problem.isEmpty && !$0.cure.isEmpty })
    }

    @Test(
        "A daemon that says nothing, that answers with rubbish, and one that turns us away",
        arguments: [
            ("", DeviceError.timedOut), ("REJECTED EXTERNAL\r\n", .bluetoothUnavailable(.accessDenied)),
            ("OK 1234\r\nno message at all\r\n", .malformed(.dbusMessage, .invalid)),
            (String(repeating: "x", count: 4096), .malformed(.dbusAuthentication, .invalid)),
        ]) func badBus(_ said: String, _ expected: DeviceError) throws
    {
        let (other, own) = try socketPair()
        _ = fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK)
        other.write(Array(said.utf8))
        #expect(throws: expected) {
            _ = try DBusConnection(StreamDescriptor(own, call: "D-Bus", cancel: nil), by: .after(.milliseconds(300)))
        }
        #expect(other.read(atMost: 16).starts(with: Array("\0AUTH EXTERNAL 3".utf8)))
    }
}
