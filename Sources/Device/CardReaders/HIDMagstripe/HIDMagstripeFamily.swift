import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Readers of any maker with the magnetic stripe page (HID Usage Tables, page 8E).
    public static let hidMagstripe = ReaderFamily(
        magstripe: "HID magnetic stripe reader", models: HIDMagstripe.models, capabilities: HIDMagstripe.capabilities
    ) { opening throws(DeviceError) in
        try HIDMagstripeReader(path: opening.path)
    }
}
