/// A place where stripes are read. It yields swipes; a reader over it makes payments of them.
public protocol MagstripeSlot: Sendable {
    /// What a person calls the reader.
    var name: String { get }

    /// Always with ``ReaderCapabilities/magneticStripe``.
    var capabilities: ReaderCapabilities { get }

    /// What happens at the reader.
    var events: ReaderEvents { get }

    /// Waits for the next swipe. One that was drawn before the call does not count.
    ///
    /// - Throws: ``CaptureError/cancelled`` when the task is cancelled.
    func swipe() async throws(CaptureError) -> CapturedSwipe
}
