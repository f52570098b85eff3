internal import CDeviceIO
private import Glibc

/// The devices that come and go: on USB, hidraw and serial ports as udev tells, and over Bluetooth as bluetoothd does. A Bluetooth device is there as long as
/// bluetoothd knows it: for ever if it is paired, otherwise for half a minute after a search has found it.
public actor DeviceMonitor {
    public enum Change: Hashable, Sendable {
        case arrived(DeviceNode)
        /// Also where something about a device has changed, its name or whether it is paired: then
        /// it arrives again.
        case left(DeviceNode)
    }

    /// The number of changes that are kept for a slow listener, the newest ones. A listener that is
    /// further behind has missed changes and calls ``devices(bus:)``.
    public static let kept = 4096

    public nonisolated let changes: AsyncStream<Change>
    private nonisolated let thread: DeviceThread
    private let continuation: AsyncStream<Change>.Continuation
    private let bus: DBusAddress?
    private var monitor: UdevMonitor?
    private var bluez: BlueZ?
    private var isStopped = false
    private var present: [String: DeviceNode] = [:]

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter bus: Where bluetoothd is; nil leaves Bluetooth out.
    public init(bus: DBusAddress? = .system) throws(DeviceError) {
        self.bus = bus
        thread = try DeviceThread(name: "device monitor")
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.kept))
    }

    deinit {
        continuation.finish()
        thread.stop()
    }

    /// Every device there is now. A machine where bluetoothd cannot be asked has no Bluetooth devices; ``BluetoothDiscovery/known()`` says why.
    public static func devices(bus: DBusAddress? = .system) throws(DeviceError) -> [DeviceNode] {
        try nodes() + (bus.flatMap { try? BlueZ($0, by: .after(.seconds(2)), cancel: nil) }?.objects.devices ?? [])
    }

    /// Of udev.
    private static func nodes() throws(DeviceError) -> [DeviceNode] {
        var list = DeviceList()
        let status = unsafe withUnsafeMutablePointer(to: &list) { pointer in
            unsafe cdio_list_devices(
                { device, context in
                    guard let device = unsafe device, let list = unsafe context?.assumingMemoryBound(to: DeviceList.self) else { return 0 }
                    if let node = unsafe DeviceNode(device.pointee) { unsafe list.pointee.nodes.append(node) }
                    return 0
                }, pointer)
        }
        try check(status, "udev")
        return list.nodes
    }

    /// Begins to watch; what is there already comes first, as arrivals. Listening begins before the
    /// devices are listed, so that no device is missed in between.
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

    public func stop() {
        isStopped = true
        continuation.finish()
        guard let monitor else { return }
        thread.unwatch(monitor.descriptor)
        self.monitor = nil
        if let bluez { thread.unwatch(bluez.descriptor) }
        bluez = nil
    }

    /// Has the Bluetooth adapters look for devices, which then arrive, until ``stopScanning()``.
    ///
    /// - Throws: ``DeviceError/bluetoothUnavailable(_:)``, with what is in the way.
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
            case .arrived(let node): arrive(node)
            case .left(let node): leave(node.path)
            case .lost:
                // What is still in the queue is older than the list: it would bring back devices whose leaving was lost.
                while monitor?.next() != nil {}
                try? compare()
            }
        }
    }

    /// Lists udev's devices and reports the differences.
    private func compare() throws(DeviceError) {
        let nodes = try Self.nodes()
        let paths = Set(nodes.map(\.path))
        // A USB device that took another's place has a number of its own on the bus; the nodes below it can look like those that were there.
        let replaced = Set(nodes.lazy.filter { $0.kind == .usb && $0 != self.present[$0.path] }.map(\.path))
        let gone = present.values.filter { $0.kind != .bluetooth && (!paths.contains($0.path) || replaced.contains($0.usbPath)) }
        for path in gone.map(\.path).sorted() { leave(path) }
        for node in nodes { arrive(node) }
    }

    /// A machine without a bus has no Bluetooth.
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
            // The bus closed the connection, as it does with slow readers: a new list has the
            // changes since.
            thread.unwatch(bluez.descriptor)
            self.bluez = nil
            watchBluetooth()
        }
    }

    private func compareBluetooth() {
        let nodes = bluez?.objects.devices ?? []
        let paths = Set(nodes.map(\.path))
        for path in present.values.filter({ $0.kind == .bluetooth && !paths.contains($0.path) }).map(\.path).sorted() { leave(path) }
        for node in nodes { arrive(node) }
    }

    private func arrive(_ node: DeviceNode) {
        guard present[node.path] != node else { return }
        // Another device in the same place: the first one's leaving was missed.
        leave(node.path)
        present[node.path] = node
        continuation.yield(.arrived(node))
    }

    private func leave(_ path: String) {
        guard let node = present.removeValue(forKey: path) else { return }
        continuation.yield(.left(node))
    }
}

/// udev's messages about devices.
@safe
private final class UdevMonitor {
    enum News {
        case arrived(DeviceNode)
        case left(DeviceNode)
        /// There were more than the kernel's queue holds.
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
            return device.change == UInt32(CDIO_REMOVED.rawValue) ? .left(node) : .arrived(node)
        }
    }
}

private struct DeviceList {
    var nodes: [DeviceNode] = []
}
