package import CardCapture
package import DeviceIO
import MagneticStripe

/// A stripe reader of any maker that uses the magnetic stripe reader page (HID Usage Tables, page
/// 8E). Its report descriptor says where its tracks are.
package final class HIDMagstripe: SwipeSource {
    /// Identified by the report descriptor, not by vendor and product.
    package static let models = [ReaderModel(.hid, usagePage: 0x8E, name: "HID magnetic stripe reader")]
    package static let capabilities: ReaderCapabilities = .magneticStripe

    private let transport: any ReportTransport
    private let layout: HIDMagstripeLayout

    /// The longest time between two reports of one swipe.
    private static let timeout = Duration.milliseconds(250)

    /// - Throws: ``DeviceError/malformed(_:_:)`` if the device has no tracks on that page.
    package init(_ transport: any ReportTransport) throws(DeviceError) {
        self.transport = transport
        layout = try HIDMagstripeLayout(transport.reports)
    }

    /// Whether a device is such a reader.
    package static func matches(_ reports: HIDReportDescriptor) -> Bool { (try? HIDMagstripeLayout(reports)) != nil }

    package func prepare() throws(DeviceError) { try transport.discardReports() }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        var swipe = Swipe()
        var missing = layout.reports
        var deadline = Deadline.never
        while !missing.isEmpty {
            let report: HIDReport
            do throws(DeviceError) {
                report = try transport.read(by: deadline)
            } catch .timedOut {
                break
            } catch {
                throw error
            }
            guard missing.remove(report.number) != nil else { continue }
            try layout.add(report, to: &swipe)
            deadline = .after(Self.timeout)
        }
        guard !swipe.isMasked else { throw .rejected(.encryptionFormatNotSupported) }
        return CapturedSwipe(tracks: swipe)
    }
}

package typealias HIDMagstripeReader = MagstripeDriver<HIDMagstripe>

extension MagstripeDriver where Source == HIDMagstripe {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(path: String) throws(DeviceError) {
        try self.init(name: "HID stripe reader", capabilities: HIDMagstripe.capabilities) {
            cancel throws(DeviceError) in
            try HIDMagstripe(try HIDDevice(path: path, cancel: cancel))
        }
    }
}

extension ReaderFamily {
    /// Readers of any maker with the magnetic stripe page (HID Usage Tables, page 8E).
    public static let hidMagstripe = ReaderFamily(
        magstripe: "HID magnetic stripe reader", models: HIDMagstripe.models, capabilities: HIDMagstripe.capabilities
    ) { opening throws(DeviceError) in
        try HIDMagstripeReader(path: opening.path)
    }
}

extension DeviceError.Message {
    package static let hidTrack = Self("magnetic stripe track")
}
