/// A device, or a driver with the kernel behind it, that turns a presented card into a ``CapturedCard`` and finishes the transaction with it.
///
/// The terminal does not know which kind it has: a plain chip reader under our kernel, or a reader that runs EMV itself.
public protocol CardReader: Sendable {
    /// What a person calls the reader: maker, model, serial number as far as known.
    var name: String { get }

    /// The interfaces and parts of the reader; the same for as long as it is open.
    var capabilities: ReaderCapabilities { get }

    /// What happens at the reader, for a screen. The capture does not depend on a listener.
    var events: ReaderEvents { get }

    /// Reads a card for `request`.
    ///
    /// If the card wants the issuer to decide, or if it cannot decide itself (a stripe), `authorize` is called once with the card as captured so far,
    /// and the card is finished with the answer.
    ///
    /// Cancelling the task cancels the capture in any of its waits: it then throws
    /// ``CaptureError/cancelled``, and the reader is ready for the next.
    func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome

    /// Why no cardholder's card may be read here, in words: keys for tests, cards that are programs. Nil, as the default has it, where one may.
    var testOnlyReason: String? { get }

    /// What the driver has learned of the device: more after ``ReaderEvent/connected``. Nil, as the default has it, for a driver that learns
    /// nothing.
    var identity: ReaderIdentity? { get }

    /// Asks for the state of the battery, which takes bounded time. Nil, as the default has it, for a reader without
    /// ``ReaderCapabilities/battery``.
    ///
    /// - Throws: ``CaptureError/readerFailed(_:)`` if the reader does not answer, or is in use.
    func battery() async throws(CaptureError) -> BatteryState?
}

extension CardReader {
    public var testOnlyReason: String? { nil }
    public var identity: ReaderIdentity? { nil }
    public func battery() async throws(CaptureError) -> BatteryState? { nil }
}
