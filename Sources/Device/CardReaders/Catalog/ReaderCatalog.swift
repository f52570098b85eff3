public import CardCapture
public import DeviceIO

/// All devices that the drivers support, and which of them are connected.
public enum ReaderCatalog {
    /// The id tables of all families, one after the other.
    public static let models: [ReaderModel] = ReaderFamily.all.flatMap(\.models)

    /// A device that a driver knows.
    public struct Found: Sendable, Hashable {
        /// The device as the operating system reports it: path, ids, maker, model and serial
        /// number.
        public let node: DeviceNode
        /// The family whose driver is used.
        public let family: ReaderFamily
        /// The row of the family's id table that matched.
        public let model: ReaderModel
        /// Whether the caller named the family, because the device cannot be identified. Its
        /// descriptors are those of a serial adapter.
        public let isNamed: Bool

        init(node: DeviceNode, family: ReaderFamily, model: ReaderModel, isNamed: Bool = false) {
            self.node = node
            self.family = family
            self.model = model
            self.isNamed = isNamed
        }

        /// The identity from the device's descriptors, or from bluetoothd; empty for a reader whose
        /// family the caller named.
        public var identity: ReaderIdentity {
            isNamed
                ? ReaderIdentity()
                : ReaderIdentity(maker: node.maker, model: node.model, serialNumber: node.serialNumber)
        }

        /// The name that the device reports, or the model's name if it reports none.
        public var name: String {
            guard !isNamed else { return model.name }
            let own = [node.maker, node.model].filter { !$0.isEmpty }.joined(separator: " ")
            return own.isEmpty ? model.name : own
        }
    }

    /// The reader at `node`; nil if it is not a reader. A row with vendor and product takes
    /// precedence over a more general one.
    public static func reader(_ node: DeviceNode) -> Found? {
        let candidates = ReaderFamily.all.flatMap { family in
            family.models.lazy.filter { $0.matches(node) }.map { Found(node: node, family: family, model: $0) }
        }
        return candidates.first { $0.model.product != nil } ?? candidates.first { $0.model.vendor != nil }
            ?? candidates.first
    }

    /// A reader that cannot be identified, such as one on a serial port.
    ///
    /// - Parameters:
    ///   - family: The family whose driver opens it.
    ///   - path: Its device file, or a symbolic link to it (`/dev/serial/by-id/…`). A missing file
    ///     is reported when the reader is opened.
    public static func reader(of family: ReaderFamily, at path: String) -> Found {
        let node = DeviceNode.at(path)
        return Found(
            node: node, family: family, model: ReaderModel(node.kind, name: "\(family.name) at \(path)"), isNamed: true)
    }

    /// A reader as commands name one that cannot be identified: `FAMILY:/dev/NODE`; nil for other
    /// names. `pn532` is the family of that chip.
    package static func named(_ name: String) -> Found? {
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("/") else { return nil }
        let family: ReaderFamily? = parts[0].lowercased() == "pn532" ? .pn53x : .named(String(parts[0]))
        return family.map { reader(of: $0, at: String(parts[1])) }
    }

    /// What commands write before the name of a reader of the PC/SC service.
    package static let throughPCSC = "pcsc:"

    /// The connected readers, in the order of their nodes; Bluetooth readers as far as bluetoothd
    /// knows them.
    public static func readers() throws(DeviceError) -> [Found] { readers(among: try DeviceMonitor.devices()) }

    /// The readers among `devices`, in the order of their nodes.
    public static func readers(among devices: [DeviceNode]) -> [Found] {
        devices.sorted { $0.node < $1.node }.compactMap(reader)
    }
}

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
    public static func discover(scanTime: Duration = .zero, bus: DBusAddress? = .system) async throws(DeviceError)
        -> [Found]
    {
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

extension ReaderCatalog {
    /// The stripe slot of a reader on a device file; nil for a family without a separate stripe
    /// slot. Nothing is opened yet, except for a MagTek reader without `product`: the length of its
    /// reports identifies the model.
    ///
    /// - Parameters:
    ///   - path: A hidraw node, or a tty for families that have serial readers.
    ///   - product: The product of the USB device, for families where it matters.
    ///   - layout: The keyboard layout of a keyboard wedge.
    public static func magstripeSlot(
        _ family: ReaderFamily, path: String, product: UInt16? = nil, layout: KeyboardLayout = .american
    ) throws(DeviceError) -> (any MagstripeSlot)? {
        try family.openMagstripe?(ReaderFamily.MagstripeOpening(path: path, product: product, layout: layout))
    }
}
