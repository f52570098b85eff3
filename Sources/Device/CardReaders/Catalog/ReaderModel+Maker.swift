import DeviceIO

extension ReaderModel {
    /// The maker of a reader.
    ///
    /// The raw values are stable: programs, lists and logs may keep them, and none is given to
    /// another maker later. Company names change; a maker keeps its case when it is bought.
    public enum Maker: String, Sendable, CaseIterable {
        /// Advanced Card Systems.
        case acs
        /// ASK.
        case ask
        /// Athena Smartcard Solutions.
        case athena
        /// C3PO.
        case c3po
        /// Cherry.
        case cherry
        /// Elatec.
        case elatec
        /// Fujitsu.
        case fujitsu
        /// Gemplus, later Gemalto, now of Thales.
        case gemalto
        /// Gertec.
        case gertec
        /// HP.
        case hp
        /// ID TECH.
        case idTech
        /// SCM Microsystems, now Identiv.
        case identiv
        /// MagTek.
        case magTek
        /// Miura Systems.
        case miura
        /// NXP.
        case nxp
        /// O2Micro.
        case o2Micro
        /// OMNIKEY, now of HID Global.
        case omnikey

        /// The maker of a USB device with these numbers; nil for a vendor whose readers are only
        /// identified by their class.
        ///
        /// - Parameters:
        ///   - vendor: idVendor, which the USB Implementers Forum assigns (`usb.ids`).
        ///   - product: idProduct: some makers use another's vendor number.
        public init?(vendor: UInt16, product: UInt16) {
            switch (vendor, product) {
            // Devices named MSR605X use MagTek's number.
            case (0x0801, 0x0003): return nil
            case (0x03F0, _): self = .hp
            case (0x046A, _): self = .cherry
            // NXP's chips have the number of ST-Ericsson, which the two shared.
            case (0x04CC, 0x2533): self = .nxp
            case (0x04E6, _): self = .identiv
            case (0x072F, _): self = .acs
            case (0x076B, _): self = .omnikey
            case (0x0783, _): self = .c3po
            case (0x0801, _): self = .magTek
            case (0x08E6, _): self = .gemalto
            case (0x09D8, _): self = .elatec
            case (0x0ACD, _): self = .idTech
            case (0x0B97, _): self = .o2Micro
            case (0x0BF8, _): self = .fujitsu
            case (0x0DC3, _): self = .athena
            case (0x1753, _): self = .gertec
            case (0x1FD3, _): self = .ask
            default: return nil
            }
        }
    }
}

extension ReaderFamily {
    /// The maker of all readers of the family; nil for a protocol of several makers.
    public var maker: ReaderModel.Maker? {
        switch self {
        case .magTekSwipe, .magTekDynamo, .magTekTDynamo, .magTekMMS: .magTek
        case .idTechSwipe, .idTechNEO: .idTech
        case .miura: .miura
        case .gemPCTwin: .gemalto
        default: nil
        }
    }
}

extension ReaderCatalog.Found {
    /// The maker, from the device's numbers, or else from the family; nil if neither says it. A
    /// reader whose family the caller named has the numbers of its serial adapter, so the family
    /// decides.
    public var maker: ReaderModel.Maker? {
        guard !isNamed else { return family.maker }
        return ReaderModel.Maker(vendor: node.vendor, product: node.product) ?? family.maker
    }
}
