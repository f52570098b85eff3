import CardCapture
internal import DeviceIO
internal import SmartCard
private import Synchronization

/// Allows one use of a device at a time. It is checked before the device's thread, which the
/// previous use may block.
final class DeviceClaim: Sendable {
    private let use = ExclusiveUse()
    private let running = Mutex<Cancellation?>(nil)

    static let captureRefusal = ExclusiveUse.captureRefusal
    static let channelRefusal = CardChannelError.readerFailed(.busy)

    /// - Throws: `refusal` while another use is in progress.
    func exclusively<Success, Failure: Error>(
        orElse refusal: Failure, _ body: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await use.exclusively(orElse: refusal, body)
    }

    /// Runs a step of the current use on the device's thread, until it ends, ``cancel()`` is
    /// called, or the task is cancelled.
    ///
    /// - Parameter endsWithTask: False for a step that must be completed even if the task is
    ///   cancelled.
    func step<Success, Failure: Error>(
        endsWithTask: Bool = true, _ step: (Cancellation) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        guard endsWithTask else { return try await run(Cancellation(), step) }
        return try await DeviceThread.cancellable { cancellation async throws(Failure) in
            try await self.run(cancellation, step)
        }
    }

    /// A use with one step.
    func perform<Success, Failure: Error>(
        orElse refusal: Failure, endsWithTask: Bool = true, _ step: (Cancellation) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await exclusively(orElse: refusal) { () async throws(Failure) in
            try await self.step(endsWithTask: endsWithTask, step)
        }
    }

    /// A capture by a device with a kernel of its own. It checks that the device can take the
    /// amount, and accepts an offline approval only if it is allowed.
    func capture(
        _ request: CaptureRequest, _ transaction: () async throws(CaptureError) -> CaptureOutcome
    ) async throws(CaptureError) -> CaptureOutcome {
        try request.checkAmounts()
        return try await exclusively(orElse: Self.captureRefusal, transaction).approvedOfflineOnly(for: request)
    }

    /// Ends the running step, if there is one.
    func cancel() { running.withLock { $0 }?.cancel() }

    private func run<Success, Failure: Error>(
        _ cancellation: Cancellation, _ step: (Cancellation) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        running.withLock { $0 = cancellation }
        defer { running.withLock { $0 = nil } }
        return try await step(cancellation)
    }
}
