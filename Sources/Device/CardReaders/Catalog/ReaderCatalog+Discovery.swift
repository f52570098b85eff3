public import DeviceIO

extension ReaderCatalog {
    /// Looks for readers for some time: those that are there, those that are plugged in meanwhile,
    /// and those that a Bluetooth search finds.
    ///
    /// - Parameters:
    ///   - scanTime: Zero or less: 5 seconds (``DeviceIO/BluetoothDiscovery/usualScanTime``).
    ///   - bus: Where bluetoothd is; nil leaves Bluetooth out. Without a Bluetooth adapter the
    ///     search is for the other readers.
    /// - Returns: The readers that are there at the end, in the order of their nodes.
    /// - Throws: ``DeviceIO/DeviceError/cancelled`` if the task is cancelled, and the search has
    ///   ended then.
    public static func discover(scanTime: Duration = .zero, bus: DBusAddress? = .system) async throws(DeviceError) -> [Found] {
        let monitor = try DeviceMonitor(bus: bus)
        try await monitor.start()
        try? await monitor.startScanning()
        let end = Task {
            try? await Task.sleep(for: scanTime > .zero ? scanTime : BluetoothDiscovery.usualScanTime)
            await monitor.stopScanning()
            await monitor.stop()
        }
        let present = await withTaskCancellationHandler {
            var present: [String: DeviceNode] = [:]
            for await change in monitor.changes {
                switch change {
                case .arrived(let node): present[node.path] = node
                case .left(let node): present[node.path] = nil
                }
            }
            return present
        } onCancel: {
            end.cancel()
        }
        if Task.isCancelled { throw .cancelled }
        return readers(among: Array(present.values))
    }
}
