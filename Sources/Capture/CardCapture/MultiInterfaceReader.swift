import Contactless
import EMVKernel

/// The interfaces of a point of sale as one ``CardReader``: contacts, field and stripe wait at the
/// same time, and the first card wins.
///
/// If the reader has contacts, the stripe of a card with a chip is refused, and a prompt asks the
/// cardholder to insert the card (EMV 4.4 Book 4, 6.6). After a chip that could not be read, or had
/// no application for the terminal, the stripe is read in its place (6.6.2), and the payment is
/// marked as a fallback. The owner of the terminal must know whether the payment system allows
/// this: without ``Limits/fallback`` there is no fallback.
///
/// If amount, card or kernel sends a tap to another interface (EMV Contactless Book A, 6.2: Try
/// Another Interface), the other interfaces continue to wait. The tap booked nothing, and the
/// issuer was not asked.
public final class MultiInterfaceReader: CardReader {
    /// The time limits.
    public struct Limits: Sendable {
        /// Until a card is presented.
        public var card: Duration
        /// From the card's arrival until its chip asks the host or decides offline, PIN entry
        /// included.
        public var chip: Duration
        /// For the stripe, after a chip failure; nil for no fallback.
        public var fallback: Duration?
        /// For a reader to stop after it is cancelled.
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
    /// The events of all readers, with prompts that say what to do with the card.
    public let events = ReaderEvents()
    private let chips: [CardRace.ChipInterface: any CardReader]
    private let stripe: (any MagstripeSlot)?
    private let decryption: SwipeDecryption?
    private let limits: Limits
    private let use = ExclusiveUse()
    /// The terminal's, for texts before a card has told its own.
    private let language: MessageLanguage
    /// Says how a card is presented.
    private let invitation: Invitation

    /// A reader of contacts and stripe.
    ///
    /// - Parameter decryption: Keys for the data that the stripe reader encrypts.
    public convenience init(
        chip: any CardReader, stripe: any MagstripeSlot, decryption: SwipeDecryption? = nil, limits: Limits = Limits()
    ) {
        self.init(chips: [.contact: chip], stripe: stripe, decryption: decryption, limits: limits)
    }

    /// A reader of field and contacts, and of stripes if it is given a slot for them.
    ///
    /// - Parameters:
    ///   - contactless: A reader with a field of its own, and Entry Point above it.
    ///   - chip: If a tap asks for the contacts, this reader continues.
    ///   - decryption: Keys for the data that the stripe reader encrypts.
    public convenience init(
        contactless: ContactlessReader, chip: any CardReader, stripe: (any MagstripeSlot)? = nil,
        decryption: SwipeDecryption? = nil,
        limits: Limits = Limits()
    ) {
        self.init(
            chips: [.contact: chip, .contactless: contactless], stripe: stripe, decryption: decryption, limits: limits)
    }

    private init(
        chips: [CardRace.ChipInterface: any CardReader], stripe: (any MagstripeSlot)?, decryption: SwipeDecryption?,
        limits: Limits
    ) {
        let readers = [chips[.contactless], chips[.contact]].compactMap(\.self)
        name = (readers.map(\.name) + [stripe?.name].compactMap(\.self)).withoutRepetitions.formatted
        capabilities = readers.map(\.capabilities).reduce(stripe?.capabilities ?? []) { $0.union($1) }
        self.chips = chips
        self.stripe = stripe
        self.decryption = decryption
        self.limits = limits
        let languages =
            (chips[.contact] as? ChipReader)?.languages ?? (chips[.contactless] as? ContactlessReader)?.languages
        let language = MessageLanguageChoice(supported: languages ?? []).language
        let invitation = Invitation(
            instruction: capabilities.invitation ?? .presentCard, hasField: chips[.contactless] != nil,
            hasStripe: stripe != nil)
        self.language = language
        self.invitation = invitation
        let contacts = chips[.contact]?.events
        for source in readers.map(\.events) + [stripe?.events].compactMap(\.self) {
            let isContacts = source === contacts
            source.forward(to: events) { event in
                switch event {
                // The field waits for a card beside the others, and so do the contacts.
                case .instruction(.presentCard): .instruction(invitation.instruction)
                case .prompt(_, let step?) where step.instruction == .presentCard: invitation.prompt(in: step.language)
                case .prompt(_, let step?) where step.instruction == .insertCard && isContacts: nil
                default: event
                }
            }
        }
    }

