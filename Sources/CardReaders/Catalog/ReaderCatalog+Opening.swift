public import CardCapture
public import DeviceIO

extension ReaderCatalog {
    /// The stripe slot of a reader on a device file; nil for a family without one that stands alone. Nothing is opened yet, but a MagTek
    /// reader without a product is looked at: the length of its reports tells which it is.
    ///
    /// - Parameters:
    ///   - path: A hidraw node, or a tty for families that have serial readers.
    ///   - product: Of the USB device, where it makes a difference.
    ///   - layout: Of a keyboard wedge.
    public static func magstripeSlot(
        _ family: ReaderFamily, path: String, product: UInt16? = nil, layout: KeyboardLayout = .american
    ) throws(DeviceError) -> (any MagstripeSlot)? {
        try family.openMagstripe?(ReaderFamily.MagstripeOpening(path: path, product: product, layout: layout))
    }
}
