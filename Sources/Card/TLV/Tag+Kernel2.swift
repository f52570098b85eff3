/// Data objects of kernel 2 that both a kernel and a card have to name (EMV Contactless Book C-2,
/// annex A). Some of the tags have other meanings in other kernels.
extension Tag {
    package static let track1Data: Tag = 0x56
    /// DRDOL: what RECOVER AC sends.
    package static let drdol: Tag = 0x9F51
    /// DSDOL: what GENERATE AC sends for data storage, behind CDOL1.
    package static let dsdol: Tag = 0x9F5B
    /// DS requested operator ID.
    package static let requestedOperator: Tag = 0x9F5C
    /// POS cardholder interaction information.
    package static let cardholderInteraction: Tag = 0xDF4B
}
