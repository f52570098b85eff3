import Bytes
import CardCryptography
public import Contactless
public import EMVKernel
public import SmartCard
import Synchronization
import TLV

/// A plain contactless reader with Entry Point and our kernels above it.
///
/// The combinations of the configuration select the kernels. A tap that the card or a limit sends
/// to another interface ends as ``CaptureOutcome/Decision/notPossible(_:)``;
/// ``MultiInterfaceReader`` continues with the contacts.
///
/// A card that stays in the field after a tap is not read again: the next transaction first waits
/// until the field was empty, and asks for the card's removal.
public struct ContactlessReader: CardReader {
    private let slot: any CardSlot
    private let configuration: EntryPointConfiguration
    private let cardholder: any Cardholder
    private let environment: any EMVEnvironment
    private let clock: @Sendable () -> Timestamp
    private let timing: Timing
    private let observe: (@Sendable (APDUTrace.Exchange) -> Void)?
    private let display: CardholderDisplay
    private let use = ExclusiveUse()
    private let kept = KeptBetweenTaps()

    /// The clock and the pauses of the reader.
    public struct Timing: Sendable {
        /// A monotonic clock, to measure how long a card takes to answer.
        public var uptime: @Sendable () -> Duration
        /// Waits for the given time: while the field is off, while cards are to leave it, and
        /// after COMPUTE CRYPTOGRAPHIC CHECKSUM failed in mag-stripe mode.
        public var pause: @Sendable (Duration) async -> Void
        /// How long a transaction waits for the cards of the last one to leave the field, and for
        /// several cards that are in it at once.
        public var removal: Duration

        /// A clock of the caller, such as one that a test advances; ``system`` is the default.
        ///
        /// - Parameter removal: 60 seconds by default.
        public init(
            uptime: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) async -> Void,
            removal: Duration = .seconds(60)
        ) {
            self.uptime = uptime
            self.pause = pause
            self.removal = removal
        }

