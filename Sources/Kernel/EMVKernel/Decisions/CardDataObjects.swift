private import Bytes
package import TLV

/// Which data objects a card may return, and where (EMV 4.4 Book 3, annex A1 and 7.5). Unknown data
/// objects, and those from another source or in another place, are ignored: a record cannot replace
/// an amount, an answer of the issuer or data of another source.
package enum CardDataObjects {
    /// Data objects of the directory, the FCI, GET DATA and GENERATE AC, which do not belong in
    /// records. AIP and AFL are not listed: in a record they count as repeated (10.2).
    package static let notInRecords: Set<Tag> = [
        .adfName, .applicationLabel, .dfName, .applicationPriorityIndicator, .shortFileIdentifier, .ddfName,
        .languagePreference, .issuerCodeTableIndex, .applicationPreferredName, .pdol, .logEntry, .logFormat,
        .applicationSelectionRegisteredProprietaryData, .applicationCryptogram, .cryptogramInformationData,
        .issuerApplicationData, .applicationTransactionCounter, .lastOnlineATCRegister, .pinTryCounter,
        .signedDynamicApplicationData,
    ]

    /// Tags of READ RECORD's template 70.
    private static let inRecords = TagSet(
        TagDictionary.all.filter { $0.source == .card && !$0.tag.isConstructed && !notInRecords.contains($0.tag) }.map(
            \.tag))

    /// The data objects of an answer to GENERATE AC. Other objects in the answer are not listed.
    static let inCryptogramAnswers: [Tag] = [
        .cryptogramInformationData, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData,
        .signedDynamicApplicationData,
    ]

    /// Whether a record's data object is used: it must be known, have the card as its source, be
    /// directly in the record, and not be empty.
    static func isOfRecord(_ node: TLVNode) -> Bool {
        node.depth == 0 && !node.value.isEmpty && inRecords.contains(node.tag)
    }

    /// The data objects of the card that the kernel uses and that have a fixed length. With another
    /// length they are invalid, and the transaction ends (7.5).
    private static let ofFixedLength: [TagDefinition] = [
        Tag.applicationExpirationDate, .applicationEffectiveDate, .applicationUsageControl,
        .applicationVersionNumberCard, .issuerActionCodeDenial, .issuerActionCodeOnline, .issuerActionCodeDefault,
        .issuerCountryCode, .applicationCurrencyCode, .caPublicKeyIndexCard, .lowerConsecutiveOfflineLimit,
        .upperConsecutiveOfflineLimit, .panSequenceNumber,
    ].compactMap { TagDictionary[$0] }

    /// The first data object of `card` with an invalid value.
    static func firstInvalid(_ card: DataElements) -> Tag? {
        let isPAN = card.withValue(of: .applicationPAN) { $0.count <= 10 && BCD.digitCount($0) ?? 0 > 0 }
        if isPAN == false { return .applicationPAN }
        let invalid = ofFixedLength.first { definition in
            card.count(of: definition.tag).map { !definition.length.contains($0) } ?? false
        }
        return invalid?.tag
    }
}
