private import Bytes
internal import SmartCard
internal import TLV

/// The answer to reset, the directory, and the FCIs of the applications (EMV 4.4 Book 1, 11 and
/// 12).
extension CardImage {
    var answerToResetFindings: [CardFinding] {
        guard let answerToReset else { return [] }
        do throws(AnswerToResetError) {
            _ = try AnswerToReset(parsing: answerToReset).emvParameters(after: .cold)
            return []
        } catch {
            return [
                CardFinding(
                    .answerToReset, severity: .error, place: .init(), summary: error.description,
                    source: "EMV Contact Interface Specification, Answer to Reset")
            ]
        }
    }

    var directoryFindings: [CardFinding] {
        var findings: [CardFinding] = []
        if let environment, environment.status == .success {
            if DirectoryFile.identifier(environment.data) == nil
                || ParsedAnswer(environment.data).outermost != [.fciTemplate]
            {
                findings.append(
                    CardFinding(
                        .environmentMalformed, severity: .error, place: .init(tag: .shortFileIdentifier),
                        summary:
                            "the payment system environment names no directory file 1 to 10 in its FCI: terminals fall back to their own list of AIDs",
                        source: "EMV 4.4 Book 1, 11.3.4 and 12.3.2"))
            }
        } else if let environment, ![.fileNotFound, .selectedFileInvalidated].contains(environment.status) {
            findings.append(
                CardFinding(
                    .environmentMalformed, severity: .warning, place: .init(),
                    summary:
                        "SELECT of the payment system environment is answered \(environment.status), not with 6A82",
                    source: "EMV 4.4 Book 1, 12.3.2"))
        }
        for record in directory { findings += directoryFindings(record) }
        if applications.isEmpty {
            findings.append(
                CardFinding(
                    .noApplication, severity: .error, place: .init(), summary: "no application was found",
                    source: "EMV 4.4 Book 1, 12.4"))
        }
        return findings + priorityFindings
    }

    private func directoryFindings(_ record: Record) -> [CardFinding] {
        let place = CardFinding.Place(record: record.place)
        func malformed(_ summary: String) -> CardFinding {
            CardFinding(
                .directoryMalformed, severity: .error, place: place, summary: summary, source: "EMV 4.4 Book 1, 12.2.3")
        }
        guard record.answer.status == .success else {
            return [malformed("the directory ends with status \(record.answer.status), not 6A83")]
        }
        let parsed = ParsedAnswer(record.answer.data)
        guard parsed.error == nil, parsed.outermost == [.recordTemplate] else {
            return [malformed("the record is not a template 70")]
        }
        let entries = DirectoryFile.entries(record.answer.data)
        guard !entries.isEmpty else { return [malformed("the record has no entry in template 61")] }
        return entries.flatMap { entry -> [CardFinding] in
            guard let name = entry[.adfName] else {
                return [
                    malformed(
                        entry.contains(.ddfName)
                            ? "an entry is for a DDF, which is not allowed in a directory"
                            : "an entry names no ADF in tag 4F")
                ]
            }
            guard (5...16).contains(name.count) else {
                return [malformed("an ADF name has \(name.count) bytes, not 5 to 16")]
            }
            var findings =
                entry.contains(.applicationLabel)
                ? [] : [malformed("the entry for \(name.hex) has no application label")]
            if let application = applications.first(where: { $0.name == name }) {
                findings += application.contradictions(entry, record.place, source: "EMV 4.4 Book 1, 12.2.3 and 11.3.4")
            }
            return findings
        }
    }

    /// With two applications of the same priority, the terminal determines the order.
    var priorityFindings: [CardFinding] {
        var seen: [UInt8: [UInt8]] = [:]
        var findings: [CardFinding] = []
        for application in applications {
            guard let value = application.fciValue(.applicationPriorityIndicator), value.count == 1,
                value[0] & 0x0F != 0
            else { continue }
            if let earlier = seen[value[0] & 0x0F] {
                findings.append(
                    CardFinding(
                        .priority, severity: .remark,
                        place: .init(application: application.name, tag: .applicationPriorityIndicator),
                        summary:
                            "it has the same priority \(value[0] & 0x0F) as \(earlier.hex): terminals may choose either first",
                        source: "EMV 4.4 Book 1, 12.4"))
            }
            seen[value[0] & 0x0F] = application.name
        }
        return findings
    }
}

extension CardImage.Application {
    /// The value of `tag` in the FCI.
    func fciValue(_ tag: Tag) -> [UInt8]? { ParsedAnswer(fci.data).objects.first { $0.tag == tag }?.value }

    private func place(_ tag: Tag? = nil) -> CardFinding.Place { CardFinding.Place(application: name, tag: tag) }

