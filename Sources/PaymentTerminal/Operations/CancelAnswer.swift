/// The answer to a request to cancel.
public enum CancelAnswer: String, Sendable {
    /// The operation has ended, and nothing was charged.
    case cancelled
    /// The operation is being ended: the reader still has to stand down.
    case cancelling
    /// The host has been asked and its answer is awaited, or the operation is about to end by itself: its result counts. A payment can then be reversed.
    case notAllowed
    /// No operation was in progress.
    case nothingToCancel
}
