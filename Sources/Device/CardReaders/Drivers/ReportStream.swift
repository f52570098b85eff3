import Bytes
package import DeviceIO

/// How a family splits a stream of bytes into HID reports.
package protocol ReportPacking: SendableMetatype {
    init()

    /// `bytes` split into complete reports.
    static func reports(_ bytes: [UInt8]) -> [HIDReport]

    /// The bytes of a report if the beginning of its message was received; none otherwise. The
    /// caller must wipe them.
    mutating func bytes(of report: HIDReport) throws(DeviceError) -> [UInt8]

    static func send(_ report: HIDReport, to reports: any ReportTransport, by deadline: Deadline) throws(DeviceError)
}

/// The byte stream of a reader that uses HID reports.
package final class ReportStream<Packing: ReportPacking>: ByteTransport {
    private let reports: any ReportTransport
    private var packing = Packing()
    private var waiting: [UInt8] = []

    package init(_ reports: any ReportTransport) { self.reports = reports }

    deinit { wipe(&waiting) }

    package var name: String { reports.name }
    package var readiness: CInt { reports.readiness }

    package func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        for report in Packing.reports(bytes) { try Packing.send(report, to: reports, by: deadline) }
    }

    package func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        while waiting.isEmpty { waiting = try packing.bytes(of: try reports.read(by: deadline)) }
        defer { waiting.removeFirst(wiping: count) }
        return Array(waiting.prefix(count))
    }
}
