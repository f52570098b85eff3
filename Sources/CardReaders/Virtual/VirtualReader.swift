public import CardCapture
public import SmartCard

/// A slot for cards that are programs: the virtual card, a recorded one, a faulty one.
public actor VirtualReader: CardSlot {
    public nonisolated let name: String
    public nonisolated let capabilities: ReaderCapabilities
    public nonisolated let events = ReaderEvents()
    public nonisolated var testOnlyReason: String? { "its cards are virtual" }
    private let interface: ReaderEvent.CardInterface
    private var card: (any CardChannel)?

    /// - Parameter interface: A contactless slot has a field in place of contacts.
    public init(
        name: String = "Virtual reader", card: (any CardChannel)? = nil, interface: ReaderEvent.CardInterface = .contact
    ) {
        self.name = name
        self.interface = interface
        capabilities = [interface == .contact ? .contactChip : .contactlessChip, .cardEvents]
        self.card = card
    }

    /// Puts a card into the slot, in place of one that is there, and reports it.
    public func insert(_ card: any CardChannel) {
        self.card = card
        events.send(.cardPresented(interface))
    }

    /// Takes the card out of the slot and reports it; the next ``powerOn()`` finds none.
    public func remove() {
        card = nil
        events.send(.cardRemoved(interface))
    }

    public func powerOn() async throws(CaptureError) -> any CardChannel {
        guard let card else { throw .noCardPresented }
        // It has forgotten its last session since the power went.
        await (card as? any RemovableCard)?.reset()
        return ProcedureByteHandling(card)
    }

    public func powerOff() async {}
}
