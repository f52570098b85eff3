import Bytes
internal import CDeviceIO

/// A human interface device through hidraw, which passes reports of any length unchanged. Other
/// programs with this library cannot use it meanwhile.
public final class HIDDevice: ReportTransport {
    public let name: String
    public let vendor: UInt16
    public let product: UInt16
    public let reports: HIDReportDescriptor
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - path: Such as `/dev/hidraw0`.
    ///   - cancel: Ends waits for input; feature reports may take up to the kernel's limit of five
    ///     seconds.
    public init(path: String, cancel: WakeEvent?) throws(DeviceError) {
        name = path
        let descriptor = unsafe cdio_open(path)
        guard descriptor >= 0 else { throw DeviceHolder.named(.opening(path, descriptor, "open"), path) }
        stream = StreamDescriptor(descriptor, call: "hidraw", cancel: cancel)
        let locked = stream.claim(.lock)
        guard locked >= 0 else { throw DeviceHolder.named(.opening(path, locked, "flock"), path) }
        var information = cdio_hid_information()
        try check(unsafe cdio_hid_information(descriptor, &information), "hidraw")
        vendor = information.vendor
        product = information.product
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            let result = unsafe cdio_hid_report_descriptor(descriptor, buffer.baseAddress, buffer.count)
            failure = min(result, 0)
            count = max(result, 0)
        }
        try check(failure, "report descriptor")
        reports = try HIDReportDescriptor(parsing: bytes)
    }

    public func read(by deadline: Deadline) throws(DeviceError) -> HIDReport {
        var bytes = try stream.read(atMost: 8192, by: deadline)
        defer { wipe(&bytes) }
        return reports.isNumbered ? HIDReport(number: bytes[0], bytes.dropFirst()) : HIDReport(bytes)
    }

    public func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError) {
        var bytes = filled(report, .output)
        defer { wipe(&bytes) }
        try stream.write(bytes, by: deadline)
    }

    public func feature(_ number: UInt8) throws(DeviceError) -> HIDReport {
        var buffer = [UInt8](repeating: 0, count: 1 + reports.length(.feature, report: number))
        defer { wipe(&buffer) }
        buffer[0] = number
        let count = try check(unsafe cdio_hid_get_feature(stream.descriptor, &buffer, buffer.count), "feature report")
        return HIDReport(number: number, buffer.prefix(count).dropFirst())
    }

    public func setFeature(_ report: HIDReport) throws(DeviceError) {
        var bytes = filled(report, .feature)
        defer { wipe(&bytes) }
        try check(unsafe cdio_hid_set_feature(stream.descriptor, bytes, bytes.count), "feature report")
    }

    /// hidraw requires the report's number first, whether or not the device numbers its reports.
    private func filled(_ report: HIDReport, _ kind: HIDReportDescriptor.Kind) -> [UInt8] {
        var bytes: [UInt8] = []
        let missing = reports.length(kind, report: report.number) - report.count
        bytes.reserveCapacity(1 + report.count + max(0, missing))
        bytes.append(report.number)
        report.withBytes { bytes += $0 }
        bytes += repeatElement(0, count: max(0, missing))
        return bytes
    }

    public var readiness: CInt { stream.descriptor }
}
