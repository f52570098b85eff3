import Bytes
internal import CDeviceIO
private import Glibc

/// A USB device through libusb, driven by the calling thread.
@safe
public final class USBDevice: USBTransport {
    public let name: String
    public let descriptors: USBDescriptors
    private let device: OpaquePointer
    /// Kept so that its descriptor stays valid.
    private let event: WakeEvent?
    private var cancel: CInt { event?.descriptor ?? -1 }

    /// - Parameters:
    ///   - node: A file of `/dev/bus/usb`.
    ///   - cancel: Ends waits.
    public init(node: String, cancel: WakeEvent?) throws(DeviceError) {
        name = node
        event = cancel
        var opened: OpaquePointer?
        let status = unsafe cdio_usb_open(node, &opened)
        guard status >= 0, let opened = unsafe opened else { throw .opening(node, status, "libusb") }
        unsafe device = opened
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            let result = unsafe cdio_usb_descriptors(opened, buffer.baseAddress, buffer.count)
            failure = min(result, 0)
            count = max(result, 0)
        }
        do throws(DeviceError) {
            try check(failure, "libusb")
            descriptors = try USBDescriptors(parsing: bytes)
        } catch {
            unsafe cdio_usb_close(opened)
            throw error
        }
    }

    deinit { unsafe cdio_usb_close(device) }

    public func claim(interface: UInt8) throws(DeviceError) {
        let status = unsafe cdio_usb_claim(device, interface)
        guard status == -EBUSY else {
            try check(status, "libusb")
            return
        }
        var driver = [CChar](repeating: 0, count: 64)
        let known = unsafe cdio_usb_driver(device, interface, &driver, driver.count) >= 0
        let text = String(decoding: driver.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard known, text != "usbfs" else { throw DeviceHolder.named(.busy(name, holder: nil), name) }
        throw .busy(name, holder: DeviceError.kernelDriver + text)
    }

    public func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        var bytes = bytes
        defer { wipe(&bytes) }
        guard let count = UInt16(exactly: bytes.count) else {
            throw .malformed(.usbControlTransfer, .tooLong(bytes.count))
        }
        try check(
            unsafe cdio_usb_control(
                device, request.kind.rawValue, request.request, request.value, request.index, &bytes, count, cancel,
                deadline.nanoseconds),
            "libusb")
    }

    public func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8]
    {
        var bytes = [UInt8](repeating: 0, count: Int(count))
        defer { wipe(&bytes) }
        let got = try check(
            unsafe cdio_usb_control(
                device, request.kind.rawValue | 0x80, request.request, request.value, request.index, &bytes, count,
                cancel,
                deadline.nanoseconds), "libusb")
        return Array(bytes.prefix(got))
    }

    public func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        var bytes = bytes
        defer { wipe(&bytes) }
        try check(unsafe cdio_usb_bulk(device, endpoint, &bytes, bytes.count, cancel, deadline.nanoseconds), "libusb")
    }

    public func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = unsafe cdio_usb_bulk(device, endpoint, buffer.baseAddress, count, cancel, deadline.nanoseconds)
            failure = min(result, 0)
            filled = max(result, 0)
        }
        try check(failure, "libusb")
        return bytes
    }

    public func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]? {
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = unsafe cdio_usb_bulk_or_heard(
                device, endpoint, buffer.baseAddress, count, cancel, deadline.nanoseconds)
            failure = min(result, 0)
            filled = max(result, 0)
        }
        if failure == -Int(EINTR) { return nil }
        try check(failure, "libusb")
        return bytes
    }

    public func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) {
        try check(unsafe cdio_usb_listen(device, endpoint, count), "libusb")
    }

    public func heard() throws(DeviceError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        defer { wipe(&bytes) }
        let count = try check(unsafe cdio_usb_heard(device, &bytes, bytes.count), "libusb")
        return count == 0 ? nil : Array(bytes.prefix(count))
    }

    public func clearHalt(endpoint: UInt8) throws(DeviceError) {
        try check(unsafe cdio_usb_clear_halt(device, endpoint), "libusb")
    }

    public var readiness: CInt { unsafe cdio_usb_descriptor(device) }
}
