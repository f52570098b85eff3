public import EMVKernel

/// A plain stripe reader as a ``CardReader``: it waits for a swipe, and the issuer decides.
///
/// Without keys, encrypted tracks are passed on unchanged, with their key serial number, for a host
/// that can decrypt them.
public struct MagstripeReader: CardReader {
    private let slot: any MagstripeSlot
    private let judge: SwipeJudge
    private let languages: [Language]

    /// The maximum number of swipes of a stripe that cannot be read.
    static let maximumSwipes = 3

    /// - Parameters:
    ///   - fallback: Why the chip could not be used, if the stripe is read in its place; nil if no
    ///     chip was tried.
    ///   - decryption: Keys for the data that the reader encrypts.
    ///   - asksForChip: Whether the stripe of a card with a chip (service codes 2xx and 6xx) is
    ///     refused, for terminals that have a chip reader. It is not refused after a fallback.
    ///   - languages: The terminal's, the local one first; of none, the prompts are in English.
    public init(
        slot: any MagstripeSlot, after fallback: Fallback? = nil, decryption: SwipeDecryption? = nil,
        asksForChip: Bool = false,
        languages: [Language] = []
    ) {
        self.slot = slot
        self.languages = languages
        judge = SwipeJudge(fallback: fallback, decryption: decryption, asksForChip: asksForChip)
    }

    public var name: String { slot.name }
    public var capabilities: ReaderCapabilities { slot.capabilities }
    public var events: ReaderEvents { slot.events }
    public var testOnlyReason: String? { judge.decryption?.testOnlyReason }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        let display = CardholderDisplay(events: events, languages: languages)
        if !slot.capabilities.contains(.display) { display.showText(.swipeCard) }
        for _ in 0..<Self.maximumSwipes {
            switch try judge.judge(try await slot.swipe()) {
            case .failure(.unreadable): display.instruct(.swipeAgain)
            case .failure(let fault): return CaptureOutcome(decision: .notPossible(.stripe(fault)), card: nil)
            case .success(let card):
                if Task.isCancelled { throw .cancelled }
                return await .decided(card, request, authorize)
            }
        }
        return CaptureOutcome(decision: .notPossible(.stripe(.unreadable)), card: nil)
    }
}
