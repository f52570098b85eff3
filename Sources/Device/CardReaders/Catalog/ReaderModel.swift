public import DeviceIO

/// A row of a driver's id table: a device that it drives, and through which of its nodes.
public struct ReaderModel: Sendable, Hashable {
    /// USB device, hidraw node, tty or Bluetooth device.
    public let kind: DeviceNode.Kind
    /// idVendor of the USB device; nil for any.
    public let vendor: UInt16?
    /// idProduct of the USB device; nil for any.
    public let product: UInt16?
    /// bInterfaceClass of the interface, for devices that are identified by it.
    public let interfaceClass: UInt8?
    /// The usage page of one of its collections, for HID devices that are identified by it.
    public let usagePage: UInt16?
    /// The prefix of a Bluetooth device's name, case-insensitive.
    public let bluetoothName: String?
    /// A service that a Bluetooth device must offer. A device with unknown services may offer it.
    public let service: ServiceDiscovery.Service?
    /// Maker and model.
    public let name: String

    /// - Parameters:
    ///   - vendor: Nil for any.
    ///   - product: Nil for any.
    public init(
        _ kind: DeviceNode.Kind, vendor: UInt16? = nil, product: UInt16? = nil, interfaceClass: UInt8? = nil,
        usagePage: UInt16? = nil, bluetoothName: String? = nil, service: ServiceDiscovery.Service? = nil, name: String
    ) {
        self.kind = kind
        self.vendor = vendor
        self.product = product
        self.interfaceClass = interfaceClass
        self.usagePage = usagePage
        self.bluetoothName = bluetoothName
        self.service = service
        self.name = name
    }

    /// Whether `node` is such a device: each part of the row that is not nil matches.
    public func matches(_ node: DeviceNode) -> Bool {
        node.kind == kind && vendor.map { $0 == node.vendor } ?? true && product.map { $0 == node.product } ?? true
            && interfaceClass.map { code in node.interfaces.contains { $0.classCode == code } } ?? true
            && usagePage.map(node.usagePages.contains) ?? true
            && bluetoothName.map { node.model.lowercased().hasPrefix($0.lowercased()) } ?? true && isOffered(by: node)
    }

    private func isOffered(by node: DeviceNode) -> Bool {
        guard let service, let known = node.bluetooth?.services, !known.isEmpty else { return true }
        return known.contains(service)
    }
}
