public import DeviceIO

/// All the devices that the drivers know, and which of them are there.
public enum ReaderCatalog {
    /// The id tables of all families, one after the other.
    public static let models: [ReaderModel] =
        CCIDReader.models + SureSwipe.models + MagneSafe.models + DynamoLink.models + MMSLink.models + SecureSwipe.models
        + NEOMagstripe.models
        + MSR605.models
        + HIDMagstripe.models + KeyboardWedge.models + ABECSReader.models + MiuraReader.models + GemPCTwinReader.models
        + PhoenixReader.models

    /// A device that a driver knows.
    public struct Found: Sendable, Hashable {
        /// The node by which the driver opens the device.
        public let node: DeviceNode
        /// The row of the id table that the device matches.
        public let model: ReaderModel

        /// What the device calls itself, or the model's name where it calls itself nothing.
        public var name: String {
            let own = [node.maker, node.model].filter { !$0.isEmpty }.joined(separator: " ")
            return own.isEmpty ? model.name : own
        }
    }

    /// The reader that `node` is, nil if it is none; a row with vendor and product goes before one that is more general.
    public static func reader(_ node: DeviceNode) -> Found? {
        let candidates = models.filter { $0.matches(node) }
        let model = candidates.first { $0.product != nil } ?? candidates.first { $0.vendor != nil } ?? candidates.first
        return model.map { Found(node: node, model: $0) }
    }

    /// The readers that are there now, in the order of their nodes; those over Bluetooth as far as bluetoothd knows them.
    public static func readers() throws(DeviceError) -> [Found] { readers(among: try DeviceMonitor.devices()) }

    /// The readers among `devices`, in the order of their nodes.
    public static func readers(among devices: [DeviceNode]) -> [Found] { devices.sorted { $0.node < $1.node }.compactMap(reader) }
}
