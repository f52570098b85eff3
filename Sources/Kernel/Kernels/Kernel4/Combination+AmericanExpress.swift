public import Contactless
import TLV

extension Combination {
    /// American Express, `A00000002501`, at an attended reader with a chip reader, with signature
    /// and verification on the cardholder's phone, and online PIN where `hasPINPad`.
    ///
    /// The kernel is a reading of public material, not of the payment system's book:
    /// `docs/conformance-contactless.md` says how well each rule is known.
    ///
    /// - Parameter limits: The acquirer's limits. A floor limit of zero sends every payment online.
    public static func americanExpress(limits: TransactionLimits, hasPINPad: Bool = false) -> Combination {
        Combination(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01], limits: limits,
            kernel: Kernel4Configuration(verificationAboveLimit: hasPINPad ? [.encipheredOnlinePIN, .signature] : [.signature]))
    }
}
