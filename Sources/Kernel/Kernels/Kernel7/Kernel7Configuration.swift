public import Contactless
import TLV

/// The configuration of UnionPay's kernel. Limits and TTQ are in the combination.
package struct Kernel7Configuration: KernelConfiguration {
    package init() {}

    package var identifier: KernelIdentifier { .kernel7 }

    /// Only cards whose PDOL contains TTQ answer GET PROCESSING OPTIONS with their cryptogram.
    package func accepts(_ application: ApplicationInformation) -> Bool {
        guard let pdol = try? application.pdol() else { return false }
        return pdol.contains(.terminalTransactionQualifiers)
    }

    package func kernel(for activation: KernelActivation) -> any ContactlessKernel { Kernel7(activation) }
}

extension Combination {
    /// UnionPay debit, credit and quasi-credit, `A0000003330101`, at an attended reader with a chip
    /// reader, with signature and verification on the consumer's device, and online PIN where
    /// `hasPINPad`.
    ///
    /// The kernel is a reading of public material, not of the payment system's book:
    /// `docs/conformance-contactless.md` says how well each rule is known.
    ///
    /// - Parameter limits: The acquirer's limits. A floor limit of zero sends every payment online.
    public static func unionPay(limits: TransactionLimits, hasPINPad: Bool = false) -> Combination {
        var qualifiers: TerminalTransactionQualifiers = [
            .emvMode, .contactChip, .signature, .consumerDeviceCVM, .fastDDAVersion01,
        ]
        if hasPINPad { qualifiers.insert(.onlinePIN) }
        return Combination(
            aid: [0xA0, 0x00, 0x00, 0x03, 0x33, 0x01, 0x01], limits: limits, qualifiers: qualifiers,
            kernel: Kernel7Configuration())
    }
}
