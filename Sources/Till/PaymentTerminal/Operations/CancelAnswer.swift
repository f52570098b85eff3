/// The answer to a request to cancel.
public enum CancelAnswer: String, Sendable {
    /// The operation has ended, and nothing was charged.
    case cancelled
    /// The operation is ending: the reader is still being stopped.
    case cancelling
    /// The host has been asked, or the operation is about to end by itself: its result is valid. A
    /// payment can then be reversed.
    case notAllowed
    /// No operation was in progress.
    case nothingToCancel
}
