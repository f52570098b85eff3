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
    package static let storageCardData: Tag = 0x9F54
    package static let storageSummary1: Tag = 0x9F7D
    package static let storageSummaryStatus: Tag = 0xDF810B
    package static let postWriteStatus: Tag = 0xDF810E
    package static let preWriteStatus: Tag = 0xDF810F
}

extension DataElements {
    /// The tags of what a tap has read and written: the slot's data set, its DS summary 1, the data
    /// envelopes, DS summary status, post- and pre-GENERATE AC PUT DATA status (EMV Contactless
    /// Book C-2, annex A). Empty for a tap of a terminal without data storage.
    package var storageResultTags: [Tag] {
        guard contains(.storageSummaryStatus) else { return [] }
        return [.storageCardData, .storageSummary1] + (0x9F70...0x9F79).map { Tag(rawValue: $0) }
            + [.storageSummaryStatus, .postWriteStatus, .preWriteStatus]
    }
}
