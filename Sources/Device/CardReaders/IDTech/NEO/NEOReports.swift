package import DeviceIO

/// The stream of a NEO reader over USB HID, in reports of 63 bytes. The report number says which
/// part of a message it is: 1 all of it, 2 the beginning, 3 the middle, 4 the end (80139403-002,
/// "USB HID").
///
/// The padding of the last report is passed on: a frame contains its own length.
package struct NEOPacking: ReportPacking {
    private var isWithinMessage = false

    static let payload = 63

    package init() {}

    package static func reports(_ bytes: [UInt8]) -> [HIDReport] {
        stride(from: 0, to: max(bytes.count, 1), by: payload).map { start in
            let part = Array(bytes[start..<min(start + payload, bytes.count)])
            let isLast = start + payload >= bytes.count
            let number: UInt8 = start == 0 ? (isLast ? 1 : 2) : (isLast ? 4 : 3)
            return HIDReport(number: number, part + [UInt8](repeating: 0, count: payload - part.count))
        }
    }

    package mutating func bytes(of report: HIDReport) -> [UInt8] {
        switch report.number {
        case 1: isWithinMessage = false
        case 2: isWithinMessage = true
        case 3 where isWithinMessage: break
        case 4 where isWithinMessage: isWithinMessage = false
        // Part of a message whose beginning was lost, or an unknown report: ignored.
        default: return []
        }
        return report.revealed()
    }

    package static func send(_ report: HIDReport, to reports: any ReportTransport, by deadline: Deadline)
        throws(DeviceError)
    {
        try reports.write(report, by: deadline)
    }
}

package typealias NEOReports = ReportStream<NEOPacking>
