private import Bytes
internal import SmartCard
internal import TLV

/// A card in a reader's field: what Entry Point and the kernels need of it (EMV Contactless Books
/// B, C-2 and C-3). The rules of other systems' kernels are not public; of their applications the
/// general findings are reported.
extension CardImage {
    func contactlessFindings(_ circumstances: Circumstances) -> [CardFinding] {
        var findings = contactlessDirectoryFindings
        for application in applications {
            findings += application.selectionFindings
            guard application.fci.status == .success else { continue }
            guard !application.hasSecureChannel else {
                findings += application.qualifierFindings
                continue
            }
            findings += application.optionFindings
            guard application.options?.status == .success else { continue }
            findings += ApplicationInspection(application, circumstances).contactlessFindings
        }
        return findings
    }

    private var contactlessDirectoryFindings: [CardFinding] {
        let source = "EMV Contactless Book B, 3.3.2"
        guard let environment else { return [] }
        guard environment.status == .success else {
            return [
                CardFinding(
                    .environmentMalformed, severity: .error, place: .init(),
                    summary:
                        "SELECT of the directory 2PAY.SYS.DDF01 is answered \(environment.status): readers end the transaction",
                    source: source)
            ]
        }
        let parsed = ParsedAnswer(environment.data)
        guard parsed.error == nil, parsed.outermost == [.fciTemplate] else {
            return [
                CardFinding(
                    .environmentMalformed, severity: .error, place: .init(tag: .fciTemplate),
                    summary: "the answer to SELECT of the directory is not a template 6F: readers end the transaction",
                    source: source)
            ]
        }
        let entries = DirectoryFile.entries(environment.data, within: DirectoryFile.placeOfContactlessEntries)
        var findings = entries.flatMap { entryFindings($0, isOnlyOne: entries.count == 1) }
        if DirectoryFile.entries(environment.data).count > entries.count {
            findings.append(
                Self.malformed("an entry in template 61 is not within template BF0C: readers do not find it"))
        }
        if entries.isEmpty { findings.append(Self.malformed("it has no entry in template 61 within template BF0C")) }
        if applications.isEmpty {
            findings.append(
                CardFinding(
                    .noApplication, severity: .error, place: .init(), summary: "no application was found",
                    source: source))
        }
        return findings + priorityFindings
    }

    private static func malformed(_ summary: String) -> CardFinding {
        CardFinding(
            .directoryMalformed, severity: .error, place: .init(tag: .applicationTemplate), summary: summary,
            source: "EMV Contactless Book B, 3.3.2.5")
    }

    private func entryFindings(_ entry: DataElements, isOnlyOne: Bool) -> [CardFinding] {
        guard let name = entry[.adfName] else {
            return [Self.malformed("an entry names no ADF in tag 4F: readers skip it")]
        }
        guard (5...16).contains(name.count) else {
            return [Self.malformed("an ADF name has \(name.count) bytes, not 5 to 16: readers skip the entry")]
        }
        var findings: [CardFinding] = []
        // The two high bits 10 and 11 mean a domestic kernel: its number follows in two bytes.
        if let kernel = entry[.kernelIdentifier], let first = kernel.first, first & 0x80 != 0, kernel.count < 3 {
            findings.append(
                CardFinding(
                    .directoryMalformed, severity: .error, place: .init(application: name, tag: .kernelIdentifier),
                    summary:
                        "the identifier of a domestic kernel has \(kernel.count) bytes, less than 3: readers skip the entry",
                    source: "EMV Contactless Book B, 3.3.2.5"))
        }
        if !isOnlyOne, (entry[.applicationPriorityIndicator]?.first ?? 0) & 0x0F == 0 {
            findings.append(
                CardFinding(
                    .priority, severity: .remark, place: .init(application: name, tag: .applicationPriorityIndicator),
                    summary: "it has no priority: readers try it after those that have one",
                    source: "EMV Contactless Book B, 3.3.3.3"))
        }
        let application = applications.first { $0.name == name }
        return findings
            + (application?.contradictions(entry, nil, source: "EMV Contactless Book B, 3.3.2 and 3.3.3") ?? [])
    }
}

