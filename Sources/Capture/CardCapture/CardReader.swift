/// A device, or a driver with the kernel behind it, that turns a presented card into a
/// ``CapturedCard`` and finishes the transaction with it.
///
/// The terminal does not know which kind it has: a plain chip reader under our kernel, or a reader
/// that runs EMV itself.
public protocol CardReader: Sendable {
    /// The issuer's side of a capture: gets the card, gives the answer. It runs apart from its
    /// caller, and so has one type in every module, whatever features of the compiler that uses.
    typealias Authorize = @concurrent @Sendable (CapturedCard) async -> IssuerAnswer

    /// The reader's name for display: maker, model and serial number, as far as known.
    var name: String { get }

    /// The interfaces and parts of the reader. They do not change while it is open.
    var capabilities: ReaderCapabilities { get }

    /// The reader's events, for a screen. The capture does not depend on a listener.
    var events: ReaderEvents { get }

    /// Reads a card for `request`.
    ///
    /// If the card requests online authorization, or cannot decide itself (a stripe), `authorize`
    /// is called once with the card as captured so far. The answer then completes the transaction
    /// with the card.
    ///
    /// Cancelling the task cancels the capture in any of its waits. It then throws
    /// ``CaptureError/cancelled``, and the reader is ready for the next card.
    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome

    /// Why no cardholder's card may be read here, as text: test keys or virtual cards. Nil (the
    /// default) if cardholders' cards may be read.
    var testOnlyReason: String? { get }

    /// What the driver knows about the device: more after ``ReaderEvent/connected``. Nil (the
    /// default) if it knows nothing.
    var identity: ReaderIdentity? { get }

    /// Reads the state of the battery, in bounded time. Nil (the default) for a reader without
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
