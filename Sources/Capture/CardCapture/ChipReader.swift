import Bytes
import CardCryptography
import Contactless
public import EMVKernel
public import SmartCard
private import Synchronization
import TLV

/// A plain chip reader with our contact kernel above it, which uses the issuer answer mode of the
/// request, regardless of its own configuration.
///
/// A card that stays in the contacts after a transaction is not read again: it may belong to the
/// last customer. The next transaction first waits until the contacts were empty, and asks for the
/// card's removal.
public struct ChipReader: CardReader {
    private let slot: any CardSlot
    private let kernel: ContactKernel
    private let cardholder: any Cardholder
    private let environment: any EMVEnvironment
    private let clock: @Sendable () -> Timestamp
    private let observer: Observer
    private let timing: ContactlessReader.Timing
    private let kept = KeptBetweenCards()

    /// Receives the kernel's events, for a screen or a trace.
    public struct Observer: Sendable {
        /// Called for each step of the kernel; no event carries card data.
        public var event: (@Sendable (KernelEvent) -> Void)?
        /// Called for each APDU and its answer with card data
        /// in them: mask them before they are logged or stored.
        public var exchange: (@Sendable (APDUTrace.Exchange) -> Void)?
        /// Receives the kernel's configuration and the request, before the first command.
        public var start: (@Sendable (TerminalConfiguration, TransactionRequest) -> Void)?

        /// An observer with the given functions; nil, the default, means not observed.
        public init(
            event: (@Sendable (KernelEvent) -> Void)? = nil, exchange: (@Sendable (APDUTrace.Exchange) -> Void)? = nil,
            start: (@Sendable (TerminalConfiguration, TransactionRequest) -> Void)? = nil
        ) {
            self.event = event
            self.exchange = exchange
            self.start = start
        }
    }

    /// - Parameters:
    ///   - cardholder: Who chooses an application and enters a PIN.
    ///   - environment: Randomness and memory; by default those of the system. Tests pass
    ///     predictable ones.
    ///   - clock: Returns the transaction's date and time.
    ///   - timing: For the wait until the last card was removed.
    public init(
        slot: any CardSlot, kernel: ContactKernel, cardholder: any Cardholder,
        environment: any EMVEnvironment = SystemEnvironment(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now, timing: ContactlessReader.Timing = .system,
        observer: Observer = Observer()
    ) {
        self.slot = slot
        self.kernel = kernel
        self.cardholder = cardholder
        self.environment = environment
        self.clock = clock
        self.timing = timing
        self.observer = observer
    }

    /// The terminal's, the local one first.
    var languages: [Language] { kernel.configuration.languages }

    public var name: String { slot.name }
    public var capabilities: ReaderCapabilities { slot.capabilities }
    public var events: ReaderEvents { slot.events }
    public var testOnlyReason: String? {
        slot.testOnlyReason ?? kernel.configuration.testOnlyReason ?? cardholder.pinPad?.testOnlyReason
    }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        let display = CardholderDisplay(events: slot.events, languages: languages)
        if kept.mayHaveCard {
            try await CardRemoval(slot: slot, timing: timing).wait {
                display.show(UserInterfaceRequest(.removeCard, .notReady))
            }
            kept.mayHaveCard = false
        }
        if !slot.capabilities.contains(.display) { display.showText(.insertCard) }
        var channel = try await slot.powerOn()
        kept.mayHaveCard = true
        if !slot.capabilities.contains(.cardEvents) { slot.events.send(.cardPresented(.contact)) }
        if let record = observer.exchange { channel = RecordingChannel(channel, record: record) }
        let time = clock()
        var configuration = kernel.configuration
        configuration.responseCodes = request.responseCodes
        let transaction = TransactionRequest(request, time)
        observer.start?(configuration, transaction)
        var outcome = await ContactKernel(configuration).perform(
            transaction, card: channel, cardholder: AnnouncedCardholder(cardholder: cardholder, display: display),
            issuer: HostedIssuer(authorize: authorize, call: request.resolveReferral),
            environment: environment.remembering(request.memory),
            observe: observer.event.map { observe in { observe($0) } })
        // The captured card has its own copy of the PAN and wipes it itself.
        defer { outcome.data.wipe() }
        await slot.powerOff()
        // What follows a fallback says what to do with the card.
        if !slot.capabilities.contains(.display), outcome.fallback == nil,
            outcome.decision != .terminated(.channel(.cardRemoved))
        {
            display.instruct(.removeCard)
        }
        var captured = try CaptureOutcome(outcome)
        captured.language = display.languageOfCard
        return captured
    }
}

