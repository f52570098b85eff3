import CardCapture
import DeviceIO

extension ReaderFamily {
    /// ID TECH stripe readers.
    public static let idTechSwipe = ReaderFamily(
        magstripe: "ID TECH swipe", models: SecureSwipe.models, capabilities: SecureSwipe.capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try SecureSwipeReader(hid: opening.path) : try SecureSwipeReader(serialPort: opening.path)
    }

    /// ID TECH readers with the NEO protocol. Only the stripe is read.
    public static let idTechNEO = ReaderFamily(
        magstripe: "ID TECH NEO", models: NEOMagstripe.models, capabilities: NEOMagstripe.capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try NEOMagstripeReader(hid: opening.path) : try NEOMagstripeReader(serialPort: opening.path)
    }
}
