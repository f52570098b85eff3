public import DeviceIO

/// The stream of an MSR605X, in reports of 64 bytes: the first has bit 7 for the first of a message, bit 6 for the last, and the count of bytes that follow.
///
/// What the host sends goes in feature reports, what the reader sends comes in input reports. The maker publishes nothing of it; this is what is known
/// from readers at work.
public final class MSR605XStream: ByteTransport {
    private let reports: any ReportTransport
    private var waiting: [UInt8] = []
    private var isWithinMessage = false

    static let payload = 63

    public init(_ reports: any ReportTransport) { self.reports = reports }

    public var name: String { reports.name }
    public var readiness: CInt { reports.readiness }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        for packet in Self.packets(bytes) { try reports.setFeature(HIDReport(packet)) }
    }

    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        while waiting.isEmpty {
            let packet = try Packet(parsing: reports.read(by: deadline).bytes)
            // The rest of a message whose beginning is lost is of no use.
            guard packet.isFirst || isWithinMessage else { continue }
            isWithinMessage = !packet.isLast
            waiting = packet.bytes
        }
        defer { waiting.removeFirst(min(count, waiting.count)) }
        return Array(waiting.prefix(count))
    }

    /// One report.
    struct Packet {
        let isFirst: Bool
        let isLast: Bool
        let bytes: [UInt8]

        init(parsing report: [UInt8]) throws(DeviceError) {
            guard let header = report.first, report.count > Int(header & 0x3F) else {
                throw .malformed("an MSR605X report of \(report.count) bytes")
            }
            isFirst = header & 0x80 != 0
            isLast = header & 0x40 != 0
            bytes = Array(report[1..<(1 + Int(header & 0x3F))])
        }
    }

    /// `bytes` in whole reports.
    static func packets(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: max(bytes.count, 1), by: payload).map { start in
            let part = bytes[start..<min(start + payload, bytes.count)]
            let header = UInt8(part.count) | (start == 0 ? 0x80 : 0) | (start + payload >= bytes.count ? 0x40 : 0)
            return [header] + part + [UInt8](repeating: 0, count: payload - part.count)
        }
    }
}
