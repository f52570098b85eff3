public import CardCapture
public import SmartCard

/// A slot for cards in software: virtual, recorded or faulty cards.
public actor VirtualReader: CardSlot {
    public nonisolated let name: String
    public nonisolated let capabilities: ReaderCapabilities
    public nonisolated let events = ReaderEvents()
    public nonisolated var testOnlyReason: String? { "its cards are virtual" }
    private let interface: ReaderEvent.CardInterface
    private let waitsForCard: Bool
    private var card: (any CardChannel)?
    /// Whether several cards were found at the last presentation. Whoever holds them takes them
    /// away.
    private var hasCollided = false

    /// - Parameters:
    ///   - interface: A contactless slot has a field in place of contacts.
    ///   - waitsForCard: Whether an empty slot waits until ``insert(_:)``, as a real one does, or
    ///     fails at once.
    public init(
        name: String = "Virtual reader", card: (any CardChannel)? = nil,
        interface: ReaderEvent.CardInterface = .contact,
        waitsForCard: Bool = false
    ) {
        self.name = name
        self.waitsForCard = waitsForCard
        self.interface = interface
        capabilities = [interface == .contact ? .contactChip : .contactlessChip, .cardEvents]
        self.card = card
    }

    /// Inserts a card, replacing the current one, and reports it.
    public func insert(_ card: any CardChannel) {
        self.card = card
        events.send(.cardPresented(interface))
    }

    /// Removes the card and reports it; the next ``powerOn()`` finds none.
    public func remove() {
        card = nil
        events.send(.cardRemoved(interface))
    }

    public func powerOn() async throws(CaptureError) -> any CardChannel {
        let card = try await presentedCard()
        hasCollided = false
        if interface == .contactless, await (card as? any AccompaniedCard)?.isAccompanied() == true {
            hasCollided = true
            throw .severalCards
        }
        // A card loses its session state without power.
        await (card as? any RemovableCard)?.reset()
        return ProcedureByteHandling(card)
    }

    private func presentedCard() async throws(CaptureError) -> any CardChannel {
        // Subscribes before it checks the slot, so that no insertion is missed.
        let arrivals = events.stream()
        while card == nil, waitsForCard {
            for await event in arrivals where event == .cardPresented(interface) { break }
            if Task.isCancelled { throw .cancelled }
        }
        guard let card else { throw .noCardPresented }
        return card
    }

    public func powerOff() async {}

    /// Whether its card was removed. The card of a slot that does not wait for one counts as
    /// presented again with each transaction.
    public func isEmpty() async throws(CaptureError) -> Bool { !waitsForCard || hasCollided || card == nil }
}
