package import CardCapture

/// A reader before which nobody presents a card until the task is cancelled.
package struct PatientReader: CardReader {
    package let name = "Patient reader"
    package let capabilities: ReaderCapabilities = .contactChip
    package let events = ReaderEvents()
    package let isWaiting = AsyncStream.makeStream(of: Void.self)
    /// Whether it cancels on request.
    package var standsDown = true
    /// The card that is put in just as the task is cancelled, so that the host is asked too late;
    /// nil for none.
    package var lateCard: CapturedCard?

    package init(lateCard: CapturedCard? = nil) { self.lateCard = lateCard }

    package func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        isWaiting.continuation.yield()
        if !standsDown { await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        // Ends when the task is cancelled.
        for await _ in AsyncStream.makeStream(of: Void.self).stream {}
        guard let lateCard else { throw .cancelled }
        _ = await authorize(lateCard)
        return CaptureOutcome(decision: .declinedOffline, card: lateCard)
    }
}
