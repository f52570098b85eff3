/// The adapters and devices that bluetoothd knows, updated by its signals (BlueZ,
/// org.bluez.Adapter1 and org.bluez.Device1). A value: no input or output.
struct BlueZObjects: Equatable {
    static let service = "org.bluez"
    static let adapterInterface = "org.bluez.Adapter1"
    static let deviceInterface = "org.bluez.Device1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let propertiesInterface = "org.freedesktop.DBus.Properties"

    /// The maximum number of devices.
    private static let most = 4096

    struct Adapter: Hashable, Sendable {
        /// An object path, such as `/org/bluez/hci0`.
        let path: String
        var isPowered: Bool
        var isDiscovering: Bool
    }

    /// By the paths of their objects.
    private var adapterProperties: [String: [String: DBusValue]] = [:]
    private var deviceProperties: [String: [String: DBusValue]] = [:]

    init() {}

    /// - Parameter objects: What GetManagedObjects returns, `a{oa{sa{sv}}}`; nil if it is something
    ///   else.
    init?(managed objects: [DBusValue]) {
        guard objects.count == 1, let objects = objects[0].dictionary else { return nil }
        for (path, interfaces) in objects {
            guard let interfaces = interfaces.dictionary else { return nil }
            add(path, interfaces)
        }
    }

    var adapters: [Adapter] {
        adapterProperties.map { path, properties in
            Adapter(
                path: path, isPowered: properties["Powered"]?.flag ?? false,
                isDiscovering: properties["Discovering"]?.flag ?? false)
        }.sorted { $0.path < $1.path }
    }

    /// The devices of existing adapters, in the order of their paths. When bluetoothd crashes, it
    /// may remove an adapter without its devices.
    var devices: [DeviceNode] {
        deviceProperties.compactMap { path, properties in
            let adapter = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
            return adapterProperties[adapter] == nil ? nil : DeviceNode(bluez: path, properties)
        }.sorted { $0.path < $1.path }
    }

    /// Processes a signal, if it concerns these objects.
    mutating func take(_ signal: DBusMessage) {
        let body = signal.body
        switch (signal.interface, signal.member) {
        case (Self.objectManager, "InterfacesAdded"):
            guard body.count == 2, let path = body[0].text, let interfaces = body[1].dictionary else { return }
            add(path, interfaces)
        case (Self.objectManager, "InterfacesRemoved"):
            guard body.count == 2, let path = body[0].text, let names = body[1].elements?.compactMap(\.text) else {
                return
            }
            if names.contains(Self.adapterInterface) { adapterProperties[path] = nil }
            if names.contains(Self.deviceInterface) { deviceProperties[path] = nil }
        case (Self.propertiesInterface, "PropertiesChanged"):
            guard body.count == 3, let path = signal.path, let interface = body[0].text,
                let changed = body[1].dictionary,
                let gone = body[2].elements?.compactMap(\.text)
            else { return }
            func renew(_ properties: inout [String: DBusValue]?) {
                guard properties != nil else { return }
                for (name, value) in changed { properties?[name] = value }
                for name in gone { properties?[name] = nil }
            }
            if interface == Self.adapterInterface { renew(&adapterProperties[path]) }
            if interface == Self.deviceInterface { renew(&deviceProperties[path]) }
        default: break
        }
    }

    private mutating func add(_ path: String, _ interfaces: [String: DBusValue]) {
        if let properties = interfaces[Self.adapterInterface]?.dictionary, adapterProperties.count < Self.most {
            adapterProperties[path] = properties
        }
        if let properties = interfaces[Self.deviceInterface]?.dictionary, deviceProperties.count < Self.most {
            deviceProperties[path] = properties
        }
    }
}

extension DeviceNode {
    /// - Parameter properties: Of `org.bluez.Device1`. Nil without an address.
    fileprivate init?(bluez path: String, _ properties: [String: DBusValue]) {
        guard let address = properties["Address"]?.text.flatMap(BluetoothAddress.init) else { return nil }
        let (vendor, product) = properties["Modalias"]?.text.flatMap(Self.usbNumbers) ?? (0, 0)
        self.init(
            kind: .bluetooth, node: address.description, path: path, vendor: vendor, product: product, maker: "",
            model: properties["Name"]?.text ?? "", serialNumber: "", usbPath: "", interfaceNumber: nil, interfaces: [],
            driver: "")
        let services =
            properties["UUIDs"]?.elements?.compactMap { $0.text.flatMap(ServiceDiscovery.Service.init(uuid:)) } ?? []
        bluetooth = Bluetooth(address: address, isPaired: properties["Paired"]?.flag ?? false, services: Set(services))
    }

    /// Vendor and product of a modalias such as `usb:v0801p0002d0100`, if they are assigned by the
    /// USB forum.
    private static func usbNumbers(_ modalias: String) -> (UInt16, UInt16)? {
        let text = Array(modalias.utf8)
        guard modalias.hasPrefix("usb:v"), text.count >= 14, text[9] == UInt8(ascii: "p"),
            let vendor = UInt16(String(decoding: text[5..<9], as: UTF8.self), radix: 16),
            let product = UInt16(String(decoding: text[10..<14], as: UTF8.self), radix: 16)
        else { return nil }
        return (vendor, product)
    }
}

extension ServiceDiscovery.Service {
    /// The number of an identifier with the Bluetooth base, `0000xxxx-0000-1000-8000-00805f9b34fb`;
    /// nil for others.
    init?(uuid: String) {
        let text = uuid.lowercased()
        guard text.utf8.count == 36, text.hasPrefix("0000"), text.hasSuffix("-0000-1000-8000-00805f9b34fb"),
            let number = UInt16(text.dropFirst(4).prefix(4), radix: 16)
        else { return nil }
        self.init(number)
    }
}
