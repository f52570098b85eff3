public import SmartCard

/// A place for a chip card: what a plain reader offers, before any kernel.
public protocol CardSlot: Sendable {
    /// What a person calls the reader.
    var name: String { get }

    /// The interface of the slot, and what else the reader around it has.
    var capabilities: ReaderCapabilities { get }

    /// What happens at the slot.
    var events: ReaderEvents { get }

    /// Waits for a card, powers it and opens a channel to it.
    func powerOn() async throws(CaptureError) -> any CardChannel

    /// Takes the power from the card; the cardholder may remove it.
    func powerOff() async

    /// As in ``CardReader/testOnlyReason``.
    var testOnlyReason: String? { get }
}

extension CardSlot {
    public var testOnlyReason: String? { nil }
}
