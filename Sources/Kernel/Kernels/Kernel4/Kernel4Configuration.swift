package import Contactless
package import EMVKernel
package import TLV

/// The configuration of American Express's kernel. Limits are those of the combination.
package struct Kernel4Configuration: KernelConfiguration {
    /// Tag `9F09`; a card's version is compared with each.
    package var versions: [UInt16] = [0x0001]
    /// Terminal action codes, as readers of several makers have them for this application.
    package var actionCodes = ActionCodes(
        denial: .init(rawValue: 0x00_1000_0000), online: .init(rawValue: 0xDE_00FC_9800), default: .init(rawValue: 0xDC_50FC_9800))
    /// Byte 2 of `9F33` from the CVM required limit on.
    package var verificationAboveLimit: TerminalCapabilities
    /// Byte 2 of `9F33` below the limit.
    package var verificationBelowLimit: TerminalCapabilities
    /// Byte 2 bit 8 of the enhanced reader capabilities: verification on the cardholder's phone.
    package var supportsMobileVerification: Bool

    package init(
        verificationAboveLimit: TerminalCapabilities = [.signature], verificationBelowLimit: TerminalCapabilities = [.noCVM],
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
