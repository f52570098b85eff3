package import CardCapture

/// A reader with a card in it, which leaves the decision to the host.
package struct PresentedCardReader: CardReader {
    package let card: CapturedCard
    package let name = "Reader 1"
    package let capabilities: ReaderCapabilities
    package let events = ReaderEvents()

    package init(_ card: CapturedCard, capabilities: ReaderCapabilities = .magneticStripe) {
        self.card = card
        self.capabilities = capabilities
    }

    package func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        guard case .answered(let answer) = await authorize(card) else {
            return CaptureOutcome(decision: .declinedOffline, card: card)
        }
        return CaptureOutcome(decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: card)
    }
}
