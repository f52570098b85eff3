public import CardCapture
public import DeviceIO

extension ReaderFamily {
    /// What readers of the family can do through our drivers.
    public var capabilities: ReaderCapabilities {
        switch self {
        case .ccid: [.contactChip, .cardEvents]
        case .magTekSwipe: SureSwipe.capabilities
        case .magTekDynamo: DynamoLink.capabilities.union(MagneSafe.capabilities)
        case .magTekMMS: MMSLink.capabilities
        case .idTechSwipe: SecureSwipe.capabilities
        case .idTechNEO: NEOMagstripe.capabilities
        case .miura: [.contactChip, .magneticStripe, .ownKernel, .pinPad, .display, .battery]
        case .abecs: [.contactChip, .magneticStripe, .pinPad, .display]
        case .msr605: MSR605.Options().capabilities
        case .keyboardWedge: KeyboardWedge.capabilities
        case .hidMagstripe: HIDMagstripe.capabilities
        case .gemPCTwin, .phoenix: .contactChip
        }
    }
}

extension ReaderCatalog {
    /// The stripe slot of a reader on a device file; nil for a family without one that stands alone. Nothing is opened yet, but a MagTek
    /// reader without a product is looked at: the length of its reports tells which it is.
    ///
    /// - Parameters:
    ///   - path: A hidraw node, or a tty for families that have serial readers.
    ///   - product: Of the USB device, where it makes a difference.
    ///   - layout: Of a keyboard wedge.
    public static func stripeSlot(
        _ family: ReaderFamily, path: String, product: UInt16? = nil, layout: KeyboardLayout = .american
    ) throws(DeviceError) -> (any MagstripeSlot)? {
        let isHID = path.contains("hidraw")
        switch family {
        case .magTekSwipe:
            let isSureSwipe = if let product { product == 0x0002 } else { SureSwipe.sends(try HIDDevice(path: path, cancel: nil).reports) }
            return isSureSwipe ? try SureSwipeReader(path: path) : try MagneSafeReader(path: path)
        case .magTekDynamo: return try MagneSafeReader(path: path)
        case .idTechSwipe: return isHID ? try SecureSwipeReader(hid: path) : try SecureSwipeReader(serialPort: path)
        case .idTechNEO: return isHID ? try NEOMagstripeReader(hid: path) : try NEOMagstripeReader(serialPort: path)
        case .msr605: return isHID ? try MSR605Reader(hid: path) : try MSR605Reader(serialPort: path)
        case .hidMagstripe: return try HIDMagstripeReader(path: path)
        case .keyboardWedge: return try KeyboardWedgeReader(path: path, layout: layout)
        case .ccid, .magTekMMS, .miura, .abecs, .gemPCTwin, .phoenix: return nil
        }
    }
}
