private import Bytes
internal import TLV

/// The data object lists: whether they can be answered, and contain the data that the card needs
/// (EMV 4.4 Book 3, 5.4 and 9.2.1).
extension ApplicationInspection {
    var listFindings: [CardFinding] {
        let lists = [Tag.pdol, .cdol1, .cdol2, .ddol, .tdol].compactMap { tag in elements[tag].map { (tag, $0) } }
        var findings: [CardFinding] = []
        for (tag, bytes) in lists {
            let list: DOL
            do throws(TLVError) {
                list = try DOL(parsing: bytes)
            } catch {
                findings.append(
                    finding(
                        .listMalformed, severity: .error, tag: tag, summary: "it is not a data object list: \(error)",
                        source: "EMV 4.4 Book 3, 5.4"))
                continue
            }
            if list.dataLength > 252 {
                findings.append(
                    finding(
                        .listMalformed, severity: .error, tag: tag,
                        summary: "it asks for \(list.dataLength) bytes, more than fit into a command",
                        source: "EMV 4.4 Book 3, 5.4"))
            }
            findings += list.entries.compactMap { entry(tag, $0) } + lacks(tag, list)
        }
        return findings
    }

    private func entry(_ tag: Tag, _ entry: DOL.Entry) -> CardFinding? {
        let source = "EMV 4.4 Book 3, 5.4"
        if entry.tag.isConstructed {
            return finding(
                .listEntry, severity: .warning, tag: tag,
                summary: "it asks for \(entry.tag), a template: zeros are sent", source: source)
        }
        guard let definition = definition(entry.tag, count: entry.length) else {
            return finding(
                .listEntry, severity: .remark, tag: tag,
                summary: "it asks for \(entry.tag), which is not in the dictionary: zeros are sent",
                source: source)
        }
        guard !definition.length.contains(entry.length) else { return nil }
        return finding(
            .listEntry, severity: .remark, tag: tag,
            summary: "it asks for \(entry.length) bytes of \(entry.tag) (\(definition.name)), which has another length",
            source: source)
    }

    /// The recommended minimum data of a cryptogram (EMV 4.4 Book 2, 8.1.1), and the data for
    /// signatures and the issuer's answer.
    private func lacks(_ tag: Tag, _ list: DOL) -> [CardFinding] {
        func lack(_ severity: CardFinding.Severity, missing: [Tag], why: String, source: String) -> [CardFinding] {
            let names = missing.filter { !list.contains($0) }.map { "\($0) (\(TagDictionary[$0]?.name ?? ""))" }
            return names.isEmpty
                ? []
                : [
                    finding(
                        .listLacks, severity: severity, tag: tag,
                        summary: "it does not ask for \(names.joined(separator: ", ")), \(why)",
                        source: source)
                ]
        }
        let signed = profile.contains(.cdaSupported)
        switch tag {
        case .pdol where application.interface == .contactless: return missingQualifiers(list)
        case .cdol1:
            let inputs: [Tag] = [
                .amountAuthorised, .amountOther, .terminalCountryCode, .terminalVerificationResults,
                .transactionCurrencyCode,
                .transactionDate,
                .transactionType, .unpredictableNumber,
            ]
            return lack(
                .warning, missing: inputs.filter { !(signed && $0 == .unpredictableNumber) },
                why: "which cryptograms are to cover",
                source: "EMV 4.4 Book 2, 8.1.1, table 28")
                + (signed
                    ? lack(
                        .error, missing: [.unpredictableNumber], why: "which the card signs with CDA",
                        source: "EMV 4.4 Book 2, 6.6.1, table 18") : [])
        case .cdol2:
            return lack(
                .warning, missing: [.authorisationResponseCode],
                why: "so the card does not learn the issuer's response",
                source: "EMV 4.4 Book 3, 9.2.1")
                + (signed
                    ? lack(
                        .error, missing: [.unpredictableNumber], why: "which the card signs with CDA",
                        source: "EMV 4.4 Book 2, 6.6.1, table 18") : [])
        case .ddol:
            return lack(
                .error, missing: [.unpredictableNumber], why: "without which DDA fails", source: "EMV 4.4 Book 2, 6.5.1"
            )
        default: return []
        }
    }
}
