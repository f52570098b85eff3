public import CardCapture
public import DeviceIO

extension ReaderCatalog {
    /// The stripe slot of a reader on a device file; nil for a family without a separate stripe
    /// slot. Nothing is opened yet, except for a MagTek reader without `product`: the length of its
    /// reports identifies the model.
    ///
    /// - Parameters:
    ///   - path: A hidraw node, or a tty for families that have serial readers.
    ///   - product: The product of the USB device, for families where it matters.
    ///   - layout: The keyboard layout of a keyboard wedge.
    public static func magstripeSlot(
        _ family: ReaderFamily, path: String, product: UInt16? = nil, layout: KeyboardLayout = .american
    ) throws(DeviceError) -> (any MagstripeSlot)? {
        try family.openMagstripe?(ReaderFamily.MagstripeOpening(path: path, product: product, layout: layout))
    }
}
