import SmartCard
private import Synchronization

/// One use of a reader at a time. A second one is refused at once instead of waiting where it
/// cannot be cancelled.
package final class ExclusiveUse: Sendable {
    private let isTaken = Mutex(false)

    package init() {}

    package static let captureRefusal = CaptureError.readerFailed(.busy)

    /// - Throws: `refusal` while another use is in progress.
    package func exclusively<Success, Failure: Error>(
        orElse refusal: Failure, _ use: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let isMine = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isMine else { throw refusal }
        defer { isTaken.withLock { $0 = false } }
        return try await use()
    }
}
