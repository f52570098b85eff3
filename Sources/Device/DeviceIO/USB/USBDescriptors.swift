/// The descriptors of a USB device: its device descriptor and the first configuration (USB 2.0,
/// 9.6).
public struct USBDescriptors: Sendable, Equatable {
    public struct Interface: Sendable, Equatable {
        public let number: UInt8
        public let alternate: UInt8
        /// bInterfaceClass, such as `0B` for chip card readers.
        public let classCode: UInt8
        public let subclass: UInt8
        public let protocolCode: UInt8
        public internal(set) var endpoints: [Endpoint] = []
        /// Complete descriptors of a class or vendor, at any position among those of the interface.
        public internal(set) var others: [[UInt8]] = []
    }

    public struct Endpoint: Sendable, Equatable {
        public enum Transfer: UInt8, Sendable {
            case control
            case isochronous
            case bulk
            case interrupt
        }

        /// With the direction in bit 7, which is set for input.
        public let address: UInt8
        public let transfer: Transfer
        public let largestPacket: Int

        public var isInput: Bool { address & 0x80 != 0 }
    }

    public let vendor: UInt16
    public let product: UInt16
    /// bcdDevice, the maker's version.
    public let version: UInt16
    public let interfaces: [Interface]

    public init(vendor: UInt16, product: UInt16, version: UInt16, interfaces: [Interface]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.interfaces = interfaces
    }

    /// - Parameter bytes: The device descriptor, then configurations with all their descriptors.
    ///   Everything after a descriptor with an invalid length is ignored.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if there is no device descriptor.
    public init(parsing bytes: [UInt8]) throws(DeviceError) {
        guard bytes.count >= 18, bytes[0] >= 18, bytes[1] == 1 else { throw .malformed(.usbDeviceDescriptor, .invalid) }
        var found: [Interface] = []
        var isInFirst = false
        var rest = bytes.dropFirst(Int(bytes[0]))
        while rest.count >= 2, let length = rest.first, length >= 2, rest.count >= Int(length) {
            let descriptor = Array(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            switch descriptor[1] {
            case 2 where isInFirst: rest = []
            case 2: isInFirst = true
            case 4 where length >= 9:
                found.append(
                    Interface(
                        number: descriptor[2], alternate: descriptor[3], classCode: descriptor[5],
                        subclass: descriptor[6],
                        protocolCode: descriptor[7]))
            case 5 where length >= 7 && !found.isEmpty:
                guard let transfer = Endpoint.Transfer(rawValue: descriptor[3] & 0x03) else { break }
                found[found.count - 1].endpoints.append(
                    Endpoint(
                        address: descriptor[2], transfer: transfer,
                        largestPacket: Int(descriptor[4]) | Int(descriptor[5] & 0x07) << 8))
            default:
                if !found.isEmpty { found[found.count - 1].others.append(descriptor) }
            }
        }
        self.init(
            vendor: UInt16(bytes[8]) | UInt16(bytes[9]) << 8, product: UInt16(bytes[10]) | UInt16(bytes[11]) << 8,
            version: UInt16(bytes[12]) | UInt16(bytes[13]) << 8, interfaces: found)
    }
}
