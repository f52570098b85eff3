import CardCryptography
package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// American Express's contactless kernel (EMV Contactless Book C-4): EMV mode with one GENERATE AC
/// and CDA or SDA, the card out of the field before the issuer answers. A state machine over
/// values, see ``ContactlessKernel``.
///
/// It is a reading of public material: the book was not seen. It has no mag-stripe mode, no dynamic
/// reader limits, no delayed authorization and no second GENERATE AC. Neither EMVCo, American
/// Express nor another body has approved it; `docs/conformance-contactless.md` says what each test
/// shows.
package struct Kernel4: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    static let number = 4

    private enum Phase {
        case initiation
        case reading(RecordReading)
        case cryptogram(CryptogramRequest)
        case ended
    }

    let configuration: Kernel4Configuration
    let activation: KernelActivation
    var data: TransactionData
    var tvr: TerminalVerificationResults = []
    /// The values sent in GET PROCESSING OPTIONS, which CDA signs.
    private(set) var sentOptions: [UInt8] = []
    private var phase = Phase.initiation

    init(_ configuration: Kernel4Configuration, _ activation: KernelActivation) {
        self.configuration = configuration
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
            case .cryptogram(let request):
                return end(
                    try takeCryptogram(CryptogramAnswer(answer, to: request), request),
                    show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    /// A cryptogram whose answer is lost is never used: the card computes another one when it is
    /// presented again.
    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        end(.tryAgain(.termination(.channel(error))))
    }

    var languages: [Language] { activation.application.languages }
    var profile: ApplicationInterchangeProfile {
        data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }
    var requiresVerification: Bool { activation.indicators.cvmRequiredLimitExceeded }

    private mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        return KernelStep(.end(outcome), show: show)
    }

    // MARK: Initiate application processing

    private mutating func initiate() throws(Termination) -> KernelStep {
        guard !activation.indicators.contactlessApplicationNotAllowed else {
            return end(ContactlessOutcome(.selectNext, start: .c, reason: .notAllowed))
        }
        let capabilities = ContactlessReaderCapabilities(
            terminal: activation.terminal, configuration: configuration, requiresVerification: requiresVerification)
        data.terminal[.terminalCapabilities] = activation.capabilities([]).bytes
        data.terminal[.terminalVerificationResults] = tvr.bytes
        data.terminal[Self.readerCapabilities] = [capabilities.basic]
        data.terminal[Self.enhancedReaderCapabilities] = capabilities.enhanced
        var sent = data.terminal
        sent[.terminalType] = [capabilities.modifiedTerminalType]
        let values = activation.environment.values(for: .processingOptions)
        sent.update(with: values)
        data.terminal.update(with: values)
        // The modified type is for the card alone.
        data.terminal[.terminalType] = [activation.terminal.type.rawValue]
        sentOptions = try activation.optionsList()?.concatenate(sent) ?? []
        return KernelStep(
            .transmit(.getProcessingOptions(tlv(.commandTemplate, sentOptions))),
            show: UserInterfaceRequest(.processing, .processing, languages: languages))
    }

    private static let readerCapabilities: Tag = 0x9F6D
    private static let enhancedReaderCapabilities: Tag = 0x9F6E

    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else { return end(try .refused(answer.status, languages: languages)) }
        let objects = try ResponseTemplate.processingOptions(answer.data)
        for tag in objects.tags where Self.optionTags.contains(tag) { data.card[tag] = objects[tag] }
        guard !profile.isDisjoint(with: [.expresspayEMVSupported, .mobileSupported]) else {
            return end(.end(.magstripeModeOnly, languages: languages))
        }
        return try advance(RecordReading(data.card[.applicationFileLocator] ?? [], kernel: Self.number))
    }

    /// The card's data objects in the answer to GET PROCESSING OPTIONS; `9F70` and `9F71` are those
    /// of a phone.
    private static let optionTags: Set<Tag> = [.applicationInterchangeProfile, .applicationFileLocator, 0x9F70, 0x9F71]

    // MARK: Read application data, then the decisions and GENERATE AC

    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if let command = reading.command {
            phase = .reading(reading)
            return KernelStep(.transmit(command))
        }
        let request = try request(reading.staticData)
        phase = .cryptogram(request)
        return KernelStep(.transmit(request.command))
    }
}
