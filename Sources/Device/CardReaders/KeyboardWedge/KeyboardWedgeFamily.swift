import CardCapture
import DeviceIO

extension ReaderFamily {
    /// Stripe readers that type, and cannot be distinguished from keyboards.
    public static let keyboardWedge = ReaderFamily(magstripe: "keyboard wedge", capabilities: KeyboardWedge.capabilities) {
        opening throws(DeviceError) in
        try KeyboardWedgeReader(path: opening.path, layout: opening.layout)
    }
}
