private import Bytes

/// The one gate through which card data passes on its way to a log, a trace, a screen or a file.
///
/// What may be shown of a PAN is its first six and last four digits (PCI DSS 4.0, 3.4.1). What identifies the cardholder or repeats the track, and
/// what carries a PIN, is not shown at all. The ICC public key certificates count as card data: the PAN can be recovered from them with public keys.
public enum Redaction {
    /// The tags whose values are hidden.
    public static let sensitiveTags: Set<Tag> = [
        .applicationPAN, .track2EquivalentData, 0x56, .transactionPINData, .cardholderName, .cardholderNameExtended,
        .applicationExpirationDate, .track1DiscretionaryData, .track2DiscretionaryData, .track2DataContactless,
        .iccPublicKeyCertificate, .iccPublicKeyRemainder, .iccPINEnciphermentPublicKeyCertificate, .iccPINEnciphermentPublicKeyRemainder,
        // UnionPay's number of the cardholder's identity card; with Mastercard a code that verifies the card.
        0x9F61,
        // The code for track 1, and the discretionary data of both tracks (EMV Contactless Book C-2).
        0x9F60, 0xDF812A, 0xDF812B,
    ]

    /// The character that stands for a hidden hexadecimal digit.
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

    /// ASCII `digits` of a PAN with all but the first six and last four hidden; one of 12 digits or fewer keeps the last four only.
    public static func maskedPAN(_ digits: some Collection<UInt8>) -> String {
        let first = digits.count > 12 ? 6 : 0
        let last = digits.count > 4 ? 4 : 0
        return String(decoding: digits.prefix(first), as: UTF8.self)
            + String(repeating: mask, count: digits.count - first - last)
            + String(decoding: digits.suffix(last), as: UTF8.self)
    }
}
