package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// UnionPay's contactless kernel (EMV Contactless Book C-7): the cryptogram in the answer to GET
/// PROCESSING OPTIONS, fast DDA of version 01, verification by CTQ. A state machine over values,
/// see ``ContactlessKernel``.
///
/// It is a reading of public material: the book was not seen. It has no electronic cash, no
/// transit, no READ CAPP DATA and no GET TRANS PROVE. Neither EMVCo, UnionPay nor another body has
/// approved it; `docs/conformance-contactless.md` says what each test shows.
package struct Kernel7: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    private static let number = 7

    private enum Phase {
        case initiation
        case reading(RecordReading)
        case ended
    }

    private let activation: KernelActivation
    private var data: TransactionData
    /// TTQ as sent to the card.
    private var qualifiers: TerminalTransactionQualifiers = []
    private var phase = Phase.initiation

    init(_ activation: KernelActivation) {
        self.activation = activation
        data = activation.transactionData()
    }

    package mutating func start() -> KernelStep {
        do throws(Termination) {
            return try initiate()
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    package mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
        do throws(Termination) {
            switch phase {
            case .initiation: return try takeProcessingOptions(answer)
            case .reading(var reading):
                try reading.take(answer, into: &data.card)
                return try advance(reading)
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        end(.tryAgain(.termination(.channel(error))))
    }

    private var languages: [Language] { activation.application.languages }

    private mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        return KernelStep(.end(outcome), show: show)
    }

    // MARK: Initiate application processing

    private mutating func initiate() throws(Termination) -> KernelStep {
        let indicators = activation.indicators
        guard !indicators.contactlessApplicationNotAllowed else {
            return end(ContactlessOutcome(.selectNext, start: .c, reason: .notAllowed))
        }
        guard var qualifiers = indicators.qualifiers else { throw .configuration(.noTransactionQualifiers) }
        // Bits of other systems' layouts, and of functions that this kernel does not have.
        qualifiers.subtract([.magstripeMode, .dataAuthenticationForOnline, .issuerUpdateProcessing])
        qualifiers.insert(.fastDDAVersion01)
        if activation.terminal.type.isOnlineOnly || activation.request.forcesOnline {
            qualifiers.insert(.onlineCryptogramRequired)
        }
        self.qualifiers = qualifiers
        data.terminal.update(with: activation.environment.values(for: .processingOptions))
        data.terminal[.terminalTransactionQualifiers] = qualifiers.bytes
        data.terminal[.terminalVerificationResults] = TerminalVerificationResults().bytes
        guard let list = try activation.optionsList() else { throw .invalidData(.pdol) }
        return KernelStep(
            .transmit(.getProcessingOptions(tlv(.commandTemplate, list.concatenate(data.terminal)))),
            show: UserInterfaceRequest(.processing, .processing, languages: languages))
    }

    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else { return end(try .refused(answer.status, languages: languages)) }
        let objects = try ResponseTemplate.qualifiedOptions(answer.data)
        for tag in objects.tags where CardObjects.isOfOptions(tag, kernel: Self.number) {
            data.card[tag] = objects[tag]
        }
        return try advance(RecordReading(data.card[.applicationFileLocator] ?? [], kernel: Self.number))
    }

    // MARK: Read application data, then the decisions

    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if let command = reading.command {
            phase = .reading(reading)
            return KernelStep(.transmit(command))
        }
        var transaction = QualifiedTransaction(activation, data, qualifiers: qualifiers)
        let outcome = try transaction.decide(reading.staticData)
        return end(outcome, show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
    }
}
