import Bytes
package import DeviceIO

/// The stream of an MSR605X, in reports of 64 bytes. In the first byte, bit 7 marks the first
/// report of a message and bit 6 the last; the other bits count the bytes that follow.
///
/// The host sends feature reports, the reader sends input reports. The maker does not publish the
/// format; this is known from observed readers.
package struct MSR605XPacking: ReportPacking {
    private var isWithinMessage = false

    static let payload = 63

    package init() {}

    package static func reports(_ bytes: [UInt8]) -> [HIDReport] {
        stride(from: 0, to: max(bytes.count, 1), by: payload).map { start in
            let part = bytes[start..<min(start + payload, bytes.count)]
            let header =
                UInt8(truncatingIfNeeded: part.count) | (start == 0 ? 0x80 : 0)
                | (start + payload >= bytes.count ? 0x40 : 0)
            return HIDReport([header] + part + [UInt8](repeating: 0, count: payload - part.count))
        }
    }

    package mutating func bytes(of report: HIDReport) throws(DeviceError) -> [UInt8] {
        var bytes = report.revealed()
        defer { wipe(&bytes) }
        guard let header = bytes.first, bytes.count > Int(header & 0x3F) else {
            throw .malformed(.msr605Report, .wrongLength(bytes.count))
        }
        // The rest of a message whose beginning was lost is discarded.
        guard header & 0x80 != 0 || isWithinMessage else { return [] }
        isWithinMessage = header & 0x40 == 0
        return Array(bytes[1..<(1 + Int(header & 0x3F))])
    }

    package static func send(_ report: HIDReport, to reports: any ReportTransport, by deadline: Deadline)
        throws(DeviceError)
    {
        try reports.setFeature(report)
    }
}

package typealias MSR605XStream = ReportStream<MSR605XPacking>
