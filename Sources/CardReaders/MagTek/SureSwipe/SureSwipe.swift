public import CardCapture
public import DeviceIO

/// A MagTek SureSwipe reader: tracks in the clear, a report for each swipe (99875191).
public final class SureSwipe: SwipeSource {
    public static let models = [ReaderModel(.magTekSwipe, .hid, vendor: 0x0801, product: 0x0002, name: "MagTek SureSwipe")]
    public static let capabilities: ReaderCapabilities = .magneticStripe

    private let transport: any ReportTransport

    public init(_ transport: any ReportTransport) { self.transport = transport }

    /// Whether a device of such reports is one; those of its relatives that encipher are longer.
    static func sends(_ reports: HIDReportDescriptor) -> Bool { reports.length(.input) == SureSwipeReport.length }

    public func prepare() throws(DeviceError) { try transport.discardReports() }

    public func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        let report = try transport.read(by: .never)
        return CapturedSwipe(tracks: try report.withBytes { bytes throws(DeviceError) in try SureSwipeReport(parsing: bytes) }.tracks)
    }
}

public typealias SureSwipeReader = MagstripeDriver<SureSwipe>

extension MagstripeDriver where Source == SureSwipe {
    /// - Parameter path: Such as `/dev/hidraw0`.
    public init(path: String) throws(DeviceError) {
        try self.init(name: "MagTek SureSwipe", capabilities: SureSwipe.capabilities) { cancel throws(DeviceError) in
            SureSwipe(try HIDDevice(path: path, cancel: cancel))
        }
    }
}