        /// The system's monotonic clock.
        public static let system: Timing = {
            let start = ContinuousClock.now
            return Timing(uptime: { start.duration(to: .now) }, pause: { try? await Task.sleep(for: $0) })
        }()
    }

    /// - Parameters:
    ///   - cardholder: Enters a PIN for the issuer at its PIN pad.
    ///   - clock: Returns the transaction's date and time.
    ///   - observe: receives every command and answer.
    public init(
        slot: any CardSlot, configuration: EntryPointConfiguration, cardholder: any Cardholder,
        environment: any EMVEnvironment = SystemEnvironment(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now,
        timing: Timing = .system, observe: (@Sendable (APDUTrace.Exchange) -> Void)? = nil
    ) {
        self.slot = slot
        self.configuration = configuration
        self.cardholder = cardholder
        self.environment = environment
        self.clock = clock
        self.timing = timing
        self.observe = observe
        display = CardholderDisplay(events: slot.events, languages: configuration.terminal.languages)
    }

    /// The terminal's, the local one first.
    var languages: [Language] { configuration.terminal.languages }

    public var name: String { slot.name }
    public var capabilities: ReaderCapabilities { slot.capabilities }
    public var events: ReaderEvents { slot.events }
    public var testOnlyReason: String? {
        slot.testOnlyReason ?? configuration.terminal.testOnlyReason ?? cardholder.pinPad?.testOnlyReason
    }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            var settings = configuration
            settings.terminal.responseCodes = request.responseCodes
            if kept.mayHaveCard {
                try await removal.wait { display.show(UserInterfaceRequest(.removeCard, .notReady)) }
                kept.mayHaveCard = false
            }
            let transaction = TransactionRequest(request, clock())
            var tap = Tap(
                entryPoint: EntryPoint(
                    settings, request: transaction, environment: environment.remembering(request.memory)),
                slot: slot, display: display, timing: timing, memory: request.memory, observe: observe)
            tap.kept = try await request.memory?.tornTransactions().map { TornTransactionLog(encoded: $0) } ?? kept.torn
            tap.entryPoint.tornTransactions = tap.kept
            tap.entryPoint.tornTransactions.removeExpired(at: transaction)
            tap.entryPoint.failedChecksums = kept.failedChecksums
            defer { kept.take(tap) }
            var outcome = try await tap.run(tap.entryPoint.start())
            // The captured card has its own copy of the PAN and wipes it itself.
            defer { outcome.data?.wipe() }
            let result: Result<CaptureOutcome, CaptureError>
            do throws(CaptureError) {
                result = .success(try await finish(&outcome, tap: &tap, request: request, authorize: authorize))
            } catch {
                result = .failure(error)
            }
            await tap.release()
            var captured = try result.get()
            captured.language = display.languageOfCard
            return captured
        }
    }

    private func finish(
        _ outcome: inout ContactlessOutcome, tap: inout Tap, request: CaptureRequest,
        authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        let wantsSignature = outcome.verification == .signature
        switch outcome.status {
        case .approved:
            return CaptureOutcome(
                decision: .approvedOffline, card: try outcome.card(), requiresSignature: wantsSignature)
        case .declined:
            var declined = CaptureOutcome(decision: .declinedOffline, card: try? outcome.card())
            declined.declineReason = outcome.reason
            return declined
        case .onlineRequest: return try await goOnline(&outcome, tap: &tap, request: request, authorize: authorize)
        case .endApplication, .tryAnotherInterface, .tryAgain, .selectNext:
            switch outcome.reason {
            case .termination(.channel(.cancelled)): throw .cancelled
            case .termination(.channel(.cardRemoved)): throw .cardRemoved
            default: break
            }
            var ended = CaptureOutcome(decision: .notPossible(CaptureOutcome.Obstacle(outcome.reason)), card: nil)
            ended.asksForContacts = outcome.status == .tryAnotherInterface
            return ended
        }
    }

    // MARK: Online

    private func goOnline(
        _ outcome: inout ContactlessOutcome, tap: inout Tap, request: CaptureRequest,
        authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        var card = try outcome.card()
        if outcome.verification == .onlinePIN {
            guard let pin = try await enterPIN(card, request) else {
                return CaptureOutcome(decision: .notPossible(.pinNotEntered), card: card)
            }
            card.pin = pin
        }
        // A caller that has cancelled the transaction expects no payment.
        if Task.isCancelled { throw .cancelled }
        let timeout = outcome.holdsCard ? 0 : outcome.removalTimeout ?? configuration.removalTimeout
        guard
            case .answered(let answer) = await remindingOfRemoval(
                after: timeout, { await request.resolved(authorize(card)) })
        else {
            return CaptureOutcome(decision: .declinedOffline, card: card)
        }
        card.chip?.elements[.authorisationResponseCode] = Array(answer.responseCode.utf8)
        await update(&card, answer, &tap)
        let isApproved = request.responseCodes.approves(answer.responseCode)
        return CaptureOutcome(
            decision: isApproved ? .approvedOnline : .declinedOnline, card: card,
            requiresSignature: isApproved && outcome.verification == .signature)
    }

    private var removal: CardRemoval { CardRemoval(slot: slot, timing: timing) }

    /// - Parameter timeout: In units of 100 ms; 0 for never.
    private func remindingOfRemoval(after timeout: UInt32, _ question: () async -> IssuerAnswer) async -> IssuerAnswer {
        guard timeout > 0 else { return await question() }
        // Cancelled and awaited at the end of this scope, so that the field is free for a second
        // tap.
        async let _ = removal.remind(after: .milliseconds(100) * Int(clamping: timeout)) {
            display.show(UserInterfaceRequest(.removeCard, .cardReadSuccessfully))
        }
        return await question()
    }

    private func enterPIN(_ card: CapturedCard, _ request: CaptureRequest) async throws(CaptureError)
        -> EncipheredPINBlock?
    {
        guard let pad = AnnouncedCardholder(cardholder: cardholder, display: display).pinPad, let pan = card.pan else {
            return nil
        }
        display.showState(UserInterfaceRequest(.enterPIN, .cardReadSuccessfully))
        switch await pad.enterOnlinePIN(pan: pan, amount: request.amount, currencyCode: request.currencyCode) {
        case .entered(let format, let block, let ksn):
            return EncipheredPINBlock(format: .init(format), block: block, ksn: ksn)
        case .cancelled: throw .cancelled
        case .bypassed, .failed: return nil
        }
    }

    /// Passes the issuer's answer to the card at a second tap, if card, reader and answer provide
    /// for it. The payment is already decided: it does not change if the card does not come back.
    private func update(_ card: inout CapturedCard, _ answer: IssuerAnswer.Answer, _ tap: inout Tap) async {
        guard let step = tap.entryPoint.resume(with: IssuerResponse(answer)), let updated = try? await tap.run(step)
        else { return }
        card.chip?.elements.update(with: updated.discretionaryData)
    }
}

