/// A USB device, seen as its endpoints. For one thread, its device's.
public protocol USBTransport: AnyObject {
    /// What a person calls it.
    var name: String { get }

    /// What the device says of itself, as it was read when it was opened.
    var descriptors: USBDescriptors { get }

    /// Takes the interface for this program alone.
    func claim(interface: UInt8) throws(DeviceError)

    /// A control transfer to the device.
    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)

    /// A control transfer from the device, of at most `count` bytes.
    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8]

    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)

    /// One transfer: it ends with a packet shorter than the endpoint's largest.
    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]

    /// As ``read(endpoint:atMost:by:)``, but ends with nil as soon as there is something for ``heard()``. Nothing that has come in is lost.
    func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]?

    /// Keeps an interrupt endpoint read from now on; what it sends waits for ``heard()``.
    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError)

    /// What the interrupt endpoint has sent, oldest first; nil if there is nothing more.
    func heard() throws(DeviceError) -> [UInt8]?

    /// Clears a stalled endpoint.
    func clearHalt(endpoint: UInt8) throws(DeviceError)

    /// A descriptor that is readable when ``heard()`` is to be called; -1 if the transport has no
    /// descriptor.
    var readiness: CInt { get }
}

extension USBTransport {
    /// For devices that tell of nothing while they are read.
    public func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]? {
        try read(endpoint: endpoint, atMost: count, by: deadline)
    }
}

/// The setup of a control transfer, its direction and length apart (USB 2.0, 9.3).
public struct USBRequest: Hashable, Sendable {
    /// Type and recipient, bits 6 to 0 of bmRequestType.
    public enum Kind: UInt8, Sendable {
        /// Of the interface's class, to the interface.
        case classOfInterface = 0x21
        /// Of the vendor, to the device.
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
