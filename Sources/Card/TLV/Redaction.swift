private import Bytes

/// Hides card data in logs, traces, screens and files.
///
/// The first six and last four digits of a PAN may be shown (PCI DSS 4.0, 3.4.1). Data that
/// identify the cardholder, repeat the track or contain a PIN are not shown at all. The ICC public
/// key certificates count as card data: the PAN can be recovered from them with public keys.
public enum Redaction {
    /// The tags whose values are hidden.
    public static let sensitiveTags: Set<Tag> = [
        .applicationPAN, .track2EquivalentData, 0x56, .transactionPINData, .cardholderName, .cardholderNameExtended,
        .applicationExpirationDate, .track1DiscretionaryData, .track2DiscretionaryData, .track2DataContactless,
        .iccPublicKeyCertificate, .iccPublicKeyRemainder, .iccPINEnciphermentPublicKeyCertificate,
        .iccPINEnciphermentPublicKeyRemainder,
        // For UnionPay the number of the cardholder's identity card; for Mastercard a card
        // verification code.
        0x9F61,
        // The code for track 1, and the discretionary data of both tracks (EMV Contactless Book
        // C-2).
        0x9F60, 0xDF812A, 0xDF812B,
        // The DS ID of Mastercard's data storage: the digits of PAN and PAN sequence number.
        0x9F5E,
    ]

    /// The character for a hidden hexadecimal digit.
    public static let mask: Character = "*"

    /// `value` in hexadecimal digits as far as it may be shown as that of `tag`.
    public static func hex(_ tag: Tag, _ value: [UInt8]) -> String {
        guard sensitiveTags.contains(tag) else { return value.hex }
        if tag == .applicationPAN, let digits = BCD.digits(value) {
            let padding = String(repeating: "F", count: value.count * 2 - digits.count)
            return maskedPAN(digits) + padding
        }
        return String(repeating: mask, count: value.count * 2)
    }

    /// ASCII `digits` of a PAN with all but the first six and last four hidden; a PAN of 12 digits
    /// or fewer keeps only the last four.
    public static func maskedPAN(_ digits: some Collection<UInt8>) -> String {
        let first = digits.count > 12 ? 6 : 0
        let last = digits.count > 4 ? 4 : 0
        return String(decoding: digits.prefix(first), as: UTF8.self)
            + String(repeating: mask, count: digits.count - first - last)
            + String(decoding: digits.suffix(last), as: UTF8.self)
    }
}
