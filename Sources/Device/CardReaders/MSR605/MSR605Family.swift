import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Readers and writers of stripes, MSR605 and MSR605X.
    public static let msr605 = ReaderFamily(
        magstripe: "MSR605", models: MSR605.models, capabilities: MSR605.Options().capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try MSR605Reader(hid: opening.path) : try MSR605Reader(serialPort: opening.path)
    }
}
