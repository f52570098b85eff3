private import Bytes
internal import SmartCard
internal import TLV

/// The answer to GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8 and 10.1).
extension CardImage.Application {
    var optionFindings: [CardFinding] {
        let place = CardFinding.Place(application: name)
        guard let options else {
            let pdol = CardFinding.Place(application: name, tag: .pdol)
            return [
                CardFinding(
                    .listMalformed, severity: .error, place: pdol,
                    summary: "it is not a data object list, or too long for a command: the application cannot start",
                    source: "EMV 4.4 Book 3, 5.4")
            ]
        }
        guard options.status == .success else {
            return [
                CardFinding(
                    .optionsRefused, severity: .error, place: place,
                    summary: "GET PROCESSING OPTIONS is answered \(options.status) (\(options.status.summary))",
                    source: "EMV 4.4 Book 3, 10.1")
            ]
        }
        let processing = ProcessingOptions(options.data)
        var findings: [CardFinding] = []
        if !processing.isWellFormed {
            findings.append(
                CardFinding(
                    .optionsMalformed, severity: .error, place: place,
                    summary:
                        "the answer to GET PROCESSING OPTIONS is neither template 80 nor template 77, or has bytes around it",
                    source: "EMV 4.4 Book 3, 6.5.8.4"))
        }
        for (tag, value) in [
            (Tag.applicationInterchangeProfile, processing.profileBytes), (.applicationFileLocator, processing.locator),
        ]
        where value == nil && (interface == .contact || tag == .applicationInterchangeProfile) {
            findings.append(
                CardFinding(
                    .mandatoryObjectMissing, severity: .error, place: .init(application: name, tag: tag),
                    summary: "the card does not return it",
                    source: "EMV 4.4 Book 3, 7.4, table 33"))
        }
        return findings + profileFindings(processing) + locatorFindings(processing)
    }

    private func profileFindings(_ processing: ProcessingOptions) -> [CardFinding] {
        guard let bytes = processing.profileBytes else { return [] }
        let place = CardFinding.Place(application: name, tag: .applicationInterchangeProfile)
        guard let profile = ApplicationInterchangeProfile(bytes) else {
            return [
                CardFinding(
                    .objectLength, severity: .error, place: place, summary: "it has \(bytes.count) bytes, not 2",
                    source: "EMV 4.4 Book 3, annex A1")
            ]
        }
        var findings: [CardFinding] = []
        // Bit 8 of byte 2 means mag-stripe mode or EMV mode of contactless kernels, which also
        // define the rest of byte 2; bit 2 of byte 1 is verification on the cardholder's device.
        if interface == .contact, bytes[0] & 0x02 != 0 {
            findings.append(
                CardFinding(
                    .profileBits, severity: .warning, place: place,
                    summary: "bit 2 of byte 1, which is reserved, is set",
                    source: "EMV 4.4 Book 3, annex C1"))
        }
        if profile.isDisjoint(with: [.sdaSupported, .ddaSupported, .cdaSupported, .xdaSupported]) {
            findings.append(
                CardFinding(
                    .noDataAuthentication, severity: .remark, place: place,
                    summary: "the card offers no offline data authentication: it supports online transactions only",
                    source: "EMV 4.4 Book 3, 7.2"))
        }
        return findings
    }

    private func locatorFindings(_ processing: ProcessingOptions) -> [CardFinding] {
        guard let bytes = processing.locator else { return [] }
        let place = CardFinding.Place(application: name, tag: .applicationFileLocator)
        func odd(_ severity: CardFinding.Severity, _ summary: String, _ source: String) -> CardFinding {
            CardFinding(.locator, severity: severity, place: place, summary: summary, source: source)
        }
        guard let locator = ApplicationFileLocator(bytes) else {
            return [
                odd(
                    .error, "it is not a valid AFL: empty, not a multiple of four bytes, or with an invalid entry",
                    "EMV 4.4 Book 3, 7.5 and 10.2")
            ]
        }
        var findings: [CardFinding] = []
        if stride(from: 0, to: bytes.count, by: 4).contains(where: { bytes[$0] & 0x07 != 0 }) {
            findings.append(
                odd(.warning, "the three low bits of an SFI byte are set; they must be 000", "EMV 4.4 Book 3, 10.2"))
        }
        var seen: Set<RecordNumber> = []
        for entry in locator.entries {
            for number in entry.records where !seen.insert(RecordNumber(sfi: entry.sfi, number: number)).inserted {
                findings.append(
                    odd(
                        .error, "it lists record \(number) of file \(entry.sfi) twice: its data objects are repeated",
                        "EMV 4.4 Book 3, 10.2")
                )
            }
        }
        if seen.count > CardImage.maximumRecords {
            findings.append(
                odd(
                    .warning,
                    "it lists \(seen.count) records, more than \(CardImage.maximumRecords), the maximum that is read",
                    "EMV 4.4 Book 3, 10.2"))
        }
        return findings
    }
}
