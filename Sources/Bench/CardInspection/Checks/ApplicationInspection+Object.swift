private import Bytes
internal import TLV

/// Checks the data objects of the records against the dictionary and the lists of mandatory data
/// (EMV 4.4 Book 3, 7.2 to 7.5 and annex A1).
extension ApplicationInspection {
    var objectFindings: [CardFinding] { missing + conditional + dataObjectFindings }

    /// The findings about each data object that the card has.
    var dataObjectFindings: [CardFinding] { repeated + located.flatMap(dictionary) }

    private var missing: [CardFinding] {
        [Tag.applicationExpirationDate, .applicationPAN, .cdol1, .cdol2].filter { !elements.contains($0) }.map {
            finding(
                .mandatoryObjectMissing, severity: .error, tag: $0, summary: "no record contains it",
                source: "EMV 4.4 Book 3, 7.2, table 28")
        }
    }

    /// Conditional data objects: mandatory because of other data.
    private var conditional: [CardFinding] {
        var findings: [CardFinding] = []
        if profile.contains(.cardholderVerificationSupported), !elements.contains(.cvmList) {
            findings.append(
                finding(
                    .conditionalObjectMissing, severity: .warning, tag: .cvmList,
                    summary: "the AIP supports cardholder verification, but the card has no CVM list",
                    source: "EMV 4.4 Book 3, 7.5, table 35"))
        }
        let limits = [Tag.lowerConsecutiveOfflineLimit, .upperConsecutiveOfflineLimit].map(elements.contains)
        if limits[0] != limits[1] {
            findings.append(
                finding(
                    .conditionalObjectMissing, severity: .warning,
                    tag: limits[0] ? .upperConsecutiveOfflineLimit : .lowerConsecutiveOfflineLimit,
                    summary: "the card has only one of the two consecutive offline limits: terminals ignore it",
                    source: "EMV 4.4 Book 3, 10.6.3"))
        }
        if !elements.contains(.applicationVersionNumberCard) {
            findings.append(
                finding(
                    .conditionalObjectMissing, severity: .remark, tag: .applicationVersionNumberCard,
                    summary: "no version: terminals assume their own",
                    source: "EMV 4.4 Book 3, 10.4.1"))
        }
        return findings
    }

    private var repeated: [CardFinding] {
        var seen: Set<Tag> = []
        return located.compactMap { object in
            guard !seen.insert(object.tag).inserted else { return nil }
            return CardFinding(
                .duplicateObject, severity: .error,
                place: CardFinding.Place(application: application.name, record: object.record, tag: object.tag),
                summary: "the card returns it more than once", source: "EMV 4.4 Book 3, 10.2")
        }
    }

    private func dictionary(_ object: LocatedObject) -> [CardFinding] {
        let place = CardFinding.Place(application: application.name, record: object.record, tag: object.tag)
        guard let definition = definition(object.tag, count: object.value.count) else {
            return [
                CardFinding(
                    .unknownObject, severity: .remark, place: place,
                    summary: "it is not in the dictionary: terminals ignore it",
                    source: "EMV 4.4 Book 3, 7.1 and annex A1")
            ]
        }
        guard definition.source == .card, !isMisplaced(object), object.templates.dropFirst().isEmpty else {
            return [
                CardFinding(
                    .misplacedObject, severity: .warning, place: place,
                    summary: definition.source == .card
                        ? "it is not allowed in a record"
                        : "it is the \(definition.source.rawValue)'s, not the card's: terminals ignore it",
                    source: "EMV 4.4 Book 3, 7.5 and annex A1")
            ]
        }
        guard !object.value.isEmpty || definition.length.contains(0) else {
            return [
                CardFinding(
                    .emptyObject, severity: .warning, place: place, summary: "it is empty, which means absent",
                    source: "EMV 4.4 Book 3, annex B3")
            ]
        }
        var findings: [CardFinding] = []
        if !definition.length.contains(object.value.count) {
            let expected =
                definition.length.count == 1
                ? "\(definition.length.lowerBound)"
                : "\(definition.length.lowerBound) to \(definition.length.upperBound)"
            findings.append(
                CardFinding(
                    .objectLength, severity: Self.isTolerated(object.tag) ? .warning : .error, place: place,
                    summary: "it has \(object.value.count) bytes, not \(expected)",
                    source: "EMV 4.4 Book 3, annex A1"))
        }
        if let wrong = Self.formatFault(object.value, definition.format) {
            findings.append(
                CardFinding(
                    .objectFormat, severity: Self.isTolerated(object.tag) ? .warning : .error, place: place,
                    summary: "format \(definition.format.rawValue) is required: \(wrong)",
                    source: "EMV 4.4 Book 3, annex A1"))
        }
        return findings
    }

    /// The fault of a value in that format; nil if it is valid.
    private static func formatFault(_ value: [UInt8], _ format: TagDefinition.Format) -> String? {
        switch format {
        case .numeric:
            BCD.number(value.suffix(8)) == nil || value.contains { $0 >> 4 > 9 || $0 & 0x0F > 9 }
                ? "it contains more than digits" : nil
        case .compressedNumeric: BCD.digits(value) == nil ? "it contains more than digits and trailing padding F" : nil
        case .alphabetic: value.allSatisfy(isLetter) ? nil : "it contains more than letters"
        case .alphanumeric:
            value.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                ? nil : "it contains more than letters and digits"
        case .alphanumericSpecial: value.contains { $0 < 0x20 || 0x7F...0x9F ~= $0 } ? "it has control characters" : nil
        case .binary, .variable: nil
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    /// Whether terminals accept the value regardless of its coding (EMV 4.4 Book 3, 7.5).
    private static func isTolerated(_ tag: Tag) -> Bool {
        [
            .cardholderName, .cardholderNameExtended, 0x42, 0x9F0C, .issuerURL, .logEntry, .logFormat,
            .track1DiscretionaryData,
        ].contains(tag)
    }

    /// Contactless kernels take any of the card's data objects from any answer.
    private func isMisplaced(_ object: LocatedObject) -> Bool {
        application.interface == .contact && Self.notInRecords.contains(object.tag)
    }

    /// Data objects of the directory, the FCI, GET DATA, GET PROCESSING OPTIONS and GENERATE AC
    /// (EMV 4.4 Book 3, annex A1, column "template").
    private static let notInRecords: Set<Tag> = [
        .adfName, .dfName, .applicationPriorityIndicator, .shortFileIdentifier, .ddfName, .pdol, .logEntry, .logFormat,
        .applicationSelectionRegisteredProprietaryData, .applicationCryptogram, .cryptogramInformationData,
        .issuerApplicationData, .applicationTransactionCounter, .lastOnlineATCRegister, .pinTryCounter,
        .signedDynamicApplicationData, .applicationInterchangeProfile, .applicationFileLocator,
    ]
}
