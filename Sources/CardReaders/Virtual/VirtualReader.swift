public import CardCapture
public import SmartCard

/// A slot for cards that are programs: the virtual card, a recorded one, a faulty one.
public actor VirtualReader: CardSlot {
    public nonisolated let name: String
    public nonisolated let capabilities: ReaderCapabilities = [.contactChip, .cardEvents]
    public nonisolated let events = ReaderEvents()
    public nonisolated var testOnlyReason: String? { "its cards are virtual" }
    private var card: (any CardChannel)?

    public init(name: String = "Virtual reader", card: (any CardChannel)? = nil) {
        self.name = name
        self.card = card
    }

    public func insert(_ card: any CardChannel) {
        self.card = card
        events.send(.cardPresented(.contact))
    }

    public func remove() {
        card = nil
        events.send(.cardRemoved(.contact))
    }

    public func powerOn() async throws(CaptureError) -> any CardChannel {
        guard let card else { throw .noCardPresented }
        // It has forgotten its last session since the power went.
        await (card as? any RemovableCard)?.reset()
        return ProcedureByteHandling(card)
    }

    public func powerOff() async {}
}