    var selectionFindings: [CardFinding] {
        switch fci.status {
        case .success: break
        case .selectedFileInvalidated:
            return [
                CardFinding(
                    .applicationBlocked, severity: .warning, place: place(), summary: "the application is blocked",
                    source: "EMV 4.4 Book 1, 12.3.3")
            ]
        default:
            return [
                CardFinding(
                    .applicationNotSelectable, severity: .error, place: place(),
                    summary: "the directory lists it, but SELECT is answered \(fci.status)",
                    source: "EMV 4.4 Book 1, 12.4")
            ]
        }
        let parsed = ParsedAnswer(fci.data)
        guard parsed.error == nil, parsed.outermost == [.fciTemplate] else {
            return [
                CardFinding(
                    .fciMalformed, severity: .error, place: place(.fciTemplate),
                    summary: "the answer to SELECT is not a template 6F",
                    source: "EMV 4.4 Book 1, 11.3.4")
            ]
        }
        var findings: [CardFinding] = []
        if let own = fciValue(.dfName), own != name {
            findings.append(
                CardFinding(
                    .nameContradicts, severity: .error, place: place(.dfName),
                    summary: "the FCI has the name \(own.hex), not the one selected",
                    source: "EMV 4.4 Book 1, 12.4"))
        }
        for (tag, severity) in [(Tag.dfName, CardFinding.Severity.error), (.applicationLabel, .warning)]
        where fciValue(tag) == nil && (interface == .contact || tag == .dfName) {
            findings.append(
                CardFinding(
                    .fciObjectMissing, severity: severity, place: place(tag), summary: "the FCI does not contain it",
                    source: "EMV 4.4 Book 1, 11.3.4, table 10"))
        }
        var seen: Set<Tag> = []
        for object in parsed.objects where !seen.insert(object.tag).inserted {
            findings.append(
                CardFinding(
                    .duplicateObject, severity: .warning, place: place(object.tag),
                    summary: "the FCI contains it twice",
                    source: "EMV 4.4 Book 3, 7.5"))
        }
        return findings + nameFindings + languageFindings + indicatorFindings
    }

    private var nameFindings: [CardFinding] {
        var findings: [CardFinding] = []
        if let label = fciValue(.applicationLabel) {
            if !(1...16).contains(label.count) {
                findings.append(
                    CardFinding(
                        .objectLength, severity: .warning, place: place(.applicationLabel),
                        summary: "it has \(label.count) bytes, not 1 to 16",
                        source: "EMV 4.4 Book 3, annex A1"))
            }
            if !label.allSatisfy({ $0 == 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || Self.isLetter($0) }) {
                findings.append(
                    CardFinding(
                        .nameCharacters, severity: .warning, place: place(.applicationLabel),
                        summary: "it contains characters other than letters, digits and spaces",
                        source: "EMV 4.4 Book 3, annex A1"))
            }
        }
        let table = fciValue(.issuerCodeTableIndex)
        if let table, table.count != 1 || table.first.flatMap(CodeTable.init(index:)) == nil {
            findings.append(
                CardFinding(
                    .codeTable, severity: .warning, place: place(.issuerCodeTableIndex),
                    summary: "\(table.hex) names no part of ISO/IEC 8859",
                    source: "EMV 4.4 Book 3, annex C4"))
        }
        guard let preferred = fciValue(.applicationPreferredName) else { return findings }
        guard let table else {
            findings.append(
                CardFinding(
                    .codeTable, severity: .warning, place: place(.applicationPreferredName),
                    summary: "it is never shown without an issuer code table index, tag 9F11",
                    source: "EMV 4.4 Book 1, 12.4"))
            return findings
        }
        let codes = table.first.flatMap(CodeTable.init(index:))
        if let codes, !preferred.allSatisfy({ codes.character($0) != nil }) {
            findings.append(
                CardFinding(
                    .nameCharacters, severity: .warning, place: place(.applicationPreferredName),
                    summary: "it contains characters that are not in ISO/IEC 8859-\(codes.rawValue)",
                    source: "EMV 4.4 Book 1, 12.2.4"))
        }
        return findings
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    private var languageFindings: [CardFinding] {
        guard let languages = fciValue(.languagePreference) else { return [] }
        guard
            !(2...8).contains(languages.count) || languages.count % 2 != 0
                || !languages.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 })
        else { return [] }
        return [
            CardFinding(
                .languages, severity: .warning, place: place(.languagePreference),
                summary: "it is not a list of one to four languages in two lower-case letters each",
                source: "EMV 4.4 Book 3, annex A1")
        ]
    }

    private var indicatorFindings: [CardFinding] {
        guard let indicator = fciValue(.applicationPriorityIndicator) else { return [] }
        if indicator.count != 1 {
            return [
                CardFinding(
                    .objectLength, severity: .error, place: place(.applicationPriorityIndicator),
                    summary: "it has \(indicator.count) bytes, not 1",
                    source: "EMV 4.4 Book 1, table 10")
            ]
        }
        guard indicator[0] & 0x70 != 0 else { return [] }
        return [
            CardFinding(
                .priority, severity: .warning, place: place(.applicationPriorityIndicator),
                summary: "bits 7 to 5, which are reserved, are set",
                source: "EMV 4.4 Book 1, table 13")
        ]
    }

    /// The contradictions between directory and FCI.
    func contradictions(_ entry: DataElements, _ record: RecordNumber?, source: String) -> [CardFinding] {
        [Tag.applicationLabel, .applicationPreferredName, .applicationPriorityIndicator].compactMap { tag in
            guard fci.status == .success, let said = entry[tag], let own = fciValue(tag), said != own else {
                return nil
            }
            return CardFinding(
                .directoryContradictsApplication, severity: .warning,
                place: .init(application: name, record: record, tag: tag),
                summary: "the directory contradicts the application's FCI", source: source)
        }
    }
}
