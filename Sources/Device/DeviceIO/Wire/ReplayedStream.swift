/// A recording that acts as a device: it returns the recorded answers as long as it receives the
/// recorded requests.
///
/// For streams and reports; if a driver deviates from the recording, the error contains lengths,
/// not bytes.
public final class ReplayedStream: ByteTransport {
    public let name: String
    public let readiness: CInt = -1
    private var events: ArraySlice<WireEvent>
    private var rest: [UInt8] = []

    public init(_ events: [WireEvent], name: String = "recording") {
        self.events = events[...]
        self.name = name
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        guard let event = events.popFirst(), event.direction == .sent, event.bytes == bytes else {
            throw .malformed(.recording, .differs)
        }
    }

    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        if rest.isEmpty {
            guard let event = events.first else { throw .disconnected }
            guard event.direction == .received else { throw .timedOut }
            events.removeFirst()
            rest = event.bytes
        }
        defer { rest.removeFirst(min(count, rest.count)) }
        return Array(rest.prefix(count))
    }
}

/// See ``ReplayedStream``.
public final class ReplayedReports: ReportTransport {
    public let name: String
    public let reports: HIDReportDescriptor
    public let readiness: CInt = -1
    private var events: ArraySlice<WireEvent>

    public init(_ events: [WireEvent], reports: HIDReportDescriptor, name: String = "recording") {
        self.events = events[...]
        self.reports = reports
        self.name = name
    }

    public func read(by deadline: Deadline) throws(DeviceError) -> HIDReport {
        guard let event = events.first else { throw .disconnected }
        guard event.direction == .received, case .report(let number) = event.channel else { throw .timedOut }
        events.removeFirst()
        return HIDReport(number: number, event.bytes)
    }

    public func write(_ report: HIDReport, by deadline: Deadline) throws(DeviceError) {
        try expect(.sent, .report(report.number), report.revealed())
    }

    public func feature(_ number: UInt8) throws(DeviceError) -> HIDReport {
        guard let event = events.popFirst(), event.direction == .received, event.channel == .feature(number) else {
            throw .stalled
        }
        return HIDReport(number: number, event.bytes)
    }

    public func setFeature(_ report: HIDReport) throws(DeviceError) {
        try expect(.sent, .feature(report.number), report.revealed())
    }

    private func expect(_ direction: WireEvent.Direction, _ channel: WireEvent.Channel, _ bytes: [UInt8])
        throws(DeviceError)
    {
        guard let event = events.popFirst(), event == WireEvent(direction, channel, bytes: bytes) else {
            throw .malformed(.recording, .differs)
        }
    }
}

/// See ``ReplayedStream``.
public final class ReplayedUSB: USBTransport {
    public let name: String
    public let descriptors: USBDescriptors
    public let readiness: CInt = -1
    private var events: ArraySlice<WireEvent>
    private var listened: UInt8?

    public init(_ events: [WireEvent], descriptors: USBDescriptors, name: String = "recording") {
        self.events = events[...]
        self.descriptors = descriptors
        self.name = name
    }

    public func claim(interface: UInt8) throws(DeviceError) {}
    public func clearHalt(endpoint: UInt8) throws(DeviceError) {}
    public func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) { listened = endpoint }

    public func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try expect(WireEvent(.sent, .control(request), bytes: bytes))
    }

    public func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8]
    {
        try answer(.control(request), atMost: Int(count))
    }

    public func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try expect(WireEvent(.sent, .endpoint(endpoint), bytes: bytes))
    }

    public func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try answer(.endpoint(endpoint), atMost: count)
    }

    public func readOrHear(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]? {
        if let listened, let event = events.first, event.direction == .received, event.channel == .endpoint(listened) {
            return nil
        }
        return try read(endpoint: endpoint, atMost: count, by: deadline)
    }

    public func heard() throws(DeviceError) -> [UInt8]? {
        guard let listened, let event = events.first, event.direction == .received, event.channel == .endpoint(listened)
        else { return nil }
        events.removeFirst()
        return event.bytes
    }

    private func expect(_ expected: WireEvent) throws(DeviceError) {
        guard let event = events.popFirst(), event == expected else {
            throw .malformed(.recording, .differs)
        }
    }

    private func answer(_ channel: WireEvent.Channel, atMost count: Int) throws(DeviceError) -> [UInt8] {
        guard let event = events.first else { throw .disconnected }
        guard event.direction == .received, event.channel == channel else { throw .timedOut }
        events.removeFirst()
        return Array(event.bytes.prefix(count))
    }
}
