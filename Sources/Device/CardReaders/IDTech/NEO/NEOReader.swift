package import CardCapture
import DeviceIO
import SmartCard

/// A NEO reader that takes taps, which its own kernels decide, and swipes at the same time
/// (80139403-002, "Activate Transaction").
///
/// The reader must be configured with the terminal's applications and limits, and must return card
/// data in the clear. It has no keys for PINs: a card that requires an online PIN makes no payment.
/// Swipes that it enciphers go to the host as they are.
package struct NEOReader: CardReader {
    package static let capabilities: ReaderCapabilities = [.contactlessChip, .magneticStripe, .ownKernel]

    private let driver: NEOMagstripeReader
    private let claim = DeviceClaim()

    /// The maximum number of cards that are presented and cannot be read in one transaction.
    static let maximumPresentations = 5

    package init(_ driver: NEOMagstripeReader) { self.driver = driver }

    package var name: String { driver.name }
    package var capabilities: ReaderCapabilities { Self.capabilities }
    package var events: ReaderEvents { driver.events }

    package func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await claim.capture(request) { () async throws(CaptureError) in
            events.send(.prompt(["PRESENT OR SWIPE CARD"]))
            for _ in 0..<Self.maximumPresentations {
                if let outcome = try await outcome(of: present(for: request), request, authorize) { return outcome }
            }
            return CaptureOutcome(decision: .notPossible(.cardNotReadable), card: nil)
        }
    }

    private func present(for request: CaptureRequest) async throws(CaptureError) -> NEOPresentation {
        let presented = try await driver.perform { [events] device throws(DeviceError) in
            try device.nextCard(for: request) { events.send(.cardPresented(.contactless)) }
        }
        guard !Task.isCancelled else { throw .cancelled }
        return presented
    }

    /// - Returns: Nil if the card is to be presented again.
    private func outcome(
        of presented: NEOPresentation, _ request: CaptureRequest,
        _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome? {
        switch presented {
        case .swipe(let swipe):
            events.send(.swiped(readable: swipe.isReadable))
            guard swipe.isReadable else { return again(["SWIPE AGAIN"]) }
            switch CapturedCard.read(off: swipe, .magneticStripe) {
            case .success(let card): return await .decided(card, request, authorize)
            case .failure(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            }
        case .tap(.enciphered): throw .readerFailed(.cardDataEncrypted)
        case .tap(.failed(.communication, _)): return again(["PRESENT CARD AGAIN"])
        case .tap(.failed(.severalCards, _)): return again(["PRESENT ONE CARD ONLY"])
        case .tap(.failed(.otherInterface, let card)):
            return CaptureOutcome(decision: .notPossible(.tapNotPossible), card: card)
        case .tap(.failed(.declined, let card)): return CaptureOutcome(decision: .declinedOffline, card: card)
        case .tap(.failed(.other(let error), let card)):
            return CaptureOutcome(decision: .notPossible(.reader(.readerFailed(.driver(error)))), card: card)
        case .tap(.card(let card, let decision, let verification)):
            return try await decided(card, by: decision, verified: verification, for: request, authorize)
        }
    }

    private func again(_ prompt: [String]) -> CaptureOutcome? {
        events.send(.prompt(prompt))
        return nil
    }

    private func decided(
        _ card: CapturedCard?, by decision: NEOTap.Decision, verified verification: NEOTap.Verification,
        for request: CaptureRequest,
        _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        let signs = verification == .signature
        switch decision {
        case .declined: return CaptureOutcome(decision: .declinedOffline, card: card)
        case _ where verification == .onlinePIN:
            return CaptureOutcome(decision: .notPossible(.pinNotEntered), card: card)
        case .approved: return CaptureOutcome(decision: .approvedOffline, card: card, requiresSignature: signs)
        case .issuer:
            guard let card else { throw .cardDataMissing }
            var outcome = await CaptureOutcome.decided(card, request, authorize)
            outcome.requiresSignature = outcome.requiresSignature && signs
            return outcome
        }
    }
}
