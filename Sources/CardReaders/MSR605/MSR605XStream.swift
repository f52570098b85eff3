import Bytes
package import DeviceIO

/// The stream of an MSR605X, in reports of 64 bytes: the first has bit 7 for the first of a message, bit 6 for the last, and the count of bytes that follow.
///
/// What the host sends goes in feature reports, what the reader sends comes in input reports. The maker publishes nothing of it; this is what is known
/// from readers at work.
package struct MSR605XPacking: ReportPacking {
    private var isWithinMessage = false

    static let payload = 63

    package init() {}

    package static func reports(_ bytes: [UInt8]) -> [HIDReport] {
        stride(from: 0, to: max(bytes.count, 1), by: payload).map { start in
            let part = bytes[start..<min(start + payload, bytes.count)]
            let header = UInt8(truncatingIfNeeded: part.count) | (start == 0 ? 0x80 : 0) | (start + payload >= bytes.count ? 0x40 : 0)
            return HIDReport([header] + part + [UInt8](repeating: 0, count: payload - part.count))
        }
    }

    package mutating func bytes(of report: HIDReport) throws(DeviceError) -> [UInt8] {
        var bytes = report.revealed()
        defer { wipe(&bytes) }
        guard let header = bytes.first, bytes.count > Int(header & 0x3F) else {
            throw .malformed(.msr605Report, .wrongLength(bytes.count))
        }
        // The rest of a message whose beginning is lost is of no use.
        guard header & 0x80 != 0 || isWithinMessage else { return [] }
        isWithinMessage = header & 0x40 == 0
        return Array(bytes[1..<(1 + Int(header & 0x3F))])
    }

    package static func send(_ report: HIDReport, to reports: any ReportTransport, by deadline: Deadline) throws(DeviceError) {
        try reports.setFeature(report)
    }
}

package typealias MSR605XStream = ReportStream<MSR605XPacking>
