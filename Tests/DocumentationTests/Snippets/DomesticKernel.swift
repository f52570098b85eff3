import Contactless
import EMVKernel
import SmartCard
import TLV

/// A domestic kernel: it reads the card and asks its issuer about every payment.
struct DomesticConfiguration: KernelConfiguration {
    /// Tag `9F2A` in the card's directory: bits 8 and 7 are 11, a proprietary number.
    let identifier: KernelIdentifier

    init?() {
        guard let identifier = KernelIdentifier(domestic: [0xC1, 0x00, 0x01]) else { return nil }
        self.identifier = identifier
    }

    func accepts(_ application: ApplicationInformation) -> Bool { application.name != nil }

    func kernel(for activation: KernelActivation) -> any ContactlessKernel { DomesticKernel(activation) }
}

struct DomesticKernel: ContactlessKernel {
    private enum Phase {
        case initiation
        case reading(RecordReading)
        case cryptogram(CryptogramRequest)
    }

    private let activation: KernelActivation
    private var data: TransactionData
    private var phase = Phase.initiation

    init(_ activation: KernelActivation) {
        self.activation = activation
        data = activation.transactionData()
    }

    mutating func start() -> KernelStep {
        do throws(Termination) {
            data.terminal.update(with: activation.environment.values(for: .processingOptions))
            let values = try activation.optionsList()?.concatenate(data.terminal) ?? []
            return KernelStep(
                .transmit(.getProcessingOptions(tlv(.commandTemplate, values))),
                show: UserInterfaceRequest(.processing, .processing))
        } catch {
            return KernelStep(.end(.end(.termination(error))))
        }
    }

    mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
        do throws(Termination) {
            switch phase {
            case .initiation: return try takeProcessingOptions(answer)
            case .reading(var reading):
                try reading.take(answer, into: &data.card)
                return try advance(reading)
            case .cryptogram(let request): return KernelStep(.end(try outcome(CryptogramAnswer(answer, to: request))))
            }
        } catch {
            return KernelStep(.end(.end(.termination(error))))
        }
    }

    mutating func fail(_ error: CardChannelError) -> KernelStep {
        KernelStep(.end(.tryAgain(.termination(.channel(error)))))
    }

    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else { return KernelStep(.end(try .refused(answer.status, languages: []))) }
        let objects = try ResponseTemplate.processingOptions(answer.data)
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator] { data.card[tag] = objects[tag] }
        return try advance(RecordReading(objects[.applicationFileLocator] ?? [], kernel: 0))
    }

    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if let command = reading.command {
            phase = .reading(reading)
            return KernelStep(.transmit(command))
        }
        guard data.card.pan != nil, data.card.expiry != nil else { throw .missingData(.applicationPAN) }
        guard let list = data.card[.cdol1].flatMap({ try? DOL(parsing: $0) }), list.dataLength <= 252 else {
            throw .invalidData(.cdol1)
        }
        data.terminal.update(with: activation.environment.values(for: .firstCryptogram))
        data.terminal[.terminalVerificationResults] =
            TerminalVerificationResults.offlineDataAuthenticationNotPerformed.bytes
        let request = CryptogramRequest(type: .arqc, values: list.concatenate(data), cardKey: nil, verification: nil)
        phase = .cryptogram(request)
        return KernelStep(.transmit(request.command))
    }

    private mutating func outcome(_ answer: CryptogramAnswer) throws(Termination) -> ContactlessOutcome {
        for tag in CryptogramAnswer.tags { data.card[tag] = answer.objects[tag] }
        guard data.card[.applicationCryptogram]?.count == 8 else { throw .missingData(.applicationCryptogram) }
        switch answer.type {
        case .arqc: return .online(data, verification: nil, languages: activation.application.languages)
        case .aac, .tc: return .declined(.cardDeclined, data, languages: activation.application.languages)
        }
    }
}

func domesticCombination(aid: [UInt8], limits: TransactionLimits) -> Combination? {
    DomesticConfiguration().map { Combination(aid: aid, limits: limits, kernel: $0) }
}
