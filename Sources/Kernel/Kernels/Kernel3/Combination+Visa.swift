public import Contactless
import TLV

extension Combination {
    /// Visa credit and debit, `A0000000031010`, at an attended reader with a chip reader, with
    /// signature and verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameter limits: The acquirer's limits. A floor limit of zero sends every payment online.
    public static func visa(limits: TransactionLimits, hasPINPad: Bool = false) -> Combination {
        var qualifiers: TerminalTransactionQualifiers = [.emvMode, .contactChip, .signature, .consumerDeviceCVM]
        if hasPINPad { qualifiers.insert(.onlinePIN) }
        return Combination(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], limits: limits, qualifiers: qualifiers, kernel: Kernel3Configuration())
    }
}
