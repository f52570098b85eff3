public import EMVKernel
public import SmartCard
import TLV

/// Entry Point and the kernel that it starts (EMV Contactless Books A and B): one tap from the
/// amount to the outcome, as a state machine over values.
///
/// It does no input or output, and reads no clock. The caller executes each step and passes its
/// result to ``next(_:)``, until a step ends the tap.
public struct EntryPoint: Sendable {
    public enum Action: Sendable {
        /// Keep the field off for this time, in units of 100 ms, then switch it on and wait for a
        /// card.
        case poll(fieldOff: UInt32)
        /// Wait until no card is in the field.
        case waitForEmptyField
        case transmit(CommandAPDU)
        case end(ContactlessOutcome)
    }

    /// The next step.
    public struct Step: Sendable {
        /// To be shown in this order before `action` is executed.
        public var show: [UserInterfaceRequest]
        public var action: Action
        /// How long to wait before `action` is executed.
        public var pause = Duration.zero
    }

    /// The result of a step.
    public enum Event: Sendable {
        case cardPresent
        /// More than one card is in the field (EMV Contactless Book B, 3.2.1).
        case severalCards
        case fieldEmpty
        /// The card's answer, and how long it took from the start of the command.
        case answered(ResponseAPDU, after: Duration)
        case failed(CardChannelError)
    }

    private enum State {
        case idle
        case polling
        case collided
        case directory
        case selecting(CandidateList.Candidate)
        case kernel(any ContactlessKernel, CandidateList.Candidate)
        /// Ended with an outcome after which the issuer's answer may go to the card.
        case waitingForIssuer(any ContactlessKernel, CandidateList.Candidate, ContactlessOutcome)
        case ended
    }

    private let configuration: EntryPointConfiguration
    private let request: TransactionRequest
    private let environment: any EMVEnvironment
    private var state = State.idle
    private var allowed: [(index: Int, indicators: PreProcessingIndicators)] = []
    private var candidates = CandidateList()
    /// The combination that requested online authorization, for a card that is presented again to
    /// take the issuer's answer.
    private var last: CandidateList.Candidate?
    private var issuerResponse: IssuerResponse?
    private var presentations = 0
    /// How the last presentation ended, if the card is presented again.
    package private(set) var restart: ContactlessOutcome?
    /// The torn transactions of earlier taps. The caller keeps them from one transaction to the
    /// next.
    package var tornTransactions = TornTransactionLog()
    /// How many cards in a row failed in mag-stripe mode. The caller keeps it from one transaction
    /// to the next.
    package var failedChecksums = FailedChecksums()

    public init(_ configuration: EntryPointConfiguration, request: TransactionRequest, environment: any EMVEnvironment)
    {
        self.configuration = configuration
        self.request = request
        self.environment = environment
    }

    // MARK: Start A: pre-processing (Book B, 3.1.1)

    /// The first step of a transaction.
    public mutating func start() -> Step { process(showing: UserInterfaceRequest(.presentCard, .readyToRead)) }

    private mutating func process(showing first: UserInterfaceRequest, fieldOff: UInt32 = 0) -> Step {
        do throws(Termination) {
            _ = try terminalData(unpredictableNumber: [0, 0, 0, 0])
        } catch {
            return end(.end(.termination(error)))
        }
        allowed = configuration.combinations.indices.compactMap { index in
            let combination = configuration.combinations[index]
            guard combination.transactionTypes.contains(request.kind) else { return nil }
            let indicators = PreProcessingIndicators(
                amount: request.amount, currencyExponent: request.currencyExponent, limits: combination.limits,
                qualifiers: combination.qualifiers)
            return indicators.contactlessApplicationNotAllowed ? nil : (index, indicators)
        }
        // 3.1.1.13
        guard !allowed.isEmpty else {
            var outcome = ContactlessOutcome(.tryAnotherInterface, reason: .notAllowed)
            outcome.onOutcome = UserInterfaceRequest(.insertOrSwipe, .processingError)
            return end(outcome)
        }
        return activate(showing: [first], fieldOff: fieldOff)
    }

    /// Passes the issuer's answer to the card, if the outcome of the online request has a start.
    ///
    /// - Returns: Nil if the transaction does not continue: no such outcome, or an answer without
    ///   the data that it requires.
    public mutating func resume(with response: IssuerResponse) -> Step? {
        guard case .waitingForIssuer(var kernel, let candidate, let outcome) = state,
            response.goesOn(outcome.onlineResponse),
            let start = outcome.start
        else { return nil }
        issuerResponse = response
        // 3.3.1: an answer with data is for this combination; else selection begins again.
        if start == .b, response.hasDataForCard { last = candidate }
        if start == .d {
            let step = kernel.resume(with: response)
            return proceed(kernel, candidate, step).showing(outcome.restartRequest)
        }
        return again(from: start, after: outcome)
    }

