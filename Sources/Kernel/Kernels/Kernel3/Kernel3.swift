import Bytes
import CardCryptography
package import Contactless
import EMVKernel
package import SmartCard
import TLV

/// Visa's contactless kernel (EMV Contactless Book C-3): qVSDC, the issuer's update at a second
/// tap, and, if it is switched on, mag-stripe mode. A state machine over values, see
/// ``ContactlessKernel``.
///
/// Neither EMVCo, Visa nor another body has approved it; `docs/conformance-contactless.md` says
/// what each test shows.
package struct Kernel3: ContactlessKernel {
    /// The number of this kernel in the tag dictionary.
    static let number = 3

    private enum Phase {
        case initiation
        case reading(RecordReading)
        case update(IssuerUpdate)
        case ended
    }

    private let configuration: Kernel3Configuration
    private let activation: KernelActivation
    private var data: TransactionData
    /// TTQ as sent to the card.
    private var qualifiers: TerminalTransactionQualifiers = []
    private var phase = Phase.initiation

    init(_ configuration: Kernel3Configuration, _ activation: KernelActivation) {
        self.configuration = configuration
        self.activation = activation
        data = activation.transactionData([.applicationProgramIdentifier])
    }

    /// Initiate application processing (EMV Contactless Book C-3, 5.2), or the issuer's update
    /// (5.9).
    package mutating func start() -> KernelStep {
        if let response = activation.issuerResponse { return startUpdate(response) }
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
            case .update(var update):
                update.take(answer)
                return advance(update)
            case .ended: throw .configuration(.ended)
            }
        } catch {
            return end(.end(.termination(error), languages: languages))
        }
    }

    /// A card that leaves is presented again (EMV Contactless Book C-3, 5.3 and 5.4; Book B, 3.5).
    package mutating func fail(_ error: CardChannelError) -> KernelStep {
        // The issuer has already decided: only its update is lost.
        if case .update(var update) = phase {
            update.abandon()
            return advance(update)
        }
        return end(.tryAgain(.termination(.channel(error))))
    }

    private var languages: [Language] { activation.application.languages }

    private mutating func end(_ outcome: ContactlessOutcome, show: UserInterfaceRequest? = nil) -> KernelStep {
        phase = .ended
        return KernelStep(.end(outcome), show: show)
    }

    // MARK: Initiate application processing (5.2, 5.3)

    /// 5.2: dynamic reader limits, TTQ and GET PROCESSING OPTIONS.
    private mutating func initiate() throws(Termination) -> KernelStep {
        var indicators = activation.indicators
        if let limits = configuration.dynamicReaderLimits.limits(for: data.card[.applicationProgramIdentifier]) {
            indicators = PreProcessingIndicators(
                amount: activation.request.amount, currencyExponent: activation.request.currencyExponent,
                limits: limits,
                qualifiers: activation.combination.qualifiers)
        }
        guard !indicators.contactlessApplicationNotAllowed else {
            return end(ContactlessOutcome(.selectNext, start: .c, reason: .notAllowed))
        }
        guard var qualifiers = indicators.qualifiers else { throw .configuration(.noTransactionQualifiers) }
        qualifiers.remove(.magstripeMode)
        if configuration.supportsMagstripeMode { qualifiers.insert(.magstripeMode) }
        if activation.terminal.type.isOnlineOnly || activation.request.forcesOnline {
            qualifiers.insert(.onlineCryptogramRequired)
        }
        self.qualifiers = qualifiers
        data.terminal.update(with: activation.environment.values(for: .processingOptions))
        data.terminal[.terminalTransactionQualifiers] = qualifiers.bytes
        data.terminal[.terminalVerificationResults] = TerminalVerificationResults().bytes
        // The card receives cashback as a purchase; only the amount indicates it.
        if activation.request.kind == .purchaseWithCashback {
            data.terminal[.transactionType] = [TransactionRequest.Kind.purchase.rawValue]
        }
        guard let list = try activation.optionsList() else { throw .invalidData(.pdol) }
        return KernelStep(
            .transmit(.getProcessingOptions(tlv(.commandTemplate, list.concatenate(data.terminal)))),
            show: UserInterfaceRequest(.processing, .processing, languages: languages))
    }

    /// 5.3: status words, and the answer in template `77`.
    private mutating func takeProcessingOptions(_ answer: ResponseAPDU) throws(Termination) -> KernelStep {
        guard answer.status == .success else { return end(try .refused(answer.status, languages: languages)) }
        // Cards of mag-stripe mode may answer in format 1, which has no room for a cryptogram.
        let objects =
            try configuration.supportsMagstripeMode && answer.data.first == 0x80
            ? ResponseTemplate.processingOptions(answer.data) : ResponseTemplate.qualifiedOptions(answer.data)
        for tag in objects.tags where CardObjects.isOfOptions(tag, kernel: Self.number) {
            data.card[tag] = objects[tag]
        }
        // The reader sets bits 4 to 1 of the last byte (4.1.1.1).
        if var indicator = data.card[.formFactorIndicator], indicator.count == 4 {
            indicator[3] &= 0xF0
            data.card[.formFactorIndicator] = indicator
        }
        return try advance(RecordReading(data.card[.applicationFileLocator] ?? [], kernel: Self.number))
    }

    // MARK: Read application data (5.4)

    /// 5.4: READ RECORD by the AFL, then the decisions of 5.4.2 to 5.8 (`QualifiedTransaction`).
    private mutating func advance(_ reading: RecordReading) throws(Termination) -> KernelStep {
        if let command = reading.command {
            phase = .reading(reading)
            return KernelStep(.transmit(command))
        }
        if isMagstripe {
            let outcome = try magstripeOutcome()
            return end(
                outcome, show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
        }
        var transaction = QualifiedTransaction(activation, data, qualifiers: qualifiers)
        let outcome = try transaction.decide(reading.staticData)
        return end(outcome, show: UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages))
    }

    // MARK: Mag-stripe mode (MSD)

    /// AIP byte 2 bit 8, and no cryptogram: a card with one is a card of qVSDC.
    private var isMagstripe: Bool {
        let profile = data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        return configuration.supportsMagstripeMode && profile.contains(.magstripeModeOnly)
            && !data.card.contains(.applicationCryptogram)
    }

    /// The track goes to the issuer, who alone can check the code in it.
    private mutating func magstripeOutcome() throws(Termination) -> ContactlessOutcome {
        guard data.card.contains(.track2EquivalentData) else { throw .missingData(.track2EquivalentData) }
        guard let known = Track2Equivalent(data.card) else { throw .invalidData(.track2EquivalentData) }
        guard !data.card.contains(.applicationPAN) || data.card.pan == known.pan else {
            throw .invalidData(.applicationPAN)
        }
        guard !qualifiers.contains(.offlineOnlyReader), !activation.terminal.type.isOfflineOnly else {
            return .declined(.issuerNotReachable, data, languages: languages)
        }
        switch VerificationSelection(card: nil, reader: qualifiers, relatedData: nil, isARQC: false) {
        case .declined(let reason): return .declined(reason, data, languages: languages)
        case .method(let method):
            // As the track of Mastercard's mag-stripe mode: the captured card is one of a stripe in
            // a field.
            data.card.secret(.track2EquivalentData)?.withArray { data.card.set(.track2DataContactless, $0) }
            return .online(data, verification: method, languages: languages)
        }
    }

    // MARK: Issuer update (5.9)

    /// 5.9: EXTERNAL AUTHENTICATE and the issuer's scripts.
    private mutating func startUpdate(_ response: IssuerResponse) -> KernelStep {
        advance(IssuerUpdate(response, maximumScriptLength: activation.terminal.maximumScriptLength))
    }

    private mutating func advance(_ update: IssuerUpdate) -> KernelStep {
        if let command = update.command {
            phase = .update(update)
            return KernelStep(.transmit(command))
        }
        let approves = activation.terminal.responseCodes.approves(update.responseCode)
        var outcome = ContactlessOutcome(approves ? .approved : .declined)
        outcome.onOutcome = UserInterfaceRequest(
            approves ? .approved : .notAuthorized, .cardReadSuccessfully, languages: languages)
        outcome.discretionaryData = update.results
        return end(outcome)
    }
}

extension ApplicationInterchangeProfile {
    /// AIP byte 2 bit 8 of a Visa card: mag-stripe mode. For Mastercard the bit means EMV mode.
    fileprivate static let magstripeModeOnly = Self(byte: 2, bit: 8)
}
