/// Records the transfers over a wire, and hides the parts that may be card data.
///
/// The driver decides which parts these are, because they depend on its protocol. Without its
/// redaction only the length of a transfer is shown.
public struct WireRecorder: Sendable {
    /// The parts of a transfer that are not to be shown.
    public typealias Redaction = @Sendable (WireEvent.Direction, WireEvent.Channel, [UInt8]) -> [Range<Int>]

    private let redact: Redaction
    private let record: @Sendable (WireEvent) -> Void

    public init(redact: @escaping Redaction = Self.everything, record: @escaping @Sendable (WireEvent) -> Void) {
        self.redact = redact
        self.record = record
    }

    public static let everything: Redaction = { _, _, bytes in [0..<bytes.count] }

    /// Shows all bytes: for test cards, and only on request.
    public static let nothing: Redaction = { _, _, _ in [] }

    func take(_ direction: WireEvent.Direction, _ channel: WireEvent.Channel, _ bytes: [UInt8]) {
        record(WireEvent(direction, channel, bytes: bytes, hidden: redact(direction, channel, bytes)))
    }
}

/// A stream whose bytes are recorded.
public final class RecordedStream: ByteTransport {
    private let inner: any ByteTransport
    private let recorder: WireRecorder

    public init(_ inner: any ByteTransport, _ recorder: WireRecorder) {
        self.inner = inner
        self.recorder = recorder
    }

    public var name: String { inner.name }
    public var readiness: CInt { inner.readiness }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        recorder.take(.sent, .stream, bytes)
        try inner.write(bytes, by: deadline)
    }

    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        let bytes = try inner.read(atMost: count, by: deadline)
        recorder.take(.received, .stream, bytes)
        return bytes
    }
}

/// A serial line whose bytes are recorded; its modem lines and settings are not.
public final class RecordedSerial: SerialTransport {
    private let inner: any SerialTransport
    private let stream: RecordedStream

    public init(_ inner: any SerialTransport, _ recorder: WireRecorder) {
        self.inner = inner
        stream = RecordedStream(inner, recorder)
    }

    public var name: String { inner.name }
    public var readiness: CInt { inner.readiness }
    public var modemLines: ModemLines { get throws(DeviceError) { try inner.modemLines } }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try stream.write(bytes, by: deadline)
    }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public func configure(_ line: SerialLine) throws(DeviceError) { try inner.configure(line) }
    public func setModemLines(on: ModemLines, off: ModemLines) throws(DeviceError) {
        try inner.setModemLines(on: on, off: off)
    }
    public func discard() throws(DeviceError) { try inner.discard() }
}

/// A human interface device whose reports are recorded.
public final class RecordedReports: ReportTransport {
    private let inner: any ReportTransport
    private let recorder: WireRecorder

    public init(_ inner: any ReportTransport, _ recorder: WireRecorder) {
        self.inner = inner
        self.recorder = recorder
    }

    public var name: String { inner.name }
    public var reports: HIDReportDescriptor { inner.reports }
    public var readiness: CInt { inner.readiness }

    public func read(by deadline: Deadline) throws(DeviceError) -> HIDReport {
        let report = try inner.read(by: deadline)
        report.withBytes { recorder.take(.received, .report(report.number), $0) }
        return report
    }

    public func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError) {
        report.withBytes { recorder.take(.sent, .report(report.number), $0) }
        try inner.write(report, by: deadline)
    }

    public func feature(_ number: UInt8) throws(DeviceError) -> HIDReport {
        let report = try inner.feature(number)
        report.withBytes { recorder.take(.received, .feature(number), $0) }
        return report
    }

    public func setFeature(_ report: HIDReport) throws(DeviceError) {
        report.withBytes { recorder.take(.sent, .feature(report.number), $0) }
        try inner.setFeature(report)
    }
}

/// A USB device whose transfers are recorded.
public final class RecordedUSB: USBTransport {
    private let inner: any USBTransport
    private let recorder: WireRecorder
    private var listened: UInt8 = 0

    public init(_ inner: any USBTransport, _ recorder: WireRecorder) {
        self.inner = inner
        self.recorder = recorder
    }

    public var name: String { inner.name }
    public var descriptors: USBDescriptors { inner.descriptors }
    public var readiness: CInt { inner.readiness }

    public func claim(interface: UInt8) throws(DeviceError) { try inner.claim(interface: interface) }
    public func clearHalt(endpoint: UInt8) throws(DeviceError) { try inner.clearHalt(endpoint: endpoint) }

    public func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        recorder.take(.sent, .control(request), bytes)
        try inner.write(request, bytes, by: deadline)
    }

    public func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8]
    {
        let bytes = try inner.read(request, atMost: count, by: deadline)
        recorder.take(.received, .control(request), bytes)
        return bytes
    }

    public func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        recorder.take(.sent, .endpoint(endpoint), bytes)
        try inner.write(endpoint: endpoint, bytes, by: deadline)
    }

    public func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        let bytes = try inner.read(endpoint: endpoint, atMost: count, by: deadline)
        recorder.take(.received, .endpoint(endpoint), bytes)
        return bytes
    }

    public func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]? {
        guard let bytes = try inner.readOrHear(endpoint: endpoint, atMost: count, by: deadline) else { return nil }
        recorder.take(.received, .endpoint(endpoint), bytes)
        return bytes
    }

    public func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) {
        listened = endpoint
        try inner.listen(endpoint: endpoint, atMost: count)
    }

    public func heard() throws(DeviceError) -> [UInt8]? {
        guard let bytes = try inner.heard() else { return nil }
        recorder.take(.received, .endpoint(listened), bytes)
        return bytes
    }
}