/// What a reader keeps from one card to the next.
private final class KeptBetweenCards: Sendable {
    private let state = Mutex(false)

    /// Whether the card of an earlier transaction may still be in the contacts.
    var mayHaveCard: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension TransactionRequest {
    init(_ request: CaptureRequest, _ time: Timestamp) {
        self.init(
            kind: request.kind, amount: request.amount, amountOther: request.cashback,
            currencyCode: request.currencyCode, currencyExponent: request.currencyExponent, date: time.transactionDate,
            time: time.transactionTime, sequenceCounter: request.sequenceCounter,
            forcesOnline: request.forcesOnline)
    }
}

/// The issuer behind the capture's caller.
private struct HostedIssuer: OnlineAuthorizer {
    let authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    /// Nil if there is no telephone.
    let call: (@Sendable () async -> ReferralAnswer)?

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        // A caller that has cancelled the transaction expects no payment.
        guard !Task.isCancelled, let card = CapturedCard(request.data, pin: request.pin) else {
            return .unableToGoOnline
        }
        switch await authorize(card) {
        case .unreachable: return .unableToGoOnline
        case .answered(let answer):
            return .answered(
                IssuerResponse(
                    responseCode: Array(answer.responseCode.utf8), authenticationData: answer.issuerAuthenticationData,
                    scripts: answer.scripts,
                    approvalCode: answer.approvalCode.map { Array($0.utf8) }))
        }
    }

    func resolveReferral(_ response: IssuerResponse, _ request: OnlineRequest) async -> ReferralAnswer {
        await call?() ?? .declined
    }
}

extension CapturedCard {
    /// Nil if the transaction has not yet read a PAN and an expiry date.
    fileprivate init?(_ data: TransactionData, pin: OnlinePIN?) {
        guard let pan = data.card.secretDigits(.applicationPAN), let expiry = data.card[.applicationExpirationDate],
            expiry.count == 3
        else { return nil }
        self.init(
            entryMode: .chip, pan: pan, expiry: expiry.prefix(2).hex,
            panSequenceNumber: data.card[.panSequenceNumber]?.first,
            cardholderName: data.card[.cardholderName].map(ValueDescription.printable),
            track2: data.card.secret(.track2EquivalentData),
            chip: ChipData(elements: data.shareable),
            pin: pin.map { EncipheredPINBlock(format: .init($0.format), block: $0.pinBlock, ksn: $0.ksn) })
    }
}

extension CaptureOutcome {
    fileprivate init(_ outcome: Outcome) throws(CaptureError) {
        let decision: Decision
        switch outcome.decision {
        case .approved(.online): decision = .approvedOnline
        case .approved(.offline), .approved(.unableToGoOnline): decision = .approvedOffline
        case .declined(.online): decision = .declinedOnline
        case .declined(.offline), .declined(.unableToGoOnline): decision = .declinedOffline
        case .terminated(.channel(.cardRemoved)) where !outcome.requiresReversal: throw .cardRemoved
        case .terminated(.cancelledByCardholder): throw .cancelled
        case .terminated(.channel(.cancelled)) where !outcome.requiresReversal: throw .cancelled
        case .terminated(let reason): decision = .notPossible(.kernel(reason))
        }
        self.init(
            decision: decision, card: CapturedCard(outcome.data, pin: outcome.onlinePIN),
            requiresSignature: outcome.requiresSignature,
            requiresReversal: outcome.requiresReversal, requiresAdvice: outcome.requiresAdvice,
            fallback: outcome.fallback)
    }
}

extension TerminalConfiguration {
    /// As in ``CardReader/testOnlyReason``: the first CA key that is a test key.
    var testOnlyReason: String? {
        caKeys.first { $0.isTest }.map { "the CA key \($0.rid.hex) \([$0.index].hex) is a test key" }
    }
}
