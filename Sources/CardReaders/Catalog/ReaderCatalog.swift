public import CardCapture
public import DeviceIO

/// All the devices that the drivers know, and which of them are there.
public enum ReaderCatalog {
    /// The id tables of all families, one after the other.
    public static let models: [ReaderModel] = ReaderFamily.all.flatMap(\.models)

    /// A device that a driver knows.
    public struct Found: Sendable, Hashable {
        /// The device as the kernel shows it: path, ids, maker, model and serial number.
        public let node: DeviceNode
        /// Whose driver it gets.
        public let family: ReaderFamily
        /// The row of the family's id table that matched.
        public let model: ReaderModel

        /// What the device's descriptors, or bluetoothd, say of it.
        public var identity: ReaderIdentity {
            ReaderIdentity(maker: node.maker, model: node.model, serialNumber: node.serialNumber)
        }

        /// What the device calls itself, or the model's name where it calls itself nothing.
        public var name: String {
            let own = [node.maker, node.model].filter { !$0.isEmpty }.joined(separator: " ")
            return own.isEmpty ? model.name : own
        }
    }

    /// The reader that `node` is, nil if it is none; a row with vendor and product goes before one that is more general.
    public static func reader(_ node: DeviceNode) -> Found? {
        let candidates = ReaderFamily.all.flatMap { family in
            family.models.lazy.filter { $0.matches(node) }.map { Found(node: node, family: family, model: $0) }
        }
        return candidates.first { $0.model.product != nil } ?? candidates.first { $0.model.vendor != nil } ?? candidates.first
    }

    /// The readers that are there now, in the order of their nodes; those over Bluetooth as far as bluetoothd knows them.
    public static func readers() throws(DeviceError) -> [Found] { readers(among: try DeviceMonitor.devices()) }

    /// The readers among `devices`, in the order of their nodes.
    public static func readers(among devices: [DeviceNode]) -> [Found] { devices.sorted { $0.node < $1.node }.compactMap(reader) }
}
