private import Bytes
internal import TLV

/// The issuer action codes (EMV 4.4 Book 3, 10.7 and annex C5).
extension ApplicationInspection {
    var actionCodeFindings: [CardFinding] {
        let tags = [Tag.issuerActionCodeDenial, .issuerActionCodeOnline, .issuerActionCodeDefault]
        var findings: [CardFinding] = []
        let present = tags.filter(elements.contains)
        if !present.isEmpty {
            for tag in tags where !elements.contains(tag) {
                findings.append(
                    finding(
                        .actionCodeMissing, severity: .remark, tag: tag,
                        summary: tag == .issuerActionCodeDenial
                            ? "the others are present; terminals treat it as zeros"
                            : "the others are present; terminals treat it as all bits set",
                        source: "EMV 4.4 Book 3, 10.7"))
            }
        }
        let codes = present.compactMap { tag in
            elements[tag].flatMap(TerminalVerificationResults.init).map { (tag, $0) }
        }
        for (tag, code) in codes {
            let reserved = code.subtracting(Self.known)
            if !reserved.isEmpty, code.rawValue != 0xFF_FFFF_FFFF {
                findings.append(
                    finding(
                        .actionCodeBits, severity: .remark, tag: tag, summary: "reserved bits are set: \(reserved)",
                        source: "EMV 4.4 Book 3, annex C5"))
            }
        }
        if let denial = codes.first(where: { $0.0 == .issuerActionCodeDenial })?.1,
            let online = codes.first(where: { $0.0 == .issuerActionCodeOnline })?.1
        {
            let both = denial.intersection(online).intersection(Self.known)
            if !both.isEmpty {
                findings.append(
                    finding(
                        .actionCodeUnreachable, severity: .remark, tag: .issuerActionCodeOnline,
                        summary:
                            "these bits also deny, so they never go online: \(both.meanings.joined(separator: "; "))",
                        source: "EMV 4.4 Book 3, 10.7"))
            }
        }
        return findings
    }

    private static let known = TerminalVerificationResults(TerminalVerificationResults.meanings.map(\.0))
}
