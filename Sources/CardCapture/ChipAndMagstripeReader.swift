import EMVKernel

/// A chip reader and a stripe reader as one reader of cards: both wait at once, and the first card counts.
///
/// The stripe of a card with a chip is refused, and a prompt asks the cardholder to insert the card
/// (EMV 4.4 Book 4, 6.6). After a chip that could not be read, or had no application for the
/// terminal, the stripe is read in its place (6.6.2), and the payment is marked as such. Whether a
/// payment system allows that is for the terminal's owner to know: without ``Limits/fallback`` it
/// does not happen.
public final class ChipAndMagstripeReader: CardReader {
    /// How long is waited.
    public struct Limits: Sendable {
        /// For a card to come.
        public var card: Duration
        /// For a chip that has come to ask the host, or to decide by itself; PIN entry is in it.
        public var chip: Duration
        /// For the stripe, after a chip failure; nil for no fallback.
        public var fallback: Duration?
        /// For a reader to stop after its cancellation.
        public var standDown: Duration

        /// 60 seconds for a card, 120 for the chip, 30 for
        /// the stripe after it and 5 to stop, by default.
        public init(
            card: Duration = .seconds(60), chip: Duration = .seconds(120), fallback: Duration? = .seconds(30),
            standDown: Duration = .seconds(5)
        ) {
            self.card = card
            self.chip = chip
            self.fallback = fallback
            self.standDown = standDown
        }
    }

    public let name: String
    public let capabilities: ReaderCapabilities
    /// Of both readers, with prompts that say what to do with the card.
    public let events = ReaderEvents()
    private let chip: any CardReader
    private let stripe: any MagstripeSlot
    private let decryption: SwipeDecryption?
    private let limits: Limits
    private let use = ExclusiveUse()
    private let forwarders: [Task<Void, Never>]

    /// - Parameter decryption: Keys for what the stripe reader enciphers.
    public init(chip: any CardReader, stripe: any MagstripeSlot, decryption: SwipeDecryption? = nil, limits: Limits = Limits()) {
        name = "\(chip.name) and \(stripe.name)"
        capabilities = chip.capabilities.union(stripe.capabilities)
        self.chip = chip
        self.stripe = stripe
        self.decryption = decryption
        self.limits = limits
        forwarders = [chip.events.stream(), stripe.events.stream()].map { [events] stream in
            Task { for await event in stream { events.send(event) } }
        }
    }

    public var testOnlyReason: String? { chip.testOnlyReason ?? decryption?.testOnlyReason }

    deinit { for forwarder in forwarders { forwarder.cancel() } }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            events.send(.prompt(["INSERT CARD", "insert or swipe the card"]))
            let outcome: CaptureOutcome
            switch await firstCard(of: request, authorize) {
            case .chip(let result): outcome = try result.get()
            case .stripe(let card): return try await decided(card, request, authorize)
            case .fault(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            case .failed(let error): throw error
            }
            guard case .notPossible = outcome.decision, !outcome.requiresReversal, let fallback = outcome.fallback,
                let limit = limits.fallback
            else { return outcome }
            return try await stripe(after: fallback, limit, request, authorize) ?? outcome
        }
    }

    private func firstCard(of request: CaptureRequest, _ authorize: @escaping FirstCard.Authorize) async -> CardRace.End {
        let wait = FirstCard(
            chip: { [chip] (authorize) async throws(CaptureError) in try await chip.capture(request, authorize: authorize) },
            chipEvents: chip.events, stripe: stripe, judge: SwipeJudge(fallback: nil, decryption: decryption, asksForChip: true),
            limits: CardRace.Limits(card: limits.card, chip: limits.chip, standDown: limits.standDown), prompt: prompt)
        return await wait.end(authorize: authorize)
    }

    /// The payment by stripe after `fallback`; nil if no stripe came.
    private func stripe(
        after fallback: Fallback, _ limit: Duration, _ request: CaptureRequest, _ authorize: @escaping FirstCard.Authorize
    ) async throws(CaptureError) -> CaptureOutcome? {
        switch fallback.reason {
        case .technical: prompt(["USE MAG STRIPE", "the chip cannot be read: swipe the card"])
        case .emptyCandidateList: prompt(["USE MAG STRIPE", "the chip has no supported application: swipe the card"])
        }
        let wait = FirstCard(
            chip: nil, chipEvents: nil, stripe: stripe, judge: SwipeJudge(fallback: fallback, decryption: decryption, asksForChip: false),
            limits: CardRace.Limits(card: limit, chip: .zero, standDown: limits.standDown), prompt: prompt)
        switch await wait.end(authorize: authorize) {
        case .stripe(let card): return try await decided(card, request, authorize)
        case .fault(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
        case .failed(.cancelled): throw .cancelled
        case .failed, .chip: return nil
        }
    }

    private func decided(
        _ card: CapturedCard, _ request: CaptureRequest, _ authorize: FirstCard.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        if Task.isCancelled { throw .cancelled }
        return await .decided(card, request, authorize)
    }

    private var prompt: @Sendable ([String]) -> Void { { [events] in events.send(.prompt($0)) } }
}