    /// Starts A to C after an outcome. Only the issuer's answer leads to D, and not from here.
    private mutating func again(from start: ContactlessOutcome.Start, after outcome: ContactlessOutcome) -> Step {
        restart = outcome
        switch start {
        case .a: return process(showing: outcome.restartRequest, fieldOff: outcome.fieldOff ?? 0)
        case .b: return activate(showing: [outcome.restartRequest], fieldOff: outcome.fieldOff ?? 0)
        case .c where countPresentation(): return selectBest().showing(outcome.restartRequest)
        case .c: return end(.end(.presentedTooOften))
        case .d: return end(outcome)
        }
    }

    /// The step after `event`. An event that does not fit the last step ends the transaction.
    public mutating func next(_ event: Event) -> Step {
        switch (state, event) {
        case (.polling, .cardPresent): return select()
        case (.polling, .severalCards):
            state = .collided
            return Step(show: [UserInterfaceRequest(.presentOneCardOnly, .processingError)], action: .waitForEmptyField)
        case (.collided, .fieldEmpty):
            return activate(showing: [restart?.restartRequest ?? UserInterfaceRequest(.presentCard, .readyToRead)])
        case (_, .answered(let answer, _)) where answer.data.count > ContactKernel.maximumAnswerLength:
            return next(.failed(.malformedAnswer(.tooLong(maximum: ContactKernel.maximumAnswerLength))))
        case (.directory, .answered(let answer, _)): return takeDirectory(answer)
        case (.selecting(let candidate), .answered(let answer, _)): return takeApplication(answer, candidate)
        case (.kernel(var kernel, let candidate), .answered(let answer, let elapsed)):
            let step = kernel.take(answer, after: elapsed)
            return proceed(kernel, candidate, step)
        case (.kernel(var kernel, let candidate), .failed(let error)) where error.isOfTheCard:
            let step = kernel.fail(error)
            return proceed(kernel, candidate, step)
        case (.directory, .failed(let error)) where error.isOfTheCard,
            (.selecting, .failed(let error)) where error.isOfTheCard:
            // 3.3.2.1, 3.3.3.5
            return process(.tryAgain(.termination(.channel(error))), nil)
        case (_, .failed(let error)): return end(.end(.termination(.channel(error))))
        case (_, .cardPresent), (_, .severalCards), (_, .fieldEmpty), (_, .answered):
            return end(.end(.termination(.configuration(.unexpectedEvent))))
        }
    }

    // MARK: Start B: protocol activation (3.2.1)

    private mutating func activate(showing: [UserInterfaceRequest], fieldOff: UInt32 = 0) -> Step {
        guard countPresentation() else { return end(.end(.presentedTooOften)) }
        candidates = CandidateList()
        state = .polling
        return Step(show: showing, action: .poll(fieldOff: fieldOff))
    }

    /// - Returns: False if there were more than are allowed.
    private mutating func countPresentation() -> Bool {
        presentations += 1
        return presentations <= configuration.maximumPresentations
    }

    // MARK: Combination selection (3.3)

    private mutating func select() -> Step {
        // 3.3.1: after the issuer's answer the combination is known.
        if let last { return select(last) }
        state = .directory
        return Step(show: [], action: .transmit(.select(Directory.name)))
    }

    private mutating func takeDirectory(_ answer: ResponseAPDU) -> Step {
        if answer.status == .success {
            candidates = CandidateList(
                Directory(parsing: answer.data),
                allowed: allowed.map { ($0.index, configuration.combinations[$0.index]) })
        }
        return selectBest()
    }

    /// Start C: selects the best of the remaining candidates (3.3.3).
    private mutating func selectBest() -> Step {
        guard let best = candidates.best else {
            var outcome = ContactlessOutcome.end(.termination(.emptyCandidateList))
            outcome.onOutcome?.status = .readyToRead
            return end(outcome)
        }
        return select(best)
    }

    private mutating func select(_ candidate: CandidateList.Candidate) -> Step {
        state = .selecting(candidate)
        var name = candidate.entry.adfName
        if configuration.combinations[candidate.combination].supportsExtendedSelection {
            name += candidate.entry.extendedSelection ?? []
        }
        return Step(show: [], action: .transmit(.select(name)))
    }

    private mutating func takeApplication(_ answer: ResponseAPDU, _ candidate: CandidateList.Candidate) -> Step {
        let combination = configuration.combinations[candidate.combination]
        guard answer.status == .success, let application = ApplicationInformation(parsing: answer.data),
            combination.kernel.accepts(application), combination.isOfItsSystem(application)
        else {
            // 3.3.3.5
            guard last == nil else {
                var outcome = ContactlessOutcome.end(.termination(.applicationNotSelectable))
                outcome.onOutcome?.status = .readyToRead
                outcome.removalTimeout = 0
                return end(outcome)
            }
            candidates.remove(candidate)
            return selectBest()
        }
        let activation: KernelActivation
        do throws(Termination) {
            activation = try self.activation(candidate, application)
        } catch {
            return end(.end(.termination(error)))
        }
        // 3.4
        var kernel = combination.kernel.kernel(for: activation)
        let step = kernel.start()
        return proceed(kernel, candidate, step)
    }

