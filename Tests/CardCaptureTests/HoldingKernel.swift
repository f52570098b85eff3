import Contactless
import EMVKernel
import SmartCard
import TLV

/// A kernel whose online request goes on with the card (Start D): it asks for the card's counter,
/// and keeps the status of the answer.
struct HoldingKernel: KernelConfiguration {
    let kernel: any KernelConfiguration
    var identifier: KernelIdentifier { kernel.identifier }

    func accepts(_ application: ApplicationInformation) -> Bool { kernel.accepts(application) }
    func kernel(for activation: KernelActivation) -> any ContactlessKernel {
        Run(kernel: kernel.kernel(for: activation))
    }

    private struct Run: ContactlessKernel {
        var kernel: any ContactlessKernel
        var isResumed = false

        mutating func start() -> KernelStep { held(kernel.start()) }
        mutating func fail(_ error: CardChannelError) -> KernelStep { kernel.fail(error) }
        mutating func resume(with response: IssuerResponse) -> KernelStep {
            isResumed = true
            return KernelStep(.transmit(.getData(0x9F36)))
        }
        mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
            guard isResumed else { return held(kernel.take(answer, after: elapsed)) }
            var outcome = ContactlessOutcome(.endApplication)
            outcome.discretionaryData[.issuerScriptResults] = [
                UInt8(answer.status.rawValue >> 8), UInt8(truncatingIfNeeded: answer.status.rawValue),
            ]
            return KernelStep(.end(outcome))
        }

        private func held(_ step: KernelStep) -> KernelStep {
            guard case .end(var outcome) = step.action, outcome.status == .onlineRequest else { return step }
            (outcome.start, outcome.onlineResponse) = (.d, .any)
            return KernelStep(.end(outcome), show: step.show)
        }
    }
}
