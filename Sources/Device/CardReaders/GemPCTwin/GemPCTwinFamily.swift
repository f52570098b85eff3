import CardCapture
import DeviceIO

extension ReaderFamily {
    /// GemPC Twin on a serial port, where devices cannot be identified.
    public static let gemPCTwin = ReaderFamily("GemPC Twin serial", capabilities: .contactChip) { opening throws(DeviceError) in
        .chip(try await GemPCTwinReader(path: opening.path).ready())
    }
}
