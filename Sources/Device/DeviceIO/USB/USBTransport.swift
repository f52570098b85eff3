/// A USB device with its endpoints. For the thread of its device only.
public protocol USBTransport: AnyObject {
    /// The name for display.
    var name: String { get }

    /// The device's descriptors, read when it was opened.
    var descriptors: USBDescriptors { get }

    /// Claims the interface for exclusive use.
    func claim(interface: UInt8) throws(DeviceError)

    /// A control transfer to the device.
    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)

    /// A control transfer from the device, of at most `count` bytes.
    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8]

    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)

    /// One transfer: it ends with a packet shorter than the endpoint's maximum.
    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]

    /// As ``read(endpoint:atMost:by:)``, but returns nil as soon as ``heard()`` has data. No
    /// received data are lost.
    func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]?

    /// Reads an interrupt endpoint continuously from now on; ``heard()`` returns its data.
    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError)

    /// The data from the interrupt endpoint, oldest first; nil if there are no more.
    func heard() throws(DeviceError) -> [UInt8]?

    /// Clears a stalled endpoint.
    func clearHalt(endpoint: UInt8) throws(DeviceError)

    /// A descriptor that is readable when ``heard()`` is to be called; -1 if the transport has no
    /// descriptor.
    var readiness: CInt { get }
}

extension USBTransport {
    /// The default, for devices without notifications during reads.
    public func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]? {
        try read(endpoint: endpoint, atMost: count, by: deadline)
    }
}

/// The setup of a control transfer, without its direction and length (USB 2.0, 9.3).
public struct USBRequest: Hashable, Sendable {
    /// Type and recipient, bits 6 to 0 of bmRequestType.
    public enum Kind: UInt8, Sendable {
        /// Defined by the interface's class, sent to the interface.
        case classOfInterface = 0x21
        /// Defined by the vendor, sent to the device.
        case vendor = 0x40
    }

    public let kind: Kind
    public let request: UInt8
    public let value: UInt16
    public let index: UInt16

    public init(_ kind: Kind, _ request: UInt8, value: UInt16 = 0, index: UInt16 = 0) {
        self.kind = kind
        self.request = request
        self.value = value
        self.index = index
    }
}
