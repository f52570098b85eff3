/// Discovers nearby Bluetooth devices.
public actor BluetoothDiscovery {
    /// The default duration of a search. An inquiry of the radio needs at least 5.12 seconds to
    /// find every device that listens half of the time.
    public static let usualScanTime = Duration.seconds(5)

    /// How long bluetoothd's signals may wait in the socket.
    private static let slice = Duration.milliseconds(500)

    private nonisolated let thread: DeviceThread
    private let bus: DBusAddress?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter bus: Usually the system bus.
    public init(bus: DBusAddress? = .system) throws(DeviceError) {
        self.bus = bus
        thread = try DeviceThread(name: "Bluetooth")
    }

    deinit { thread.stop() }

    /// The devices of bluetoothd: paired ones, and those that a discovery by any program has found
    /// recently. It does not use the radio.
    public nonisolated func known() async throws(DeviceError) -> [DeviceNode] {
        try await DeviceThread.cancellable { cancellation async throws(DeviceError) in
            try await self.known(cancellation)
        }
    }

    /// The devices that bluetoothd knows after a discovery of `scanTime`, including newly found
    /// ones. Devices that are asleep, or paired with another computer, are usually not found.
    ///
    /// - Parameter scanTime: Zero or less: ``usualScanTime``.
    /// - Throws: ``DeviceError/bluetoothUnavailable(_:)``; ``DeviceError/cancelled``, the discovery
    ///   has then ended.
    public nonisolated func discover(scanTime: Duration = .zero) async throws(DeviceError) -> [DeviceNode] {
        try await DeviceThread.cancellable { cancellation async throws(DeviceError) in
            try await self.discover(scanTime, cancellation)
        }
    }

    private func known(_ cancellation: Cancellation) throws(DeviceError) -> [DeviceNode] {
        try cancellation.begin(thread.cancelEvent)
        defer { cancellation.end() }
        let bluez = try connect()
        guard bluez.isRunning else { throw .bluetoothUnavailable(.noService) }
        return bluez.objects.devices
    }

    /// If this call fails, closing the connection to the bus ends the discovery.
    private func discover(_ scanTime: Duration, _ cancellation: Cancellation) throws(DeviceError) -> [DeviceNode] {
        try cancellation.begin(thread.cancelEvent)
        defer { cancellation.end() }
        let bluez = try connect()
        try bluez.startDiscovery()
        let end = Deadline.after(scanTime > .zero ? scanTime : Self.usualScanTime)
        while !end.hasPassed {
            try thread.cancelEvent.wait(until: min(end, .after(Self.slice)))
            _ = try bluez.takeNews()
        }
        bluez.stopDiscovery()
        return bluez.objects.devices
    }

    private func connect() throws(DeviceError) -> BlueZ {
        guard let bus else { throw .bluetoothUnavailable(.noBus) }
        return try BlueZ(bus, cancel: thread.cancelEvent)
    }
}
