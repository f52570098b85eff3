import CardCryptography
package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// Mastercard's contactless kernel (EMV Contactless Book C-2): EMV mode, with one GENERATE AC and
/// CDA, and mag-stripe mode, with one COMPUTE CRYPTOGRAPHIC CHECKSUM. A state machine over values,
/// see ``ContactlessKernel``.
///
/// It has relay resistance, recovery of torn transactions, balance reading and data storage, but no
/// data exchange. Neither EMVCo, Mastercard nor another body has approved it;
/// `docs/conformance-contactless.md` says what each test shows.
package struct Kernel2: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    static let number = 2

    private enum Phase {
        case initiation
        case relayResistance(RelayResistance, RecordReading)
        /// GET DATA of a data envelope, before the records.
        case envelope(Tag, RecordReading)
        case reading(RecordReading)
        /// GET DATA, before the decisions over the records.
        case balance(RecordReading)
        /// PUT DATA of an envelope, by its index.
        case writingBefore(Int, Preparation)
        case recovery(Recovery)
        /// GENERATE AC, with the torn transaction that it replaces.
        case cryptogram(CryptogramRequest, replacing: TornTransaction?)
        case checksum(ChecksumRequest)
        /// GET DATA after the cryptogram, with the outcome of the transaction.
        case balanceAfter(ContactlessOutcome)
        /// PUT DATA after the cryptogram, with the outcome of the transaction.
        case writingAfter(Int, ContactlessOutcome)
        case ended
    }

    let configuration: Kernel2Configuration
    let activation: KernelActivation
    var data: TransactionData
    var tvr: TerminalVerificationResults
    /// The values sent in GET PROCESSING OPTIONS, which CDA signs.
    var sentOptions: [UInt8] = []
    var storage: DataStorageState
    var torn: TornTransactionLog
    var failedChecksums: FailedChecksums
    private var phase = Phase.initiation

    init(_ configuration: Kernel2Configuration, _ activation: KernelActivation) {
        self.configuration = configuration
        self.activation = activation
        storage = DataStorageState(configuration.dataStorage)
        torn = activation.tornTransactions
        failedChecksums = activation.failedChecksums
        tvr = configuration.tellsRelayResistance ? .relayResistanceNotPerformed : []
        data = activation.transactionData(
            [.applicationCapabilities, .formFactorIndicator]
                + (configuration.dataStorage == nil ? [] : [.storageIdentifier]))
    }

    /// S1: GET PROCESSING OPTIONS with the values of the PDOL (EMV Contactless Book C-2).
    package mutating func start() -> KernelStep {
        do throws(Termination) {
            let list = try activation.optionsList()
            data.terminal.update(with: activation.environment.values(for: .processingOptions))
            beginDataStorage()
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
                    return try advance(reading)
                }
            case .envelope(let tag, let reading):
                takeEnvelope(tag, answer)
                return try advance(reading)
            case .reading(var reading):
                try reading.take(answer, into: &data.card)
                return try advance(reading)
            case .balance(let reading):
                data.terminal[Self.balanceBefore] = Self.balance(answer)
                return try decide(reading)
            case .writingBefore(let index, let preparation):
                // After an envelope that the card does not take, no more are written.
                guard answer.status == .success else { return try askForCryptogram(preparation) }
                return try writeBefore(index + 1, preparation)
            case .recovery(let recovery):
                // The card does not have the answer: it computes a new cryptogram, which replaces
                // the old record.
                guard answer.status == .success else {
                    return try generateAC(recovery.otherwise, replacing: recovery.record)
                }
                return conclude(try takeRecovered(answer, recovery))
            case .cryptogram(let request, let replaced):
                if let replaced { torn.remove(replaced) }
                return conclude(try takeCryptogram(answer, request, replacing: replaced))
            case .checksum(let request): return takeCodes(answer, request)
            case .balanceAfter(let outcome):
                return writeAfter(0, Self.balance(answer).map { adding($0, to: outcome) } ?? outcome)
            case .writingAfter(let index, let outcome):
                guard answer.status == .success else { return endWithCardRead(outcome) }
                return writeAfter(index + 1, outcome)
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(recordingWrite(.end(.termination(error), languages: languages)))
        }
    }

    /// A card that leaves: presented again, as from S3 to S7, torn at GENERATE AC (S9 to S11), or
    /// with no effect after the cryptogram (S15, S17; EMV Contactless Book C-2).
    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        switch phase {
        // After the cryptogram, balance and data envelopes do not change the outcome.
        case .balanceAfter(let outcome), .writingAfter(_, let outcome): return endWithCardRead(outcome)
        case .cryptogram(let request, let replaced):
            // A record with a write stays: whether the card performed it is still open (S11.12).
            if let replaced, !replaced.hasWritten { torn.remove(replaced) }
            if keep(request) { break }
            // The card may have written, and no record would say so: it is not presented again
            // (S9.6 to S9.8).
            guard storage.status.contains(.write) else { break }
            return end(
                recordingWrite(
                    .end(.termination(.channel(error)), languages: languages, holdTime: configuration.messageHoldTime)))
        default: break
        }
        return end(.tryAgain(.termination(.channel(error))))
    }

    var languages: [Language] { activation.application.languages }
    var profile: ApplicationInterchangeProfile {
        data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }
    /// Whether card and reader both support verification on the cardholder's device.
    var verifiesOnDevice: Bool {
        configuration.supportsDeviceVerification && profile.contains(.deviceVerificationSupported)
    }
    /// Whether the card supports EMV mode; a card with both modes is processed in EMV mode.
    private var isEMVMode: Bool { profile.contains(.emvModeSupported) }
    var isAboveVerificationLimit: Bool { activation.request.amount > configuration.cvmRequiredLimit }

    /// What the card returned that goes into the discretionary data of each outcome (EMV
    /// Contactless Book C-2, DF8106), without the discretionary data of its tracks, which go with
    /// the tracks.
    private static let reported: [Tag] = [.applicationCapabilities, .applicationCurrencyCode, .formFactorIndicator]

    private mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        var outcome = outcome
        if configuration.maximumTornTransactions > 0 {
            outcome.tornTransactions = torn
            outcome.discretionaryData[TornTransaction.template] = torn.displaced?.report
        }
        outcome.failedChecksums = failedChecksums
        outcome.discretionaryData[.kernel2ErrorIndication] = ErrorIndication(outcome).bytes
        for tag in Self.reported { outcome.discretionaryData[tag] = data.card[tag] }
        outcome.discretionaryData.update(with: relayDiscretionaryData)
        if let balance = data.terminal[Self.balanceBefore] { outcome.discretionaryData[Self.balanceBefore] = balance }
        outcome.discretionaryData.update(with: storageDiscretionaryData)
        outcome.data?.terminal.update(with: storageResults)
        return KernelStep(.end(outcome), show: show)
    }

    /// The card was read: message 17 before the outcome (EMV Contactless Book A, 9.4).
    private mutating func endWithCardRead(_ outcome: ContactlessOutcome) -> KernelStep {
        end(outcome, show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
    }

    /// The outcome after a card that may have written to a slot, with a data record (S910.52).
    func recordingWrite(_ outcome: ContactlessOutcome) -> ContactlessOutcome {
        guard storage.status.contains(.write) else { return outcome }
        var outcome = outcome
        outcome.data = data
        return outcome
    }

    /// After the cryptogram: the end, or balance (EMV Contactless Book C-2, S17) and data envelopes
    /// (S12, S15) before it.
    private mutating func conclude(_ response: Response) -> KernelStep {
        guard case .valid(let outcome) = response else { return endWithCardRead(response.outcome) }
        guard configuration.readsBalanceAfter, hasBalance,
            outcome.status == .approved || outcome.status == .onlineRequest
        else {
            return writeAfter(0, outcome)
        }
        phase = .balanceAfter(outcome)
        return KernelStep(.transmit(Self.balanceCommand))
    }

    // MARK: Data envelopes (S5, S12 and S15)

    /// S5: GET DATA (EMV Contactless Book C-2). An envelope that cannot be read has an empty value,
    /// and does not change the outcome.
    private mutating func takeEnvelope(_ tag: Tag, _ answer: ResponseAPDU) {
        let value = answer.status == .success ? Template.contents(of: answer.data, tag: tag) : nil
        let length = TagDictionary.definition(tag, kernel: Self.number)?.length
        let valid = value.flatMap { length?.contains($0.count) == true ? $0 : nil }
        storage.read[tag] = valid ?? []
        // The balance belongs to its own reading.
        if let valid, EnvelopeWrite.tags.contains(tag.rawValue) { data.card[tag] = valid }
    }

    /// S12: PUT DATA before GENERATE AC (EMV Contactless Book C-2, 7.6).
    private mutating func writeBefore(_ index: Int, _ preparation: Preparation) throws(Termination) -> KernelStep {
        let writes = storage.writes.beforeCryptogram
        guard writes.indices.contains(index) else {
            storage.hasWrittenBefore = !writes.isEmpty
            return try askForCryptogram(preparation)
        }
        phase = .writingBefore(index, preparation)
        return KernelStep(.transmit(writes[index].command))
    }

    /// S15: PUT DATA after the cryptogram (EMV Contactless Book C-2).
    private mutating func writeAfter(_ index: Int, _ outcome: ContactlessOutcome) -> KernelStep {
        let writes = storage.writes.afterCryptogram
        guard writes.indices.contains(index) else {
            storage.hasWrittenAfter = !writes.isEmpty
            return endWithCardRead(outcome)
        }
        phase = .writingAfter(index, outcome)
        return KernelStep(.transmit(writes[index].command))
    }

    /// S13 and S14: processes the codes of mag-stripe mode (EMV Contactless Book C-2). After each
    /// consecutive failure, the wait is longer.
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

    /// S3: status, AIP and AFL, then the mode, the slots of data storage (S3R1) and the transaction
    /// limits DF8124 and DF8125; with relay resistance on both sides SR1 is next (EMV Contactless
    /// Book C-2).
    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else {
            return end(
                ContactlessOutcome(
                    .selectNext, start: .c, reason: .termination(.commandFailed(.getProcessingOptions, answer.status))))
        }
        let objects = try ResponseTemplate.processingOptions(answer.data)
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator] { data.card[tag] = objects[tag] }
        if isEMVMode { try takeSlots(objects) } else { storage.status = [] }
        guard isEMVMode || configuration.supportsMagstripeMode else {
            return end(.end(.magstripeModeOnly, languages: languages))
        }
        let limit = verifiesOnDevice ? configuration.deviceTransactionLimit : configuration.transactionLimit
        guard activation.request.amount <= limit else {
            return end(ContactlessOutcome(.selectNext, start: .c, reason: .notAllowed))
        }
        let reading = try RecordReading(
            isEMVMode ? activeLocator : data.card[.applicationFileLocator] ?? [], kernel: Self.number)
        guard isEMVMode, resistsRelays, let limits = configuration.relayResistance else { return try advance(reading) }
        let relay = RelayResistance(limits, unpredictableNumber: data.terminal[.unpredictableNumber] ?? [])
        phase = .relayResistance(relay, reading)
        return KernelStep(.transmit(relay.command))
    }

    /// The AFL; with a reader of both modes without a first entry for the record of mag-stripe
    /// mode, which EMV mode does not need (EMV Contactless Book C-2, S3).
    private var activeLocator: [UInt8] {
        let locator = data.card[.applicationFileLocator] ?? []
        let magstripeRecord: [UInt8] = [0x08, 0x01, 0x01, 0x00]
        guard configuration.supportsMagstripeMode else { return locator }
        return locator.count > 4 && locator.starts(with: magstripeRecord) ? Array(locator.dropFirst(4)) : locator
    }

    // MARK: Read application data, then the decisions and GENERATE AC, or the tracks and their
    // codes (S4 to S9, S13 and S14)

    /// S4: READ RECORD by the AFL, with S5 GET DATA before it; S7 in mag-stripe mode, then COMPUTE
    /// CRYPTOGRAPHIC CHECKSUM (EMV Contactless Book C-2).
    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if isEMVMode, let tag = storage.tagsToReadYet.first {
            storage.tagsToReadYet.removeFirst()
            phase = .envelope(tag, reading)
            return KernelStep(.transmit(.getData(UInt16(truncatingIfNeeded: tag.rawValue))))
        }
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

    /// S456: the decisions, then S12 (EMV Contactless Book C-2).
    private mutating func decide(_ reading: RecordReading) throws(Termination) -> KernelStep {
        let preparation = try prepare(reading.staticData)
        return try writeBefore(0, preparation)
    }

    /// S9, or RECOVER AC and S10 for a torn transaction of this card (EMV Contactless Book C-2,
    /// 7.6).
    private mutating func askForCryptogram(_ preparation: Preparation) throws(Termination) -> KernelStep {
        if let recovery = recovery(or: preparation) {
            phase = .recovery(recovery)
            return KernelStep(.transmit(.recoverAC(recovery.record.recoveryData)))
        }
        return try generateAC(preparation, replacing: nil)
    }

    /// GENERATE AC (EMV Contactless Book C-2, 7.6); its answer is S9, or S11 after RECOVER AC.
    ///
    /// - Parameter record: The torn transaction that this one replaces.
    private mutating func generateAC(_ preparation: Preparation, replacing record: TornTransaction?) throws(Termination)
        -> KernelStep
    {
        switch try request(preparation) {
        case .success(let request):
            phase = .cryptogram(request, replacing: record)
            return KernelStep(.transmit(request.command))
        case .failure(let stop): return end(.end(stop.reason, languages: languages))
        }
    }
}

private typealias EnvelopeWrite = Kernel2Configuration.DataStorage.EnvelopeWrite

extension Kernel2Configuration.DataStorage.EnvelopeWrite {
    fileprivate var command: CommandAPDU { .putData(UInt16(truncatingIfNeeded: tag.rawValue), value) }
}
