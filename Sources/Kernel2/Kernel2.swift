import CardCryptography
package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// Mastercard's contactless kernel (EMV Contactless Book C-2): EMV mode, with one GENERATE AC and
/// CDA, and mag-stripe mode, with one COMPUTE CRYPTOGRAPHIC CHECKSUM. A state machine over values,
/// see ``ContactlessKernel``.
///
/// It has relay resistance, recovery of torn transactions and balance reading, but no data exchange
/// and no data storage. Neither EMVCo, Mastercard nor another body has approved it;
/// `docs/conformance-contactless.md` says what each test shows.
package struct Kernel2: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    static let number = 2

    private enum Phase {
        case initiation
        case relayResistance(RelayResistance, RecordReading)
        case reading(RecordReading)
        /// GET DATA, before the decisions over the records.
        case balance(RecordReading)
        case recovery(Recovery)
        case cryptogram(CryptogramRequest)
        case checksum(ChecksumRequest)
        /// GET DATA after the cryptogram, with the outcome of the transaction.
        case balanceAfter(ContactlessOutcome)
        case ended
    }

    let configuration: Kernel2Configuration
    let activation: KernelActivation
    var data: TransactionData
    var tvr: TerminalVerificationResults
    /// The values sent in GET PROCESSING OPTIONS, which CDA signs.
    var sentOptions: [UInt8] = []
    var torn: TornTransactionLog
    var failedChecksums: FailedChecksums
    private var phase = Phase.initiation

    init(_ configuration: Kernel2Configuration, _ activation: KernelActivation) {
        self.configuration = configuration
        self.activation = activation
        torn = activation.tornTransactions
        failedChecksums = activation.failedChecksums
        tvr = configuration.tellsRelayResistance ? .relayResistanceNotPerformed : []
        data = activation.transactionData([0x9F5D, 0x9F6E])
    }

    package mutating func start() -> KernelStep {
        do throws(Termination) {
            let list = try activation.optionsList()
            data.terminal.update(with: activation.environment.values(for: .processingOptions))
            data.terminal[.terminalCapabilities] = activation.capabilities([]).bytes
            data.terminal[.terminalVerificationResults] = TerminalVerificationResults().bytes
            sentOptions = list?.concatenate(data.terminal) ?? []
            return KernelStep(
                .transmit(.getProcessingOptions(tlv(.commandTemplate, sentOptions))),
                show: UserInterfaceRequest(.processing, .processing, languages: languages))
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    package mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
        do throws(Termination) {
            switch phase {
            case .initiation: return try takeProcessingOptions(answer)
            case .relayResistance(var relay, let reading):
                switch try relay.take(answer, after: elapsed) {
                case .again:
                    relay.unpredictableNumber = activation.environment.unpredictableNumber()
                    phase = .relayResistance(relay, reading)
                    return KernelStep(.transmit(relay.command))
                case .tooSoon: return end(.end(.answeredTooSoon, languages: languages))
                case .performed(let result):
                    keep(result)
                    return try goOn(reading)
                }
            case .reading(var reading):
                try reading.take(answer, into: &data.card)
                return try goOn(reading)
            case .balance(let reading):
                data.terminal[Self.balanceBefore] = Self.balance(answer)
                return try decide(reading)
            case .recovery(let recovery):
                // The card does not have the answer: it computes a new cryptogram, which replaces
                // the old record.
                guard answer.status == .success else { return generateAC(recovery.otherwise, replacing: recovery.record) }
                return conclude(try takeRecovered(answer, recovery))
            case .cryptogram(let request): return conclude(try takeCryptogram(answer, request))
            case .checksum(let request): return takeCodes(answer, request)
            case .balanceAfter(let outcome):
                return endWithCardRead(Self.balance(answer).map { adding($0, to: outcome) } ?? outcome)
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        // After the cryptogram, the balance does not change the outcome.
        if case .balanceAfter(let outcome) = phase { return endWithCardRead(outcome) }
        if case .cryptogram(let request) = phase { keep(request) }
        return end(.tryAgain(.termination(.channel(error))))
    }

    var languages: [Language] { activation.application.languages }
    var profile: ApplicationInterchangeProfile {
        data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }
    /// Whether card and reader both support verification on the cardholder's device.
    var verifiesOnDevice: Bool { configuration.supportsDeviceVerification && profile.contains(.deviceVerificationSupported) }
    /// Whether the card supports EMV mode; a card with both modes is processed in EMV mode.
    private var isEMVMode: Bool { profile.contains(.emvModeSupported) }
    var isAboveVerificationLimit: Bool { activation.request.amount > configuration.cvmRequiredLimit }

    private mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        var outcome = outcome
        if configuration.maximumTornTransactions > 0 { outcome.tornTransactions = torn }
        outcome.failedChecksums = failedChecksums
        outcome.discretionaryData.update(with: relayDiscretionaryData)
        if let balance = data.terminal[Self.balanceBefore] { outcome.discretionaryData[Self.balanceBefore] = balance }
        return KernelStep(.end(outcome), show: show)
    }

    private mutating func endWithCardRead(_ outcome: ContactlessOutcome) -> KernelStep {
        end(outcome, show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
    }

    /// After the cryptogram: the end, or the balance before it.
    private mutating func conclude(_ outcome: ContactlessOutcome) -> KernelStep {
        guard configuration.readsBalanceAfter, hasBalance, outcome.status == .approved || outcome.status == .onlineRequest else {
            return endWithCardRead(outcome)
        }
        phase = .balanceAfter(outcome)
        return KernelStep(.transmit(Self.balanceCommand))
    }

    /// Processes the codes of mag-stripe mode. After each consecutive failure, the wait is longer.
    private mutating func takeCodes(_ answer: ResponseAPDU, _ request: ChecksumRequest) -> KernelStep {
        let pause = failedChecksums.pause
        failedChecksums.fail()
        var step: KernelStep
        do throws(Termination) {
            step = endWithCardRead(try takeChecksum(answer, request))
        } catch {
            step = end(.end(.termination(error), languages: languages))
        }
        if failedChecksums.count > 0 { step.pause = pause }
        return step
    }

    // MARK: Initiate application processing (S3)

    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else {
            return end(
                ContactlessOutcome(
                    .selectNext, start: .c, reason: .termination(.commandFailed(.getProcessingOptions, answer.status))))
        }
        let objects = try ResponseTemplate.processingOptions(answer.data)
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator] { data.card[tag] = objects[tag] }
        guard isEMVMode || configuration.supportsMagstripeMode else { return end(.end(.magstripeModeOnly, languages: languages)) }
        let limit = verifiesOnDevice ? configuration.deviceTransactionLimit : configuration.transactionLimit
        guard activation.request.amount <= limit else {
            return end(ContactlessOutcome(.selectNext, start: .c, reason: .notAllowed))
        }
        let reading = try RecordReading(isEMVMode ? activeLocator : data.card[.applicationFileLocator] ?? [], kernel: Self.number)
        guard isEMVMode, resistsRelays, let limits = configuration.relayResistance else { return try goOn(reading) }
        let relay = RelayResistance(limits, unpredictableNumber: data.terminal[.unpredictableNumber] ?? [])
        phase = .relayResistance(relay, reading)
        return KernelStep(.transmit(relay.command))
    }

    /// The AFL without a first entry for the record of mag-stripe mode, which EMV mode does not read.
    private var activeLocator: [UInt8] {
        let locator = data.card[.applicationFileLocator] ?? []
        let magstripeRecord: [UInt8] = [0x08, 0x01, 0x01, 0x00]
        return locator.count > 4 && locator.starts(with: magstripeRecord) ? Array(locator.dropFirst(4)) : locator
    }

    // MARK: Read application data, then the decisions and GENERATE AC, or the tracks and their codes (S4 to S9, S13 and S14)

    private mutating func goOn(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if let command = reading.command {
            phase = .reading(reading)
            return KernelStep(.transmit(command))
        }
        guard isEMVMode else {
            let request = try requestChecksum()
            phase = .checksum(request)
            return KernelStep(.transmit(.computeCryptographicChecksum(request.values)))
        }
        guard configuration.readsBalanceBefore, hasBalance else { return try decide(reading) }
        phase = .balance(reading)
        return KernelStep(.transmit(Self.balanceCommand))
    }

    private mutating func decide(_ reading: RecordReading) throws(Termination) -> KernelStep {
        let (request, key) = try request(reading.staticData)
        if let recovery = recovery(or: request, key: key) {
            phase = .recovery(recovery)
            return KernelStep(.transmit(.recoverAC(recovery.record.recoveryData)))
        }
        return generateAC(request)
    }

    /// - Parameter record: The torn transaction that this one replaces.
    private mutating func generateAC(_ request: CryptogramRequest, replacing record: TornTransaction? = nil) -> KernelStep {
        if let record { torn.remove(record) }
        phase = .cryptogram(request)
        return KernelStep(.transmit(request.command))
    }
}