/// What a reader keeps from one tap to the next.
private final class KeptBetweenTaps: Sendable {
    private struct State {
        var torn = TornTransactionLog()
        var failedChecksums = FailedChecksums()
        var mayHaveCard = false
    }

    private let state = Mutex(State())

    var torn: TornTransactionLog { state.withLock { $0.torn } }
    var failedChecksums: FailedChecksums { state.withLock { $0.failedChecksums } }
    /// Whether a card of an earlier tap may still be in the field.
    var mayHaveCard: Bool {
        get { state.withLock { $0.mayHaveCard } }
        set { state.withLock { $0.mayHaveCard = newValue } }
    }

    func take(_ tap: Tap) {
        state.withLock { state in
            state.torn = tap.entryPoint.tornTransactions
            state.failedChecksums = tap.entryPoint.failedChecksums
            if tap.hasSeenCard { state.mayHaveCard = true }
        }
    }
}

/// Executes the steps that Entry Point requests.
private struct Tap {
    var entryPoint: EntryPoint
    let slot: any CardSlot
    let display: CardholderDisplay
    let timing: ContactlessReader.Timing
    let memory: (any CardMemory)?
    let observe: (@Sendable (APDUTrace.Exchange) -> Void)?
    /// Torn transactions as stored in the memory.
    var kept = TornTransactionLog()
    /// Whether a card has been in the field.
    private(set) var hasSeenCard = false
    private var channel: (any CardChannel)?
    /// Whether the field is on for the issuer's answer.
    private var holdsCard = false

    init(
        entryPoint: EntryPoint, slot: any CardSlot, display: CardholderDisplay, timing: ContactlessReader.Timing,
        memory: (any CardMemory)?, observe: (@Sendable (APDUTrace.Exchange) -> Void)?
    ) {
        self.entryPoint = entryPoint
        self.slot = slot
        self.display = display
        self.timing = timing
        self.memory = memory
        self.observe = observe
    }

    /// Runs until the outcome. The field is then off, unless the outcome holds the card in it
    /// (``release()``).
    mutating func run(_ first: EntryPoint.Step) async throws(CaptureError) -> ContactlessOutcome {
        var step = first
        do throws(CaptureError) {
            while true {
                for request in step.show { display.show(request) }
                try await keepTornTransactions()
                if step.pause > .zero { await timing.pause(step.pause) }
                switch step.action {
                case .poll(let fieldOff): step = entryPoint.next(try await poll(fieldOff))
                case .waitForEmptyField:
                    await slot.powerOff()
                    await timing.pause(Self.collisionPause)
                    try await CardRemoval(slot: slot, timing: timing).wait()
                    step = entryPoint.next(.fieldEmpty)
                case .transmit(let command): step = entryPoint.next(await send(command))
                case .end(let outcome):
                    holdsCard = outcome.holdsCard
                    if !holdsCard { await slot.powerOff() }
                    return outcome
                }
            }
        } catch {
            await slot.powerOff()
            throw error
        }
    }

    /// Switches off a field that was left on for the issuer's answer.
    mutating func release() async {
        guard holdsCard else { return }
        holdsCard = false
        await slot.powerOff()
    }

