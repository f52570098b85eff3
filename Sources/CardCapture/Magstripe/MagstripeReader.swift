public import EMVKernel

/// A plain stripe reader as a reader of cards: it waits for a swipe, and the issuer decides.
///
/// Without keys, tracks that the reader enciphers go on as they are, with their key serial number, for a host that can open them.
public struct MagstripeReader: CardReader {
    private let slot: any MagstripeSlot
    private let judge: SwipeJudge

    /// How often a stripe that cannot be read may be swiped.
    static let maximumSwipes = 3

    /// - Parameters:
    ///   - fallback: What the chip came to that the stripe is read instead of; nil if there was no chip before it.
    ///   - decryption: Keys for what the reader enciphers.
    ///   - asksForChip: Whether the stripe of a card with a chip (service codes 2xx and 6xx) is refused, for terminals that have a chip reader.
    ///     Not after a fallback.
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
            case .failure(.unreadable): continue
            case .failure(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            case .success(let card):
                if Task.isCancelled { throw .cancelled }
                return await .decided(card, request, authorize)
            }
        }
        return CaptureOutcome(decision: .notPossible(.stripe(.unreadable)), card: nil)
    }
}
