import CardCapture
package import DeviceIO

extension ReaderFamily {
    /// ID TECH stripe readers.
    public static let idTechSwipe = ReaderFamily(
        magstripe: "ID TECH swipe", models: SecureSwipe.models, capabilities: SecureSwipe.capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try SecureSwipeReader(hid: opening.path) : try SecureSwipeReader(serialPort: opening.path)
    }

    /// ID TECH readers with the NEO protocol: contacts for our kernel and stripes, or, where a card
    /// is expected in the field, stripes and taps by the reader's own kernels.
    public static let idTechNEO = ReaderFamily(
        "ID TECH NEO", models: NEODevice.models, capabilities: NEOChipReader.capabilities.union(NEOReader.capabilities),
        openMagstripe: { opening throws(DeviceError) in try neo(opening) }
    ) { opening throws(DeviceError) in
        let driver = try await neo(opening.magstripe).ready()
        switch opening.interface {
        case .contactless: return .reader(NEOReader(driver))
        case .contact:
            let reader = NEOChipReader(driver)
            return .chipAndMagstripe(reader, reader)
        }
    }

    private static func neo(_ opening: MagstripeOpening) throws(DeviceError) -> NEOMagstripeReader {
        opening.isHID ? try NEOMagstripeReader(hid: opening.path) : try NEOMagstripeReader(serialPort: opening.path)
    }
}

extension DeviceError.Message {
    package static let neoFrame = Self("NEO frame")
    package static let neoDataObject = Self("NEO data object")
    package static let idTechSwipe = Self("ID TECH swipe")
}
