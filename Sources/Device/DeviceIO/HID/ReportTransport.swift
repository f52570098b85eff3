import Bytes

/// A human interface device as a transport of reports. For the thread of its device only.
///
/// A report has its bytes without the report's number. The number is separate: 0 if the device has
/// no numbers (USB HID 1.11, 5.6).
public protocol ReportTransport: AnyObject {
    /// The name for display.
    var name: String { get }

    /// The device's report descriptor.
    var reports: HIDReportDescriptor { get }

    /// The next input report.
    func read(by deadline: Deadline) throws(DeviceError) -> HIDReport

    /// Sends an output report. Shorter ones are padded with zeros.
    func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError)

    func feature(_ number: UInt8) throws(DeviceError) -> HIDReport

    /// Shorter ones are padded with zeros: a device accepts only its own length.
    func setFeature(_ report: HIDReport) throws(DeviceError)

    /// A descriptor that is readable when a report has arrived; -1 if the transport has no
    /// descriptor.
    var readiness: CInt { get }
}

/// One report, without its number. Its bytes may be card data: they are wiped when the last copy of
/// the report is released.
public struct HIDReport: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    public let number: UInt8
    private let secret: SecretBytes

    public init(number: UInt8 = 0, _ bytes: some Collection<UInt8>) {
        self.number = number
        secret = SecretBytes(bytes)
    }

    public var count: Int { secret.count }

    /// Calls `body` with the bytes, and wipes the array afterwards: `body` must not keep a slice of
    /// it.
    public func withBytes<Result, Failure>(_ body: ([UInt8]) throws(Failure) -> Result) throws(Failure) -> Result {
        var bytes = secret.revealed()
        defer { wipe(&bytes) }
        return try body(bytes)
    }

    /// A copy of the bytes, for the caller to wipe.
    public func revealed() -> [UInt8] { secret.revealed() }

    public var description: String { "report \(number), \(count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
