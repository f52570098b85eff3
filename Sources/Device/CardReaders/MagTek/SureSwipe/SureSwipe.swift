package import CardCapture
package import DeviceIO

/// A MagTek SureSwipe reader: tracks in the clear, one report for each swipe (99875191).
package final class SureSwipe: SwipeSource {
    package static let models = [ReaderModel(.hid, vendor: 0x0801, product: 0x0002, name: "MagTek SureSwipe")]
    package static let capabilities: ReaderCapabilities = .magneticStripe

    private let transport: any ReportTransport

    package init(_ transport: any ReportTransport) { self.transport = transport }

    /// Whether a device with such reports is one; reports of models that encrypt are longer.
    static func sends(_ reports: HIDReportDescriptor) -> Bool { reports.length(.input) == SureSwipeReport.length }

    package func prepare() throws(DeviceError) { try transport.discardReports() }

    package func identify() throws(DeviceError) {
        guard Self.sends(transport.reports) else {
            throw .malformed(.sureSwipeReport, .wrongLength(transport.reports.length(.input)))
        }
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        let report = try transport.read(by: .never)
        return CapturedSwipe(
            tracks: try report.withBytes { bytes throws(DeviceError) in try SureSwipeReport(parsing: bytes) }.tracks)
    }
}

package typealias SureSwipeReader = MagstripeDriver<SureSwipe>

extension MagstripeDriver where Source == SureSwipe {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(path: String) throws(DeviceError) {
        try self.init(name: "MagTek SureSwipe", capabilities: SureSwipe.capabilities) { cancel throws(DeviceError) in
            SureSwipe(try HIDDevice(path: path, cancel: cancel))
        }
    }
}
