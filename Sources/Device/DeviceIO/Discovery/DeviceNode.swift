private import Bytes
internal import CDeviceIO
private import Glibc

/// A device file of a possible reader, from udev, or a Bluetooth device, from bluetoothd.
public struct DeviceNode: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A whole USB device; its interfaces are in ``interfaces``.
        case usb
        case hid = "hidraw"
        case serial = "tty"
        /// See ``bluetooth``.
        case bluetooth
    }

    /// bluetoothd's record of a device.
    public struct Bluetooth: Hashable, Sendable {
        public let address: BluetoothAddress
        /// Whether it is paired with this computer.
        public let isPaired: Bool
        /// The service classes that it offers and that have numbers of 16 bits; known for a device
        /// that was connected before.
        public let services: Set<ServiceDiscovery.Service>
    }

    /// Class, subclass and protocol of a USB interface.
    public struct InterfaceClass: Hashable, Sendable {
        public let classCode: UInt8
        public let subclass: UInt8
        public let protocolCode: UInt8

        public init(_ classCode: UInt8, subclass: UInt8, protocolCode: UInt8) {
            self.classCode = classCode
            self.subclass = subclass
            self.protocolCode = protocolCode
        }
    }

    public let kind: Kind
    /// Such as `/dev/hidraw0`; the address of a Bluetooth device.
    public let node: String
    /// The path in sysfs, without `/sys`, or on the bus of bluetoothd. It does not change while the
    /// device is present.
    public let path: String
    /// Vendor and product of its USB device, or as reported by a Bluetooth device; 0 if unknown.
    public let vendor: UInt16
    public let product: UInt16
    public let maker: String
    public let model: String
    public let serialNumber: String
    /// The path of its USB device: equal for all nodes of one device. Empty if it does not belong
    /// to a USB device.
    public let usbPath: String
    /// bInterfaceNumber, if the node is one interface of a USB device.
    public let interfaceNumber: UInt8?
    /// The interfaces of a USB device.
    public let interfaces: [InterfaceClass]
    /// The kernel's driver for it.
    public let driver: String
    /// The usage pages of a HID device's top-level collections (HID Usage Tables, 3); empty if they
    /// are unknown.
    public internal(set) var usagePages: Set<UInt16> = []
    /// The record of a Bluetooth device.
    public internal(set) var bluetooth: Bluetooth?

    /// Maker, model and serial number are names that a stranger may have chosen: they are on one
    /// line here, whoever lists the device.
    init(
        kind: Kind, node: String, path: String, vendor: UInt16, product: UInt16, maker: String, model: String,
        serialNumber: String,
        usbPath: String, interfaceNumber: UInt8?, interfaces: [InterfaceClass], driver: String
    ) {
        self.kind = kind
        self.node = node
        self.path = path
        self.vendor = vendor
        self.product = product
        self.maker = maker.asName
        self.model = model.asName
        self.serialNumber = serialNumber.asName
        self.usbPath = usbPath
        self.interfaceNumber = interfaceNumber
        self.interfaces = interfaces
        self.driver = driver
    }
}

extension DeviceNode {
    /// Whether its device file is there, also one that udev does not list.
    package var exists: Bool { unsafe access(node, F_OK) == 0 }

    /// Nil for an unknown kind.
    init?(_ device: cdio_device) {
        guard let kind = Kind(rawValue: text(device.subsystem)) else { return nil }
        let interfaces = text(device.interfaces).split(separator: ":").compactMap { codes -> InterfaceClass? in
            guard codes.utf8.count == 6, let number = UInt32(codes, radix: 16) else { return nil }
            return InterfaceClass(
                UInt8(truncatingIfNeeded: number >> 16), subclass: UInt8(number >> 8 & 0xFF),
                protocolCode: UInt8(number & 0xFF))
        }
        self.init(
            kind: kind, node: text(device.node), path: text(device.path), vendor: device.vendor,
            product: device.product,
            maker: text(device.maker), model: text(device.model), serialNumber: text(device.serial),
            usbPath: text(device.usb_path),
            interfaceNumber: UInt8(text(device.interface), radix: 16), interfaces: interfaces,
            driver: text(device.driver))
        if kind == .hid { usagePages = Self.usagePages(ofDevice: "/sys\(path)/device") }
    }

    /// The device of a device file, or of a symbolic link to one. A file that udev does not list,
    /// such as a pseudoterminal, counts as a serial port without ids.
    package static func at(_ path: String) -> DeviceNode {
        let file = DeviceHolder.resolved(path)
        let known = try? DeviceMonitor.devices(bus: nil).first { $0.node == file }
        return known
            ?? DeviceNode(
                kind: .serial, node: file, path: file, vendor: 0, product: 0, maker: "", model: "", serialNumber: "",
                usbPath: "",
                interfaceNumber: nil, interfaces: [], driver: "")
    }

    /// Read from the report descriptor, which every user can read without opening the device.
    static func usagePages(ofDevice folder: String) -> Set<UInt16> {
        guard let bytes = ProcFiles.bytes(folder + "/report_descriptor", atMost: 4096),
            let reports = try? HIDReportDescriptor(parsing: bytes)
        else { return [] }
        return Set(reports.collections.map { UInt16(truncatingIfNeeded: $0 >> 16) })
    }
}

/// A C array of characters up to its zero.
private func text<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

extension String {
    /// The name of a device, as whoever made it or stands near it chose it: on one line, without
    /// blanks around it, at most as long as a Bluetooth name (248 bytes; Bluetooth 5.4, volume 3,
    /// part C, 3.2.2).
    var asName: String {
        let name = onOneLine(atMost: 248)
        var rest = name[...]
        while rest.last == " " { rest.removeLast() }
        while rest.first == " " { rest.removeFirst() }
        return String(rest)
    }
}
