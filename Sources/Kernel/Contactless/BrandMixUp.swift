package import Bytes
package import TLV

/// Detects a card of one payment system that is presented as a card of another with weaker rules
/// (Basin, Sasse, Toro-Pozo: "Card Brand Mixup Attack: Bypassing the PIN in non-Visa Cards by Using
/// Them for Visa Transactions", USENIX Security 2021).
///
/// The issuer may not detect this, because the cryptogram does not cover the AID. Number ranges:
/// ISO/IEC 7812; Mastercard's are 51 to 55 and 2221 to 2720, its Maestro's 50, 56 to 58, 6304, 6390
/// and 67, Visa's begin with 4.
package enum BrandMixUp {
    /// Whether `pan` belongs to one of the two systems and `applicationProvider` to the other.
    ///
    /// - Parameters:
    ///   - pan: ASCII digits.
    ///   - applicationProvider: RID, 5 bytes.
    package static func contradicts(pan: SecretBytes, applicationProvider: [UInt8]) -> Bool {
        let application = PaymentSystem(rid: applicationProvider)
        guard application == .visa || application == .mastercard, let number = system(of: pan) else { return false }
        return number != application
    }

    /// Nil for numbers of other systems.
    private static func system(of pan: SecretBytes) -> PaymentSystem? {
        let leading = pan.withBytes { digits in
            (0..<min(4, digits.count)).reduce(0) { $0 * 10 + Int(digits[$1] & 0x0F) }
        }
        return switch leading {
        case 4000...4999: .visa
        case 5000...5899, 2221...2720, 6304, 6390, 6700...6799: .mastercard
        default: nil
        }
    }
}

extension DataElements {
    /// The PAN in ASCII digits: from the chip data, or from tag `9F6B` if the card returned only a
    /// track.
    package var anyPAN: SecretBytes? {
        pan ?? withValue(of: .track2DataContactless) { Track2Equivalent(encoded: $0)?.pan } ?? nil
    }
}
