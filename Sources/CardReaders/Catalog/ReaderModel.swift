public import DeviceIO

/// The protocols that drivers speak.
public enum ReaderFamily: String, Sendable, CaseIterable {
    /// USB chip card readers (USB CCID 1.1).
    case ccid = "CCID"
    /// SureSwipe and MagneSafe V5 stripe readers on USB HID.
    case magTekSwipe = "MagTek swipe"
    /// eDynamo, mDynamo and tDynamo: a chip reader with a kernel, and a MagneSafe stripe reader.
    case magTekDynamo = "MagTek Dynamo"
    /// DynaFlex and DynaProx, on USB HID or a serial line.
    case magTekMMS = "MagTek MMS"
    /// SecureMag, SecureHead and Augusta stripe readers, on USB HID or a serial line.
    case idTechSwipe = "ID TECH swipe"
    /// VP3300 and its relatives, as stripe readers, on USB HID or a serial line.
    case idTechNEO = "ID TECH NEO"
    /// PIN pads with a kernel, over Bluetooth, TCP or a serial line.
    case miura = "Miura MPI"
    /// PIN pads of Brazil's card industry, on a serial line or over Bluetooth.
    case abecs = "ABECS"
    /// Stripe readers and writers MSR605, MSR606 and MSR206, and MSR605X on USB HID.
    case msr605 = "MSR605"
    /// Readers that type their tracks; opened by the path of the input device.
    case keyboardWedge = "keyboard wedge"
    /// Stripe readers of any maker on the HID page for them, `8E`.
    case hidMagstripe = "HID magnetic stripe reader"
    /// Chip card readers with Gemplus's serial protocol; opened by path.
    case gemPCTwin = "GemPC Twin serial"
    /// Serial ports whose data line is the card's contact; opened by path.
    case phoenix = "Phoenix/Smartmouse"
}

/// A row of a driver's id table: a device that it drives, and by which of its nodes.
public struct ReaderModel: Sendable, Hashable {
    /// The protocol, and with it the driver.
    public let family: ReaderFamily
    /// The sort of node that the driver opens.
    public let kind: DeviceNode.Kind
    /// idVendor of USB; nil for any.
    public let vendor: UInt16?
    /// idProduct of USB; nil for any.
    public let product: UInt16?
    /// bInterfaceClass of the interface, for those that are known by it.
    public let interfaceClass: UInt8?
    /// Of one of its collections, for HID devices that are known by it.
    public let usagePage: UInt16?
    /// The prefix of a Bluetooth device's name, case-insensitive.
    public let bluetoothName: String?
    /// What a Bluetooth device offers. One whose services are not known yet may offer it.
    public let service: ServiceDiscovery.Service?
    /// Maker and model.
    public let name: String

    /// - Parameters:
    ///   - vendor: Nil for any.
    ///   - product: Nil for any.
    public init(
        _ family: ReaderFamily, _ kind: DeviceNode.Kind, vendor: UInt16? = nil, product: UInt16? = nil, interfaceClass: UInt8? = nil,
        usagePage: UInt16? = nil, bluetoothName: String? = nil, service: ServiceDiscovery.Service? = nil, name: String
    ) {
        self.family = family
        self.kind = kind
        self.vendor = vendor
        self.product = product
        self.interfaceClass = interfaceClass
        self.usagePage = usagePage
        self.bluetoothName = bluetoothName
        self.service = service
        self.name = name
    }

    /// Whether `node` has everything that this row names; what is nil here is not compared.
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
