import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Phoenix and Smartmouse on a serial port, where devices cannot be identified.
    public static let phoenix = ReaderFamily("Phoenix/Smartmouse", capabilities: .contactChip) { opening throws(DeviceError) in
        .chip(try await PhoenixReader(path: opening.path).ready())
    }
}
