package import TLV

/// A card of one payment system passed off as another's, whose rules ask for less (Basin, Sasse, Toro-Pozo: "Card Brand Mixup
/// Attack: Bypassing the PIN in non-Visa Cards by Using Them for Visa Transactions", USENIX Security 2021).
///
/// The issuer may not see it, since no cryptogram covers the AID. Number ranges: ISO/IEC 7812; Mastercard's are 51 to 55 and
/// 2221 to 2720, Visa's begin with 4.
package enum BrandMixUp {
    /// Whether `pan` is of one of the two systems and `applicationProvider` is the other.
    ///
    /// - Parameters:
    ///   - pan: ASCII digits.
    ///   - applicationProvider: RID, 5 bytes.
    package static func contradicts(pan: [UInt8], applicationProvider: [UInt8]) -> Bool {
        let application = PaymentSystem(rid: applicationProvider)
        guard application == .visa || application == .mastercard, let number = system(of: pan) else { return false }
        return number != application
    }

    /// Nil for numbers of neither.
    private static func system(of pan: [UInt8]) -> PaymentSystem? {
        let leading = pan.prefix(4).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        return switch leading {
        case 4000...4999: .visa
        case 5100...5599, 2221...2720: .mastercard
        default: nil
        }
    }
}

extension DataElements {
    /// The PAN in ASCII digits: of chip data, or of tag `9F6B` where the card gave a track alone.
    package var anyPAN: [UInt8]? { pan ?? self[.track2DataContactless].flatMap { Track2Equivalent(encoded: $0)?.pan } }
}
