public import DeviceIO

/// The stream of a NEO reader over USB HID: reports of 63 bytes whose number says where in a message they belong: 1 all of it, 2 its beginning, 3 a part
/// in the middle, 4 its end (80139403-002, "USB HID").
///
/// The filling of the last report comes through with the rest: a frame has its own length.
public final class NEOReports: ByteTransport {
    private let reports: any ReportTransport
    private var waiting: [UInt8] = []
    private var isWithinMessage = false

    static let payload = 63

    public init(_ reports: any ReportTransport) { self.reports = reports }

    public var name: String { reports.name }
    public var readiness: CInt { reports.readiness }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        for report in Self.reports(bytes) { try reports.write(report, by: deadline) }
    }

    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        while waiting.isEmpty {
            let report = try reports.read(by: deadline)
            switch report.number {
            case 1:
                isWithinMessage = false
                waiting = report.bytes
            case 2:
                isWithinMessage = true
                waiting = report.bytes
            case 3 where isWithinMessage: waiting = report.bytes
            case 4 where isWithinMessage:
                isWithinMessage = false
                waiting = report.bytes
            // Of a message whose beginning is lost, or unknown: to be ignored.
            default: break
            }
        }
        defer { waiting.removeFirst(min(count, waiting.count)) }
        return Array(waiting.prefix(count))
    }

    static func reports(_ bytes: [UInt8]) -> [HIDReport] {
        stride(from: 0, to: max(bytes.count, 1), by: payload).map { start in
            let part = Array(bytes[start..<min(start + payload, bytes.count)])
            let isLast = start + payload >= bytes.count
            let number: UInt8 = start == 0 ? (isLast ? 1 : 2) : (isLast ? 4 : 3)
            return HIDReport(number: number, part + [UInt8](repeating: 0, count: payload - part.count))
        }
    }
}
