import TLV

/// Data objects of data storage (EMV Contactless Book C-2, annex A); some of their tags have other
/// meanings in other kernels.
extension Tag {
    // MARK: The card's

    static let applicationCapabilities: Tag = 0x9F5D
    static let storageIdentifier: Tag = 0x9F5E
    static let slotAvailability: Tag = 0x9F5F
    static let slotManagement: Tag = 0x9F6F
    static let storageUnpredictableNumber: Tag = 0x9F7F
    /// Under the card's signature.
    static let storageSummary2: Tag = 0xDF8101
    static let storageSummary3: Tag = 0xDF8102

    // MARK: The terminal's

    /// DSVN Term; `02` with integrated data storage.
    static let storageVersions: Tag = 0xDF810D
    static let storageCardInput: Tag = 0xDF60
    static let storageDigest: Tag = 0xDF61
    static let storageInfo: Tag = 0xDF62
    static let storageTerminalData: Tag = 0xDF63
    static let storageCryptogramType: Tag = 0xDF8108
    static let storageTerminalInput: Tag = 0xDF8109
    static let storageInstructions: Tag = 0xDF810A

    // MARK: The kernel's

    static let kernel2ErrorIndication: Tag = 0xDF8115
    static let storageStatus: Tag = 0xDF8128
}
