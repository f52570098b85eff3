package import Contactless
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
