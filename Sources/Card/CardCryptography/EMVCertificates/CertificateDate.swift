internal import Bytes

/// The last day of validity of a key or certificate.
public struct CertificateDate: Sendable, Hashable, Comparable {
    public let year: Int
    public let month: Int
    public let day: Int

    public init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The last day of a certificate's month, MMYY in format n; nil if it is not a month. The day
    /// is 31 for every month, which does not affect comparisons.
    public init?(endOfMonth mmyy: [UInt8]) {
        guard mmyy.count == 2 else { return nil }
        self.init(endOfMonth: mmyy[0], year: mmyy[1])
    }

    init?(endOfMonth month: UInt8, year: UInt8) {
        guard let month = BCD.number(month), let year = CertificateDate.year(year) else { return nil }
        self.init(year: year, month: month, day: 31)
    }

    /// A date YYMMDD in format n, as in tag 9A; nil if the bytes are not a date.
    public init?(yymmdd: [UInt8]) { self.init(yymmdd: yymmdd.span) }

    package init?(yymmdd: Span<UInt8>) {
        guard yymmdd.count == 3, let year = CertificateDate.year(yymmdd[0]), let month = BCD.number(yymmdd[1]),
            let day = BCD.number(yymmdd[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// A date YYYYMMDD in format n, as in elliptic curve certificates; nil if the bytes are not a
    /// date.
    public init?(yyyymmdd: [UInt8]) {
        guard yyyymmdd.count == 4, let year = BCD.number(yyyymmdd[..<2]), let month = BCD.number(yyyymmdd[2..<3]),
            let day = BCD.number(yyyymmdd[3...])
        else { return nil }
        self.init(
            year: Int(truncatingIfNeeded: year), month: Int(truncatingIfNeeded: month),
            day: Int(truncatingIfNeeded: day))
    }

    public static func < (left: CertificateDate, right: CertificateDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// EMV 4.4 Book 4, 6.7.3: 00 to 49 are 2000 to 2049, 50 to 99 are 1950 to 1999.
    private static func year(_ yy: UInt8) -> Int? {
        BCD.number(yy).map { $0 + ($0 < 50 ? 2000 : 1900) }
    }
}

extension IssuerPublicKey {
    /// Whether the certificate has expired on `today` (EMV 4.4 Book 2, 5.3 and 6.3 step 9); true if
    /// its date is invalid.
    public func isExpired(on today: CertificateDate) -> Bool {
        fields.lastDay.map { $0 < today } ?? true
    }
}

extension ECIssuerPublicKey {
    /// Whether the certificate has expired on `today` (EMV 4.4 Book 2, 12.3 step 5); true if its
    /// date is invalid.
    public func isExpired(on today: CertificateDate) -> Bool { expiry.map { $0 < today } ?? true }
}

extension ICCPublicKey {
    /// Whether the certificate has expired on `today` (EMV 4.4 Book 2, 6.4 step 9); true if its
    /// date is invalid.
    public func isExpired(on today: CertificateDate) -> Bool {
        fields.lastDay.map { $0 < today } ?? true
    }
}
