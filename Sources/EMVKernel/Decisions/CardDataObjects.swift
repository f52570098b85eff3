package import TLV

/// Which data objects a card may give, and where (EMV 4.4 Book 3, annex A1 and 7.5). What comes from another source, in another place or is
/// unknown is passed over as if it were not there: no record puts an amount, an answer of the issuer or another record's data in a terminal's way.
package enum CardDataObjects {
    /// Data objects of the directory, the FCI, GET DATA and GENERATE AC, which are no record's. AIP and AFL are not here: a record that has one
    /// repeats it (10.2).
    package static let notInRecords: Set<Tag> = [
        .adfName, .applicationLabel, .dfName, .applicationPriorityIndicator, .shortFileIdentifier, .ddfName, .languagePreference,
        .issuerCodeTableIndex, .applicationPreferredName, .pdol, .logEntry, .logFormat, .applicationSelectionRegisteredProprietaryData,
        .applicationCryptogram, .cryptogramInformationData,
        .issuerApplicationData, .applicationTransactionCounter, .lastOnlineATCRegister, .pinTryCounter, .signedDynamicApplicationData,
    ]

    /// Tags of READ RECORD's template 70.
    private static let inRecords: Set<Tag> = Set(TagDictionary.all.filter { $0.source == .card && !$0.tag.isConstructed }.map(\.tag))
        .subtracting(notInRecords)

    /// The data objects of an answer to GENERATE AC. Other objects in the answer are not listed.
    static let inCryptogramAnswers: [Tag] = [
        .cryptogramInformationData, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData,
        .signedDynamicApplicationData,
    ]

    /// Whether a record's data object counts: known, the card's, in the record itself and not empty.
    static func isOfRecord(_ node: TLVNode) -> Bool {
        node.depth == 0 && !node.value.isEmpty && inRecords.contains(node.tag)
    }

    /// The data objects of the card that the kernel works on and that have one length. What has another is wrongly coded, and the transaction
    /// ends (7.5).
    private static let ofFixedLength: [Tag] = [
        .applicationExpirationDate, .applicationEffectiveDate, .applicationUsageControl, .applicationVersionNumberCard,
        .issuerActionCodeDenial, .issuerActionCodeOnline, .issuerActionCodeDefault, .issuerCountryCode, .applicationCurrencyCode,
        .caPublicKeyIndexCard, .lowerConsecutiveOfflineLimit, .upperConsecutiveOfflineLimit, .panSequenceNumber,
    ]

    /// The first data object of `card` whose value its coding does not allow.
    static func firstInvalid(_ card: DataElements) -> Tag? {
        if let pan = card[.applicationPAN], pan.count > 10 || card.panDigits?.isEmpty ?? true { return .applicationPAN }
        return ofFixedLength.first { tag in
            guard let count = card.withValue(of: tag, { $0.count }), let definition = TagDictionary[tag] else { return false }
            return !definition.length.contains(count)
        }
    }
}
