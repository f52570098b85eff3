internal import CDeviceIO
private import Glibc

/// Reports devices that are connected and disconnected: on USB, hidraw and serial ports, connected
/// when udev has made their nodes ready and disconnected when the kernel says so; over Bluetooth by
/// bluetoothd. A Bluetooth device is present as long as bluetoothd knows it:
/// always if it is paired, otherwise for half a minute after a discovery has found it.
public actor DeviceMonitor {
    public enum Change: Hashable, Sendable {
        case arrived(DeviceNode)
        /// Also sent when the name or the pairing of a device has changed; the device then arrives
        /// again.
        case left(DeviceNode)
    }

    /// The number of changes that are kept for a slow listener; only the newest are kept. A
    /// listener that is further behind has missed changes and must call ``devices(bus:)``.
    public static let kept = 4096

    public nonisolated let changes: AsyncStream<Change>
    private nonisolated let thread: DeviceThread
    private let continuation: AsyncStream<Change>.Continuation
    private let bus: DBusAddress?
    private var monitor: UdevMonitor?
    private var bluez: BlueZ?
    private var isStopped = false
    private var present: [String: DeviceNode] = [:]
    /// The kernel's number of each device's arrival; none for a device that was listed.
    private var arrivals: [String: UInt64] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter bus: The bus of bluetoothd; nil for no Bluetooth.
    public init(bus: DBusAddress? = .system) throws(DeviceError) {
        self.bus = bus
        thread = try DeviceThread(name: "device monitor")
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.kept))
    }

    deinit {
        continuation.finish()
        thread.stop()
    }

    /// All current devices. If bluetoothd cannot be asked, there are no Bluetooth devices;
    /// ``BluetoothDiscovery/known()`` says why.
    public static func devices(bus: DBusAddress? = .system) throws(DeviceError) -> [DeviceNode] {
        try nodes() + (bus.flatMap { try? BlueZ($0, by: .after(.seconds(2)), cancel: nil) }?.objects.devices ?? [])
    }

    /// The devices of udev.
    private static func nodes() throws(DeviceError) -> [DeviceNode] {
        var list = DeviceList()
        let status = unsafe withUnsafeMutablePointer(to: &list) { pointer in
            unsafe cdio_list_devices(
                { device, context in
                    guard let device = unsafe device,
                        let list = unsafe context?.assumingMemoryBound(to: DeviceList.self)
                    else { return 0 }
                    if let node = unsafe DeviceNode(device.pointee) { unsafe list.pointee.nodes.append(node) }
                    return 0
                }, pointer)
        }
        try check(status, "udev")
        return list.nodes
    }

    /// Starts the monitor. Existing devices are reported first, as arrivals. It subscribes before
    /// it lists the devices, so that no device is missed in between.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` after ``stop()``, which has ended the stream.
    public func start() throws(DeviceError) {
        guard !isStopped else { throw .rejected(.monitorStopped) }
        guard monitor == nil else { return }
        let opened = try UdevMonitor()
        monitor = opened
        thread.watch(opened.descriptor) { [weak self] in self?.assumeIsolated { $0.takeChanges() } }
        try compare()
        watchBluetooth()
    }

    /// Whether the device is there, according to the changes so far; false before ``start()``.
    package func isPresent(_ node: DeviceNode) -> Bool { present[node.path] != nil }

    public func stop() {
        isStopped = true
        continuation.finish()
        guard let monitor else { return }
        thread.unwatch(monitor.descriptor)
        self.monitor = nil
        if let bluez { thread.unwatch(bluez.descriptor) }
        bluez = nil
    }

    /// Starts a discovery on the Bluetooth adapters until ``stopScanning()``. Found devices are
    /// reported as arrivals.
    ///
    /// - Throws: ``DeviceError/bluetoothUnavailable(_:)``, with the obstacle.
    public func startScanning() throws(DeviceError) {
        guard monitor != nil else { throw .rejected(.monitorNotStarted) }
        if bluez == nil { watchBluetooth() }
        guard let bluez else { throw .bluetoothUnavailable(.noBus) }
        try bluez.startDiscovery()
        compareBluetooth()
    }

    public func stopScanning() {
        bluez?.stopDiscovery()
        compareBluetooth()
    }

    private func takeChanges() {
        while let news = monitor?.next() {
            switch news {
            case .arrived(let node, let sequence):
                arrive(node)
                arrivals[node.path] = sequence
            case .left(let node, let sequence):
                // Udev repeats removals late: another device may have come to the same path.
                if sequence > arrivals[node.path] ?? 0 { leave(node.path) }
            case .lost:
                // Queued messages are older than the list: they would add removed devices again.
                while monitor?.next() != nil {}
                try? compare()
            }
        }
    }

    /// Lists udev's devices and reports the differences.
    private func compare() throws(DeviceError) {
        let nodes = try Self.nodes()
        let paths = Set(nodes.map(\.path))
        // A USB device that replaced another has a new number on the bus, but its nodes may look
        // like the old ones.
        let replaced = Set(nodes.lazy.filter { $0.kind == .usb && $0 != self.present[$0.path] }.map(\.path))
        let gone = present.values.filter {
            $0.kind != .bluetooth && (!paths.contains($0.path) || replaced.contains($0.usbPath))
        }
        for path in gone.map(\.path).sorted() { leave(path) }
        for node in nodes { arrive(node) }
    }

    /// Without a bus there is no Bluetooth.
    private func watchBluetooth() {
        guard let bus, let opened = try? BlueZ(bus, cancel: nil) else { return compareBluetooth() }
        bluez = opened
        thread.watch(opened.descriptor) { [weak self] in self?.assumeIsolated { $0.takeBluetoothNews() } }
        compareBluetooth()
    }

    private func takeBluetoothNews() {
        guard let bluez else { return }
        do throws(DeviceError) {
            if try bluez.takeNews() { compareBluetooth() }
        } catch {
            // The bus closed the connection, as it does with slow readers: a new list contains the
            // changes since then.
            thread.unwatch(bluez.descriptor)
            self.bluez = nil
            watchBluetooth()
        }
    }

    private func compareBluetooth() {
        let nodes = bluez?.objects.devices ?? []
        let paths = Set(nodes.map(\.path))
        for path in present.values.filter({ $0.kind == .bluetooth && !paths.contains($0.path) }).map(\.path).sorted() {
            leave(path)
        }
        for node in nodes { arrive(node) }
    }

    private func arrive(_ node: DeviceNode) {
        guard present[node.path] != node else { return }
        // Another device at the same path: the removal of the first was missed.
        leave(node.path)
        present[node.path] = node
        continuation.yield(.arrived(node))
    }

    private func leave(_ path: String) {
        arrivals[path] = nil
        guard let node = present.removeValue(forKey: path) else { return }
        continuation.yield(.left(node))
    }
}

/// The messages of kernel and udev about devices.
@safe
private final class UdevMonitor {
    enum News {
        case arrived(DeviceNode, sequence: UInt64)
        case left(DeviceNode, sequence: UInt64)
        /// The kernel's queue overflowed.
        case lost
    }

    private let monitor: OpaquePointer

    init() throws(DeviceError) {
        var opened: OpaquePointer?
        try check(unsafe cdio_monitor_open(&opened), "udev")
        guard let opened = unsafe opened else { throw .system(call: "udev", code: ENOMEM) }
        unsafe monitor = opened
    }

    deinit { unsafe cdio_monitor_close(monitor) }

    var descriptor: CInt { unsafe cdio_monitor_descriptor(monitor) }

    /// Nil if no change is waiting.
    func next() -> News? {
        var device = cdio_device()
        while true {
            let result = unsafe cdio_monitor_next(monitor, &device)
            guard result > 0 else { return result < 0 ? .lost : nil }
            guard let node = DeviceNode(device) else { continue }
            return device.change == UInt32(CDIO_REMOVED.rawValue)
                ? .left(node, sequence: device.sequence) : .arrived(node, sequence: device.sequence)
        }
    }
}

private struct DeviceList {
    var nodes: [DeviceNode] = []
}
