import CardCapture
import DeviceIO

extension ReaderFamily {
    /// ID TECH stripe readers.
    public static let idTechSwipe = ReaderFamily(
        magstripe: "ID TECH swipe", models: SecureSwipe.models, capabilities: SecureSwipe.capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try SecureSwipeReader(hid: opening.path) : try SecureSwipeReader(serialPort: opening.path)
    }

    /// ID TECH readers with the NEO protocol: as stripe readers, or, where a card is expected in the
    /// field, with their own kernels for taps.
    public static let idTechNEO = ReaderFamily(
        "ID TECH NEO", models: NEODevice.models, capabilities: NEODevice.capabilities.union(NEOReader.capabilities),
        openMagstripe: { opening throws(DeviceError) in try neo(opening) }
    ) { opening throws(DeviceError) in
        let driver = try neo(opening.magstripe)
        return opening.interface == .contactless ? .reader(NEOReader(driver)) : .magstripe(driver)
    }

    private static func neo(_ opening: MagstripeOpening) throws(DeviceError) -> NEOMagstripeReader {
        opening.isHID ? try NEOMagstripeReader(hid: opening.path) : try NEOMagstripeReader(serialPort: opening.path)
    }
}