extension CardImage.Application {
    /// Whether the application is one of kernel 8, by its card qualifier.
    var hasSecureChannel: Bool { interface == .contactless && fciValue(.cardQualifier) != nil }

    fileprivate var qualifierFindings: [CardFinding] {
        let place = CardFinding.Place(application: name, tag: .cardQualifier)
        let source = "EMV Contactless Book C-8, selection"
        guard let qualifier = fciValue(.cardQualifier), qualifier.count == 7 else {
            return [
                CardFinding(
                    .objectLength, severity: .error, place: place,
                    summary: "it does not have 7 bytes: kernel 8 skips the application", source: source)
            ]
        }
        guard qualifier[0] == 0 else { return [] }
        return [
            CardFinding(
                .objectFormat, severity: .error, place: place,
                summary: "its version is 0: kernel 8 skips the application", source: source)
        ]
    }
}

extension ApplicationInspection {
    private var system: PaymentSystem { PaymentSystem(rid: Array(application.name.prefix(5))) }

    fileprivate var contactlessFindings: [CardFinding] {
        var findings = recordFindings + missingContactlessObjects + dataObjectFindings + dateFindings + accountFindings
        if system == .mastercard { findings += verificationFindings + actionCodeFindings }
        findings += listFindings
        if hasCertificates { findings += authenticationFindings }
        return findings
    }

    /// A Visa card returns its certificates only where it signs. A Mastercard has no certificates
    /// for mag-stripe mode.
    private var hasCertificates: Bool {
        switch system {
        case .visa: elements.contains(.issuerPublicKeyCertificate)
        case .mastercard: isEMVMode
        default: true
        }
    }

    /// The data objects without which the kernel ends the transaction.
    private var missingContactlessObjects: [CardFinding] {
        let (tags, source) = mandatory
        var findings = tags.filter { !elements.contains($0) }.map {
            finding(
                .mandatoryObjectMissing, severity: .error, tag: $0,
                summary: "the card does not return it: the kernel ends the transaction",
                source: source)
        }
        if system == .visa {
            if !elements.contains(.applicationPAN), !elements.contains(.track2EquivalentData) {
                findings.append(
                    finding(
                        .mandatoryObjectMissing, severity: .error, tag: .track2EquivalentData,
                        summary: "the card returns neither it nor the PAN: the kernel ends the transaction",
                        source: source))
            }
            if !elements.contains(.pdol) { findings += missingQualifiers(DOL(entries: [])) }
        }
        return findings
    }

    private var mandatory: (tags: [Tag], source: String) {
        switch system {
        case .visa:
            (
                [.applicationCryptogram, .applicationTransactionCounter, .issuerApplicationData],
                "EMV Contactless Book C-3, 5.4.2.1"
            )
        case .mastercard where isEMVMode:
            ([.applicationPAN, .applicationExpirationDate, .cdol1], "EMV Contactless Book C-2, S4")
        case .mastercard: ([.track2DataContactless, 0x9F65, 0x9F66, 0x9F67], "EMV Contactless Book C-2, S7")
        default: ([], "")
        }
    }

    /// AIP byte 2 bit 8 (Book C-2).
    private var isEMVMode: Bool { (elements[.applicationInterchangeProfile]?.last ?? 0) & 0x80 != 0 }

    /// Without the reader's qualifiers in the PDOL a Visa card is one for kernel 1, which no reader
    /// has.
    func missingQualifiers(_ pdol: DOL) -> [CardFinding] {
        guard system == .visa, !pdol.contains(.terminalTransactionQualifiers) else { return [] }
        return [
            finding(
                .listLacks, severity: .error, tag: .pdol,
                summary:
                    "it does not ask for the terminal transaction qualifiers, tag 9F66: readers skip the application",
                source: "EMV Contactless Book B, 3.3.3.6")
        ]
    }
}
