public import Contactless
package import EMVKernel
package import TLV

/// The configuration of American Express's kernel. Limits are those of the combination.
package struct Kernel4Configuration: KernelConfiguration {
    /// Tag `9F09`; a card's version is compared with each.
    package var versions: [UInt16] = [0x0001]
    /// Terminal action codes, as readers of several makers have them for this application.
    package var actionCodes = ActionCodes(
        denial: .init(rawValue: 0x00_1000_0000), online: .init(rawValue: 0xDE_00FC_9800),
        default: .init(rawValue: 0xDC_50FC_9800))
    /// Byte 2 of `9F33` from the CVM required limit on.
    package var verificationAboveLimit: TerminalCapabilities
    /// Byte 2 of `9F33` below the limit.
    package var verificationBelowLimit: TerminalCapabilities
    /// Byte 2 bit 8 of the enhanced reader capabilities: verification on the cardholder's phone.
    package var supportsMobileVerification: Bool

    package init(
        verificationAboveLimit: TerminalCapabilities = [.signature],
        verificationBelowLimit: TerminalCapabilities = [.noCVM],
        supportsMobileVerification: Bool = true
    ) {
        self.verificationAboveLimit = verificationAboveLimit
        self.verificationBelowLimit = verificationBelowLimit
        self.supportsMobileVerification = supportsMobileVerification
    }

    package var identifier: KernelIdentifier { .kernel4 }

    package func accepts(_ application: ApplicationInformation) -> Bool { application.name != nil }

    package func kernel(for activation: KernelActivation) -> any ContactlessKernel { Kernel4(self, activation) }
}

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
            kernel: Kernel4Configuration(
                verificationAboveLimit: hasPINPad ? [.encipheredOnlinePIN, .signature] : [.signature]))
    }
}
