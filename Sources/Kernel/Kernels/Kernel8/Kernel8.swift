import Bytes
import CardCryptography
package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// Kernel 8, for all payment systems (EMV Contactless Books C-8 and E): a secure channel with the
/// card's blinded key, encrypted records and data envelopes, relay resistance, one GENERATE AC,
/// local authentication, and the card's own CVM decision. A state machine over values, see
/// ``ContactlessKernel``.
///
/// The books were not available: steps and codings are those of the only open implementation, Denom
/// (https://github.com/Digrol/Denom, MIT-0). RSA certificates and requests of the terminal within a
/// transaction are not implemented. Neither EMVCo nor another body has approved it;
/// `docs/conformance-contactless.md` says what each test shows, and what is uncertain.
package struct Kernel8: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    static let number = 8

    enum Phase {
        case initiation(KernelKeyAgreement)
        case relayResistance(RelayResistance, RecordReading)
        case records(RecordReading)
        /// READ DATA, by the index in the configuration's list.
        case envelope(Int)
        /// WRITE DATA before GENERATE AC, by the index in the configuration's list.
        case writingBefore(Int)
        case cryptogram(CryptogramRequest)
        /// WRITE DATA, by the index in the configuration's list, with the outcome of the
        /// transaction.
        case writing(Int, ContactlessOutcome)
        case ended
    }

    /// Whether the card's certificates are valid, and its key is the key of the channel.
    enum LocalAuthentication: Equatable {
        /// Card or reader does not support it.
        case notPerformed
        case failed(DataAuthenticationFailure)
        case performed
    }

    let configuration: Kernel8Configuration
    let activation: KernelActivation
    var data: TransactionData
    var tvr: TerminalVerificationResults = .kernel8Format
    var phase = Phase.ended
    var channel: BlindedChannel?
    var cardKey: BlindedCardKey?
    /// The values sent in GET PROCESSING OPTIONS, which the card authenticates.
    var sentOptions: [UInt8] = []
    /// The decrypted content of the records to be authenticated.
    @Wiped var signedRecords: [UInt8] = []
    var relay: RelayResistanceResult?
    var hasReadEnvelopes = true
    /// How many data envelopes the card has confirmed.
    var confirmedEnvelopes = 0
    /// After an envelope that the card has not confirmed, no more are written: the counters of both
    /// sides may differ.
    var canWrite = true

    init(_ configuration: Kernel8Configuration, _ activation: KernelActivation) {
        self.configuration = configuration
        self.activation = activation
        data = activation.transactionData([.cardQualifier, .cdol1])
    }

    // MARK: The session

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
            case .initiation(let agreement): return try takeProcessingOptions(answer, agreement)
            case .relayResistance(let relay, let reading):
                return try takeRelayResistance(answer, after: elapsed, relay, reading)
            case .records(let reading): return try takeRecord(answer, reading)
            case .envelope(let index): return try takeEnvelope(answer, index)
            case .writingBefore(let index): return try takeWritingBefore(answer, index)
            case .cryptogram(let request): return try takeCryptogram(answer, request)
            case .writing(let index, let outcome): return takeWriting(answer, index, outcome)
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(.end(.termination(error), languages: languages, holdTime: configuration.messageHoldTime))
        }
    }

    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        // After the cryptogram, a failed write does not change the outcome.
        if case .writing(_, let outcome) = phase { return end(outcome) }
        return end(.tryAgain(.termination(.channel(error))))
    }

    mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        var outcome = outcome
        outcome.discretionaryData.update(with: discretionaryData(outcome))
        return KernelStep(.end(outcome), show: show)
    }

    var languages: [Language] { activation.application.languages }
    var profile: ApplicationInterchangeProfile {
        data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }

    // MARK: Initiation

    private mutating func initiate() throws(Termination) -> KernelStep {
        let list: DOL?
        do throws(TLVError) { list = try activation.application.pdol() } catch { throw .invalidData(.pdol) }
        guard list?.dataLength ?? 0 <= 252 else { throw .invalidData(.pdol) }
        let offered = (data.card[.cardQualifier] ?? []).dropFirst().prefix(3)
        guard let suite = offered.lazy.compactMap(EnciphermentSuite.init).first(where: configuration.suites.contains)
        else {
            throw .invalidData(.cardQualifier)
        }
        let agreement = configuration.makeKey(suite)
        data.terminal[.kernelKeyData] = agreement.kernelKeyData
        data.terminal[.kernelQualifier] = kernelQualifier(suite)
        data.terminal.update(with: activation.environment.values(for: .processingOptions))
        data.terminal[.terminalCapabilities] = terminalCapabilities([])
        data.terminal[.terminalVerificationResults] = tvr.bytes
        sentOptions = list?.concatenate(data.terminal) ?? []
        phase = .initiation(agreement)
        return KernelStep(
            .transmit(.getProcessingOptions(tlv(.commandTemplate, sentOptions))),
            show: UserInterfaceRequest(.processing, .processing, languages: languages))
    }

    /// Version 2, local authentication, the curve of the channel, and only certificates on the same
    /// curve.
    private func kernelQualifier(_ suite: EnciphermentSuite) -> [UInt8] {
        let certificates: SignatureSuite = suite == .p256 ? .p256 : .p521
        return [
            0x02, configuration.authenticatesLocally ? 0x80 : 0x00, suite.rawValue, certificates.rawValue, 0xFF, 0xFF,
            0x00, 0x00,
        ]
    }

    /// Tag `9F33`: the terminal's data input and card capture bits, and bit 5 of byte 3 for local
    /// authentication.
    func terminalCapabilities(_ verification: Kernel8Configuration.CVMCapability) -> [UInt8] {
        let own = activation.terminal.capabilities.bytes
        return [own[0], verification.rawValue, own[2] & 0x20 | (configuration.authenticatesLocally ? 0x10 : 0x00)]
    }

    private mutating func takeProcessingOptions(
        _ answer: ResponseAPDU, _ agreement: KernelKeyAgreement
    ) throws(Termination) -> KernelStep {
        guard answer.status == .success else {
            return end(
                ContactlessOutcome(
                    .selectNext, start: .c, reason: .termination(.commandFailed(.getProcessingOptions, answer.status))))
        }
        let objects = try ResponseTemplate.parse(answer.data, of: .getProcessingOptions) {
            (_: [UInt8]) throws(Termination) in
            throw .malformedAnswer(.getProcessingOptions, nil)
        }
        for tag in objects.tags where CardObjects.isCards(tag, kernel: Self.number) && !Self.answerTags.contains(tag) {
            data.card[tag] = objects[tag]
        }
        for tag in [Tag.applicationInterchangeProfile, .applicationFileLocator, .cardKeyData] {
            guard let value = objects[tag], !value.isEmpty else { throw .missingData(tag) }
        }
        guard data.card[.applicationInterchangeProfile]?.count == 2 else {
            throw .invalidData(.applicationInterchangeProfile)
        }
        guard let (channel, cardKey) = agreement.channel(cardKeyData: data.card[.cardKeyData] ?? []) else {
            return end(.end(.secureChannel, languages: languages))
        }
        (self.channel, self.cardKey) = (channel, cardKey)
        let reading = try RecordReading(data.card[.applicationFileLocator] ?? [], kernel: Self.number)
        guard let limits = configuration.relayResistance, profile.contains(.relayResistanceSupported) else {
            tvr.insert(.relayResistanceNotPerformed)
            return try advance(reading)
        }
        return send(RelayResistance(limits, unpredictableNumber: data.terminal[.unpredictableNumber] ?? []), reading)
    }

    // MARK: Relay resistance

    private mutating func send(_ relay: RelayResistance, _ reading: RecordReading) -> KernelStep {
        phase = .relayResistance(relay, reading)
        return KernelStep(.transmit(relay.command))
    }

    private mutating func takeRelayResistance(
        _ answer: ResponseAPDU, after elapsed: Duration, _ relay: RelayResistance, _ reading: RecordReading
    ) throws(Termination) -> KernelStep {
        var relay = relay
        switch try relay.take(answer, after: elapsed) {
        case .again:
            relay.unpredictableNumber = activation.environment.unpredictableNumber()
            return send(relay, reading)
        case .tooSoon: return end(.end(.answeredTooSoon, languages: languages))
        case .performed(let result):
            self.relay = result
            tvr.formUnion(result.tvr)
            data.terminal[.unpredictableNumber] = result.terminalEntropy
            data.terminal[.relayResistanceTimeExcess] = result.excess.bigEndianBytes
            return try advance(reading)
        }
    }

    // MARK: Records

    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        guard let command = reading.command else { return try readEnvelope(0) }
        phase = .records(reading)
        return KernelStep(.transmit(command))
    }

    private mutating func takeRecord(_ answer: ResponseAPDU, _ reading: RecordReading) throws(Termination) -> KernelStep
    {
        guard answer.status == .success else { throw .commandFailed(.readRecord, answer.status) }
        var (reading, answer) = (reading, answer)
        if let enciphered = Template.contents(of: answer.data, tag: .encipheredRecord) {
            guard let contents = channel?.combineCardMessage(enciphered) else {
                return end(.end(.secureChannel, languages: languages))
            }
            answer = ResponseAPDU(tlv(.recordTemplate, contents))
        }
        if reading.isAuthenticated {
            _signedRecords.append(contentsOf: Template.contents(of: answer.data, tag: .recordTemplate) ?? [])
        }
        try reading.take(answer, into: &data.card)
        return try advance(reading)
    }

    // MARK: Data envelopes

    private mutating func readEnvelope(_ index: Int) throws(Termination) -> KernelStep {
        guard configuration.envelopesToRead.indices.contains(index) else { return try writeEnvelopeBefore(0) }
        phase = .envelope(index)
        return KernelStep(
            .transmit(.readData(Kernel8Configuration.DataEnvelope.tag(configuration.envelopesToRead[index]).bytes)))
    }

    /// An envelope that cannot be read or authenticated is reported, but does not change the
    /// outcome.
    private mutating func takeEnvelope(_ answer: ResponseAPDU, _ index: Int) throws(Termination) -> KernelStep {
        let tag = Kernel8Configuration.DataEnvelope.tag(configuration.envelopesToRead[index])
        if answer.status == .success, let object = channel?.openReadData(answer.data),
            let value = Template.contents(of: object, tag: tag)
        {
            data.card[tag] = value
        } else {
            hasReadEnvelopes = false
        }
        return try readEnvelope(index + 1)
    }

    private mutating func writeEnvelopeBefore(_ index: Int) throws(Termination) -> KernelStep {
        guard let command = writeData(configuration.envelopesToWriteBefore, index) else { return try generateAC() }
        phase = .writingBefore(index)
        return KernelStep(.transmit(command))
    }

    private mutating func takeWritingBefore(_ answer: ResponseAPDU, _ index: Int) throws(Termination) -> KernelStep {
        takeConfirmation(answer, configuration.envelopesToWriteBefore[index])
        return try writeEnvelopeBefore(index + 1)
    }

    mutating func writeEnvelope(_ index: Int, _ outcome: ContactlessOutcome) -> KernelStep {
        guard let command = writeData(configuration.envelopesToWrite, index) else { return end(outcome) }
        phase = .writing(index, outcome)
        return KernelStep(.transmit(command))
    }

    private mutating func takeWriting(_ answer: ResponseAPDU, _ index: Int, _ outcome: ContactlessOutcome) -> KernelStep
    {
        takeConfirmation(answer, configuration.envelopesToWrite[index])
        return writeEnvelope(index + 1, outcome)
    }

    /// WRITE DATA for the envelope at `index`; nil after the last one, and after one that the card
    /// has not confirmed.
    private mutating func writeData(_ envelopes: [Kernel8Configuration.DataEnvelope], _ index: Int) -> CommandAPDU? {
        guard canWrite, envelopes.indices.contains(index),
            let enciphered = channel?.combineWriteData(envelopes[index].bytes)
        else {
            return nil
        }
        return .writeData(enciphered, isLast: index == envelopes.count - 1)
    }

    private mutating func takeConfirmation(_ answer: ResponseAPDU, _ envelope: Kernel8Configuration.DataEnvelope) {
        let code = channel?.writeDataCode(envelope.bytes)
        canWrite = answer.status == .success && answer.data == code
        if canWrite { confirmedEnvelopes += 1 }
    }
}

extension Kernel8 {
    /// The parameters of a GENERATE AC.
    struct CryptogramRequest {
        let type: CryptogramType
        /// The values of CDOL1.
        let values: [UInt8]
        /// SHA-256 over the card's static data.
        let staticDataHash: [UInt8]
        let authentication: Kernel8.LocalAuthentication
    }
}
