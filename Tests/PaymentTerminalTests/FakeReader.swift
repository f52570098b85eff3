import CardCapture
import EMVKernel
import PaymentTerminal
import Synchronization

/// A reader whose card does what the test says: asks the host or not, and then decides.
final class FakeReader: CardReader {
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()
    let name = "Fake reader 1"
    let testOnlyReason: String?
    private let card: CapturedCard
    private let asksHost: Bool
    private let decide: @Sendable (IssuerAnswer?) throws(CaptureError) -> CaptureOutcome
    private let captured = Mutex<[CaptureRequest]>([])

    init(
        _ card: CapturedCard, asksHost: Bool = true, testOnlyReason: String? = nil,
        decide: @escaping @Sendable (IssuerAnswer?) throws(CaptureError) -> CaptureOutcome
    ) {
        self.card = card
        self.asksHost = asksHost
        self.testOnlyReason = testOnlyReason
        self.decide = decide
    }

    /// A reader whose card takes the host's decision, and declines without one.
    convenience init(obedient card: CapturedCard) {
        self.init(card) { answer throws(CaptureError) in
            switch answer {
            case .answered(let answer):
                CaptureOutcome(decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: card)
            case .unreachable, nil: CaptureOutcome(decision: .declinedOffline, card: card)
            }
        }
    }

    var requests: [CaptureRequest] { captured.withLock { $0 } }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        captured.withLock { $0.append(request) }
        var answer = asksHost ? await authorize(card) : nil
        if case .answered(var referral) = answer, request.responseCodes.referral.contains(referral.responseCode),
            case .approved = await request.resolveReferral?()
        {
            // The card is finished as after an approval.
            referral.responseCode = "00"
            answer = .answered(referral)
        }
        return try decide(answer)
    }
}
