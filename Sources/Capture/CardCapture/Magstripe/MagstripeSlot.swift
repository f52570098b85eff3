/// A place where stripes are read. It returns swipes; a reader over it makes captured cards of
/// them.
public protocol MagstripeSlot: Sendable {
    /// The reader's name for display.
    var name: String { get }

    /// Always with ``ReaderCapabilities/magneticStripe``.
    var capabilities: ReaderCapabilities { get }

    /// The events of the reader.
    var events: ReaderEvents { get }

    /// Waits for the next swipe. A swipe before the call is ignored.
    ///
    /// - Throws: ``CaptureError/cancelled`` when the task is cancelled.
    func swipe() async throws(CaptureError) -> CapturedSwipe
}
