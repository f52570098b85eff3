public import SmartCard

/// A place for a chip card: what a plain reader offers, without a kernel.
public protocol CardSlot: Sendable {
    /// The reader's name for display.
    var name: String { get }

    /// The interface of the slot, and the other parts of its reader.
    var capabilities: ReaderCapabilities { get }

    /// The events of the slot.
    var events: ReaderEvents { get }

    /// Waits for a card, powers it and opens a channel to it.
    func powerOn() async throws(CaptureError) -> any CardChannel

    /// Powers the card off; the cardholder may remove it.
    func powerOff() async

    /// Looks once whether the slot or the field is without a card. Called between transactions,
    /// after ``powerOff()``; the card is without power afterwards.
    ///
    /// ``ContactlessReader`` and ``ChipReader`` wait with it until the last card was removed.
    ///
    /// - Returns: True also for a slot that cannot look, which is the default.
    func isEmpty() async throws(CaptureError) -> Bool

    /// As in ``CardReader/testOnlyReason``.
    var testOnlyReason: String? { get }
}

extension CardSlot {
    public var testOnlyReason: String? { nil }
    public func isEmpty() async throws(CaptureError) -> Bool { true }
}
