private import Bytes
internal import CardCryptography
internal import TLV

/// The period of validity of the application (EMV 4.4 Book 3, 10.4.3).
extension ApplicationInspection {
    var dateFindings: [CardFinding] {
        var findings: [CardFinding] = []
        for tag in [Tag.applicationExpirationDate, .applicationEffectiveDate] {
            guard let bytes = elements[tag], bytes.count == 3, date(bytes) == nil else { continue }
            findings.append(
                finding(
                    .dateMalformed, severity: .error, tag: tag, summary: "\(bytes.hex) is not a date YYMMDD",
                    source: "EMV 4.4 Book 3, 7.5")
            )
        }
        guard let today else { return findings }
        let expiry = elements[.applicationExpirationDate].flatMap(date)
        let effective = elements[.applicationEffectiveDate].flatMap(date)
        if let expiry {
            if expiry < today {
                findings.append(
                    finding(
                        .expired, severity: .warning, tag: .applicationExpirationDate,
                        summary: "the application expired on \(expiry.summary)",
                        source: "EMV 4.4 Book 3, 10.4.3"))
            } else if expiry.days - today.days <= circumstances.notice {
                findings.append(
                    finding(
                        .expiresSoon, severity: .remark, tag: .applicationExpirationDate,
                        summary: "the application expires on \(expiry.summary)",
                        source: "EMV 4.4 Book 3, 10.4.3"))
            }
        }
        if let effective, effective > today {
            findings.append(
                finding(
                    .notYetEffective, severity: .warning, tag: .applicationEffectiveDate,
                    summary: "the application is effective from \(effective.summary) only",
                    source: "EMV 4.4 Book 3, 10.4.3"))
        }
        if let expiry, let effective, expiry < effective {
            findings.append(
                finding(
                    .dateOrder, severity: .error, tag: .applicationEffectiveDate,
                    summary: "the application expires before its effective date",
                    source: "EMV 4.4 Book 3, 10.4.3"))
        }
        return findings
    }

    /// A valid date; nil otherwise.
    private func date(_ bytes: [UInt8]) -> CertificateDate? {
        guard let date = CertificateDate(yymmdd: bytes), date.day <= date.daysOfMonth else { return nil }
        return date
    }
}

extension CertificateDate {
    var summary: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// Gregorian.
    var daysOfMonth: Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1 March of the year 0, for differences (the months from March on make five of 153
    /// days each).
    var days: Int {
        let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1
    }
}