    /// Called before the reader polls again, and before a recovered cryptogram is used: it must not
    /// be used twice after a crash.
    private mutating func keepTornTransactions() async throws(CaptureError) {
        let torn = entryPoint.tornTransactions
        guard let memory, !torn.hasSameRecords(as: kept) else { return }
        try await memory.keepTornTransactions(torn.encoded)
        kept = torn
    }

    /// Time for the cardholder to take several cards out of the field.
    private static let collisionPause = Duration.milliseconds(500)

    private mutating func poll(_ fieldOff: UInt32) async throws(CaptureError) -> EntryPoint.Event {
        if channel != nil {
            await slot.powerOff()
            channel = nil
            await timing.pause(.milliseconds(100) * Int(clamping: fieldOff))
        }
        if Task.isCancelled { throw .cancelled }
        do throws(CaptureError) {
            var opened = try await slot.powerOn()
            if !slot.capabilities.contains(.cardEvents) { slot.events.send(.cardPresented(.contactless)) }
            if let observe { opened = RecordingChannel(opened, record: observe) }
            channel = opened
            hasSeenCard = true
            return .cardPresent
        } catch .severalCards {
            hasSeenCard = true
            return .severalCards
        }
    }

    private func send(_ command: CommandAPDU) async -> EntryPoint.Event {
        guard let channel else { return .failed(.cardRemoved) }
        let start = timing.uptime()
        do throws(CardChannelError) {
            let answer = try await channel.transmit(command)
            return .answered(answer, after: timing.uptime() - start)
        } catch {
            return .failed(error)
        }
    }
}

extension IssuerResponse {
    fileprivate init(_ answer: IssuerAnswer.Answer) {
        self.init(
            responseCode: Array(answer.responseCode.utf8), authenticationData: answer.issuerAuthenticationData,
            scripts: answer.scripts,
            approvalCode: answer.approvalCode.map { Array($0.utf8) })
    }
}

extension ContactlessOutcome {
    /// The card as the terminal takes it.
    fileprivate func card() throws(CaptureError) -> CapturedCard {
        if let data, let track = data.card.secret(.track2DataContactless), !data.card.contains(.applicationCryptogram) {
            return try Self.card(of: data, track: track)
        }
        guard let data, let pan = data.card.pan, let expiry = data.card.expiry else {
            throw .cardDataMissing
        }
        var elements = data.shareable
        elements.update(with: discretionaryData)
        return CapturedCard(
            entryMode: .contactlessChip, pan: pan, expiry: String(decoding: expiry, as: UTF8.self),
            panSequenceNumber: data.card[.panSequenceNumber]?.first,
            cardholderName: data.card[.cardholderName].map(ValueDescription.printable),
            track2: data.card.secret(.track2EquivalentData), chip: ChipData(elements: elements))
    }
}

extension ContactlessOutcome {
    /// The card of a mag-stripe mode transaction: its tracks, with the dynamic codes of this
    /// transaction, as those of a stripe.
    ///
    /// - Parameter track: Tag `9F6B`; for Visa's cards the value of tag `57`.
    private static func card(of data: TransactionData, track: SecretBytes) throws(CaptureError) -> CapturedCard {
        guard let known = track.withBytes({ Track2Equivalent(encoded: $0) }) else { throw .cardDataMissing }
        var track1 = data.card[0x56]
        defer { if track1 != nil { wipe(&track1!) } }
        let name = track1?.split(separator: UInt8(ascii: "^")).dropFirst().first
        return CapturedCard(
            entryMode: .contactlessStripe, pan: known.pan, expiry: String(decoding: known.expiry, as: UTF8.self),
            panSequenceNumber: data.card[.panSequenceNumber]?.first,
            cardholderName: (name.map(Array.init) ?? data.card[.cardholderName]).map(ValueDescription.printable),
            track1: track1.map { SecretBytes($0) }, track2: track.withArray { SecretBytes(track2: $0) })
    }
}

extension CaptureOutcome.Obstacle {
    fileprivate init(_ reason: ContactlessReason?) {
        switch reason {
        case .termination(let termination): self = .kernel(termination)
        case let reason?: self = .contactless(reason)
        case nil: self = .tapNotPossible
        }
    }
}