    private func activation(
        _ candidate: CandidateList.Candidate, _ application: ApplicationInformation
    ) throws(Termination) -> KernelActivation {
        let combination = configuration.combinations[candidate.combination]
        let indicators = allowed.first { $0.index == candidate.combination }?.indicators ?? PreProcessingIndicators()
        var data = try terminalData(unpredictableNumber: environment.unpredictableNumber())
        data[.applicationIdentifierTerminal] = combination.aid
        data[.terminalTransactionQualifiers] = indicators.qualifiers?.bytes
        var activation = KernelActivation(
            data: data, terminal: configuration.terminal, request: request, combination: combination,
            indicators: indicators,
            application: application, environment: environment, issuerResponse: issuerResponse)
        activation.tornTransactions = tornTransactions
        activation.failedChecksums = failedChecksums
        return activation
    }

    private func terminalData(unpredictableNumber: [UInt8]) throws(Termination) -> DataElements {
        try configuration.terminal.dataObjects(
            for: request, entryMode: 0x07, capabilities: configuration.terminal.effectiveCapabilities(nil),
            unpredictableNumber: unpredictableNumber)
    }

    // MARK: Outcome processing (3.5)

    private mutating func proceed(
        _ kernel: any ContactlessKernel, _ candidate: CandidateList.Candidate, _ step: KernelStep
    ) -> Step {
        let show = [step.show].compactMap(\.self)
        switch step.action {
        case .transmit(let command):
            state = .kernel(kernel, candidate)
            return Step(show: show, action: .transmit(command), pause: step.pause)
        case .end(let outcome):
            if let log = outcome.tornTransactions { tornTransactions = log }
            if let failed = outcome.failedChecksums { failedChecksums = failed }
            let outcome = checked(outcome, candidate)
            var next: Step
            if outcome.status == .onlineRequest, outcome.start != nil {
                state = .waitingForIssuer(kernel, candidate, outcome)
                next = Step(show: [outcome.onOutcome].compactMap(\.self), action: .end(outcome))
            } else {
                next = process(outcome, candidate)
            }
            next.show = show + next.show
            next.pause = step.pause
            return next
        }
    }

    /// The outcome, unless the card is presented as a card of another payment system.
    private func checked(_ outcome: ContactlessOutcome, _ candidate: CandidateList.Candidate) -> ContactlessOutcome {
        let applicationProvider = configuration.combinations[candidate.combination].rid
        guard outcome.status == .approved || outcome.status == .onlineRequest, let pan = outcome.data?.card.anyPAN,
            BrandMixUp.contradicts(pan: pan, applicationProvider: applicationProvider)
        else { return outcome }
        var refused = ContactlessOutcome(.declined, reason: .numberOfAnotherSystem)
        refused.onOutcome = UserInterfaceRequest(.notAuthorized, .cardReadSuccessfully)
        return refused
    }

    private mutating func process(_ outcome: ContactlessOutcome, _ candidate: CandidateList.Candidate?) -> Step {
        switch outcome.status {
        case .tryAgain: return again(from: .b, after: outcome).showing(outcome.onOutcome)
        case .endApplication:
            guard let start = outcome.start, start != .d else { return end(outcome) }
            return again(from: start, after: outcome).showing(outcome.onOutcome)
        case .selectNext:
            if let candidate { candidates.remove(candidate) }
            return selectBest()
        case .approved, .declined, .onlineRequest, .tryAnotherInterface: return end(outcome)
        }
    }

    private mutating func end(_ outcome: ContactlessOutcome) -> Step {
        state = .ended
        return Step(show: [outcome.onOutcome].compactMap(\.self), action: .end(outcome))
    }
}

extension EntryPoint.Step {
    /// The step with `request` before everything else that it shows.
    fileprivate func showing(_ request: UserInterfaceRequest?) -> Self {
        var step = self
        step.show = [request].compactMap(\.self) + show
        return step
    }
}

extension Combination {
    /// Whether an application, by its name in the FCI, is of the combination's payment system. The
    /// directory has chosen the kernel, and another system's application is not for it. Kernel 8,
    /// which is of no system, tells the issuer of such a name itself.
    fileprivate func isOfItsSystem(_ application: ApplicationInformation) -> Bool {
        kernel.identifier == .kernel8 || application.name?.starts(with: rid) ?? true
    }
}

extension CardChannelError {
    /// Whether the error comes from the card, so that it may be presented again; not after a
    /// failure of the reader or a cancellation.
    fileprivate var isOfTheCard: Bool {
        switch self {
        case .cardRemoved, .timedOut, .malformedAnswer: true
        case .cancelled, .readerFailed: false
        }
    }
}

extension IssuerResponse {
    /// Whether the answer has data that require the card to be presented again (Book A, 6.2: online
    /// response data).
    fileprivate func goesOn(_ requested: ContactlessOutcome.OnlineResponse?) -> Bool {
        switch requested {
        case .any: true
        case .emvData: hasDataForCard
        case nil: false
        }
    }

    fileprivate var hasDataForCard: Bool { authenticationData?.isEmpty == false || !scripts.isEmpty }
}
