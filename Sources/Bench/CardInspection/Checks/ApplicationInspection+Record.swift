internal import SmartCard
internal import TLV

/// The form of the records: template, length, surrounding bytes (EMV 4.4 Book 3, 7.1 and 6.5.11.4).
extension ApplicationInspection {
    var recordFindings: [CardFinding] {
        application.records.flatMap { record -> [CardFinding] in
            let place = CardFinding.Place(application: application.name, record: record.place)
            guard record.answer.status == .success else {
                return [
                    CardFinding(
                        .recordUnreadable, severity: .error, place: place,
                        summary: "READ RECORD is answered \(record.answer.status) (\(record.answer.status.summary))",
                        source: "EMV 4.4 Book 3, 10.2")
                ]
            }
            guard record.place.sfi <= 10 || record.isAuthenticated else { return [] }
            let parsed = ParsedAnswer(record.answer.data)
            if let error = parsed.error {
                return [
                    CardFinding(
                        .recordTemplate, severity: .error, place: place,
                        summary: "the record is not coded as data objects: \(error)",
                        source: "EMV 4.4 Book 3, annex B")
                ]
            }
            guard parsed.outermost == [.recordTemplate] else {
                let found = parsed.outermost.map(String.init(describing:)).joined(separator: ", ")
                return [
                    CardFinding(
                        .recordTemplate, severity: .error, place: place,
                        summary: found.isEmpty ? "the record is empty" : "the record is \(found), not one template 70",
                        source: "EMV 4.4 Book 3, 6.5.11.4")
                ]
            }
            var findings: [CardFinding] = []
            if parsed.padding > 0 {
                findings.append(
                    CardFinding(
                        .trailingBytes, severity: .warning, place: place,
                        summary:
                            "\(parsed.padding) bytes 00 surround its template; terminals differ in whether they are signed",
                        source: "EMV 4.4 Book 3, annex B1"))
            }
            if record.answer.data.count > 254 {
                findings.append(
                    CardFinding(
                        .recordLength, severity: .warning, place: place,
                        summary: "it has \(record.answer.data.count) bytes, more than 254",
                        source: "EMV 4.4 Book 3, 7.1"))
            }
            return findings
        }
    }
}