    private struct Invitation {
        let instruction: ReaderEvent.Instruction
        let hasField, hasStripe: Bool

        func prompt(in language: MessageLanguage) -> ReaderEvent {
            let lines =
                switch (language, hasField, hasStripe) {
                case (.english, false, _): ["INSERT CARD", "insert or swipe the card"]
                case (.english, true, false): ["PRESENT CARD", "tap or insert the card"]
                case (.english, true, true): ["PRESENT CARD", "tap, insert or swipe the card"]
                default: language.lines(instruction)
                }
            return .prompt(lines, says: ReaderEvent.Step(instruction, in: language))
        }
    }

    public var testOnlyReason: String? {
        chips[.contactless]?.testOnlyReason ?? chips[.contact]?.testOnlyReason ?? decryption?.testOnlyReason
    }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await use.exclusively(orElse: ExclusiveUse.captureRefusal) { () async throws(CaptureError) in
            events.send(invitation.prompt(in: language))
            let outcome: CaptureOutcome
            switch await firstCard(of: request, authorize) {
            case .chip(let result): outcome = try result.get()
            case .stripe(let card): return try await decided(card, request, authorize)
            case .fault(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            case .failed(let error): throw error
            }
            guard case .notPossible = outcome.decision, !outcome.requiresReversal, let fallback = outcome.fallback,
                let limit = limits.fallback, let stripe
            else { return outcome }
            return try await swipe(stripe, after: fallback, of: outcome.language, limit: limit, request, authorize)
                ?? outcome
        }
    }

    private func firstCard(of request: CaptureRequest, _ authorize: @escaping FirstCard.Authorize) async -> CardRace.End
    {
        let wait = FirstCard(
            of: request, chips: chips, stripe: stripe,
            judge: SwipeJudge(fallback: nil, decryption: decryption, asksForChip: true),
            limits: CardRace.Limits(card: limits.card, chip: limits.chip, standDown: limits.standDown), ask: ask)
        return await wait.end(authorize: authorize)
    }

    /// The payment by stripe after `fallback`; nil if no stripe came.
    ///
    /// - Parameter language: Of the chip's card; nil if it did not tell it.
    private func swipe(
        _ stripe: any MagstripeSlot, after fallback: Fallback, of language: MessageLanguage?, limit: Duration,
        _ request: CaptureRequest,
        _ authorize: @escaping FirstCard.Authorize
    ) async throws(CaptureError) -> CaptureOutcome? {
        let reason: CardholderRequest.Reason =
            switch fallback.reason {
            case .technical: .chipUnreadable
            case .emptyCandidateList: .noApplication
            }
        ask(CardholderRequest(instruction: .swipeInPlaceOfChip, reason: reason, language: language))
        let wait = FirstCard(
            of: request, chips: [:], stripe: stripe,
            judge: SwipeJudge(fallback: fallback, decryption: decryption, asksForChip: false),
            limits: CardRace.Limits(card: limit, chip: .zero, standDown: limits.standDown), language: language, ask: ask
        )
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

    private var ask: FirstCard.Ask {
        { [events, language] request in
            let language = request.language ?? language
            events.send(.instruction(request.instruction))
            events.send(.prompt(request.lines(in: language), says: ReaderEvent.Step(request.instruction, in: language)))
        }
    }
}

extension [String] {
    /// A device with several interfaces has one name.
    fileprivate var withoutRepetitions: [String] {
        enumerated().filter { !self[..<$0.offset].contains($0.element) }.map(\.element)
    }

    /// The names of a reader's parts: `A, B and C`.
    fileprivate var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " and " + last
    }
}
