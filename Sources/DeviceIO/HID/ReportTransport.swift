/// A human interface device, seen as its reports. For one thread, its device's.
///
/// A report is its bytes without the report's number, which stands beside it: 0 where the device numbers none (USB HID 1.11, 5.6).
public protocol ReportTransport: AnyObject {
    /// What a person calls it.
    var name: String { get }

    /// What the device says of its reports.
    var reports: HIDReportDescriptor { get }

    /// The next input report.
    func read(by deadline: Deadline) throws(DeviceError) -> HIDReport

    /// Sends an output report. Shorter ones are filled up with zeros.
    func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError)

    func feature(_ number: UInt8) throws(DeviceError) -> HIDReport

    /// Shorter ones are filled up with zeros: a device refuses another length than its own.
    func setFeature(_ report: HIDReport) throws(DeviceError)

    /// Can be read when a report has come in; -1 if there is none.
    var readiness: CInt { get }
}

/// One report, without its number.
public struct HIDReport: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let number: UInt8
    public let bytes: [UInt8]

    public init(number: UInt8 = 0, _ bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    /// The bytes may be a card's.
    public var description: String { "report \(number), \(bytes.count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
