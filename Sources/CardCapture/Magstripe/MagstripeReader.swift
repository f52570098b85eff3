public import EMVKernel

/// A plain stripe reader as a ``CardReader``: it waits for a swipe, and the issuer decides.
///
/// Without keys, encrypted tracks are passed on unchanged, with their key serial number, for a host
/// that can decrypt them.
public struct MagstripeReader: CardReader {
    private let slot: any MagstripeSlot
    private let judge: SwipeJudge

    /// The maximum number of swipes of a stripe that cannot be read.
    static let maximumSwipes = 3

    /// - Parameters:
    ///   - fallback: Why the chip could not be used, if the stripe is read in its place; nil if no
    ///     chip was tried.
    ///   - decryption: Keys for the data that the reader encrypts.
    ///   - asksForChip: Whether the stripe of a card with a chip (service codes 2xx and 6xx) is
    ///     refused, for terminals that have a chip reader. It is not refused after a fallback.
    public init(
        slot: any MagstripeSlot, after fallback: Fallback? = nil, decryption: SwipeDecryption? = nil, asksForChip: Bool = false
    ) {
        self.slot = slot
        judge = SwipeJudge(fallback: fallback, decryption: decryption, asksForChip: asksForChip)
    }

    public var name: String { slot.name }
    public var capabilities: ReaderCapabilities { slot.capabilities }
    public var events: ReaderEvents { slot.events }
    public var testOnlyReason: String? { judge.decryption?.testOnlyReason }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        for _ in 0..<Self.maximumSwipes {
            switch try judge.judge(try await slot.swipe()) {
            case .failure(.unreadable): events.send(.instruction(.swipeAgain))
            case .failure(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            case .success(let card):
                if Task.isCancelled { throw .cancelled }
                return await .decided(card, request, authorize)
            }
        }
        return CaptureOutcome(decision: .notPossible(.stripe(.unreadable)), card: nil)
    }
}
