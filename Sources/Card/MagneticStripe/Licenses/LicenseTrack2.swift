public import Bytes

/// Track 2 of a driver's license: issuer, number, expiry, date of birth (AAMVA DL/ID Card Design
/// Standard, annex on the magnetic stripe).
///
/// It is never printed.
public struct LicenseTrack2: Sendable {
    /// Six digits.
    public let issuer: String
    /// ASCII digits as written, including the part that does not fit before the separator and is at
    /// the end of the track. Letters are two digits, A is 01.
    public let number: SecretBytes
    public let expiry: Expiry
    /// CCYYMMDD as written; some jurisdictions write 99 for a month or day that is in another
    /// field.
    public let birthDate: String

    /// YYMM; months above 12 have special meanings.
    public enum Expiry: Sendable, Equatable {
        /// At the end of the month.
        case month(yymm: String)
        /// Month 77.
        case never
        /// Month 88: after the last day of the month of birth, in the year `yy`.
        case monthOfBirth(yy: String)
        /// Month 99: on the birthday, in the year `yy`.
        case birthday(yy: String)

        /// Nil unless `digits` are four with a month from 01 to 12 or one of the above.
        init?(_ digits: String) {
            let year = String(digits.prefix(2))
            switch (digits.utf8.count, Int(digits.suffix(2))) {
            case (4, 77?): self = .never
            case (4, 88?): self = .monthOfBirth(yy: year)
            case (4, 99?): self = .birthday(yy: year)
            case (4, (1...12)?): self = .month(yymm: digits)
            default: return nil
            }
        }
    }

    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .numeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        let issuer = fields.take(6)
        guard LicenseIssuer.isOne(fields[issuer]) else { throw .issuer }
        self.issuer = fields.text(issuer)
        let first = fields.takeToSeparator()
        guard (1...13).contains(first.count), fields.areDigits(first) else { throw .licenseNumber }
        guard let expiry = Expiry(try fields.takeDigitsAlways(4, else: .expiry)) else { throw .expiry }
        self.expiry = expiry
        // California once wrote a separator here.
        _ = fields.passSeparator()
        birthDate = try fields.takeDigitsAlways(8, else: .birthDate)
        let rest = fields.takeToSeparator()
        guard rest.count <= 5, fields.areDigits(rest) else { throw .licenseNumber }
        var digits = Array(fields[first] + fields[rest])
        number = SecretBytes(wiping: &digits)
    }
}

extension LicenseTrack2: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 2 of a driver's license of issuer \(issuer)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
