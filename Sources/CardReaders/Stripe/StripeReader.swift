public import EMVKernel
import MagneticStripe

/// A plain stripe reader as a reader of cards: it waits for a swipe, and the issuer decides.
///
/// Without keys, tracks that the reader enciphers go on as they are, with their key serial number, for a host that can open them.
public struct StripeReader: CardReader {
    private let slot: any StripeSlot
    private let entryMode: CapturedCard.EntryMode
    private let decryption: SwipeDecryption?
    private let asksForChip: Bool

    /// How often a stripe that cannot be read may be swiped.
    static let mostSwipes = 3

    /// - Parameters:
    ///   - fallback: What the chip came to that the stripe is read instead of; nil if there was no chip before it.
    ///   - decryption: Keys for what the reader enciphers.
    ///   - asksForChip: Whether the stripe of a card with a chip (service codes 2xx and 6xx) is refused, for terminals that have a chip reader.
    ///     Not after a fallback.
    public init(
        slot: any StripeSlot, after fallback: Fallback? = nil, decryption: SwipeDecryption? = nil, asksForChip: Bool = false
    ) {
        self.slot = slot
        entryMode = fallback.map { CapturedCard.EntryMode($0) } ?? .magneticStripe
        self.decryption = decryption
        self.asksForChip = asksForChip && fallback == nil
    }

    public var name: String { slot.name }
    public var capabilities: ReaderCapabilities { slot.capabilities }
    public var events: ReaderEvents { slot.events }

    public func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        let card: CapturedCard
        switch try await readableSwipe() {
        case .success(let swipe):
            switch CapturedCard.read(off: swipe, entryMode) {
            case .success(let read): card = read
            case .failure(let fault): return fault.outcome
            }
            if asksForChip, swipe.namesChip { return SwipeFault.chip.outcome }
        case .failure(let fault): return fault.outcome
        }
        if Task.isCancelled { throw .cancelled }
        switch await authorize(card) {
        case .unreachable: return CaptureOutcome(decision: .declinedOffline, card: card)
        case .answered(let answer):
            let isApproved = request.responseCodes.approves(answer.responseCode)
            return CaptureOutcome(decision: isApproved ? .approvedOnline : .declinedOnline, card: card, signatureWanted: isApproved)
        }
    }

    /// A swipe that can be read, opened if there are keys.
    private func readableSwipe() async throws(CaptureError) -> Result<CapturedSwipe, SwipeFault> {
        for _ in 0..<Self.mostSwipes {
            let swipe = try await slot.swipe()
            guard swipe.isReadable else { continue }
            guard let decryption else { return .success(swipe) }
            do throws(SwipeDecryptionError) {
                return .success(try decryption.open(swipe))
            } catch {
                throw .failed(error.description)
            }
        }
        return .failure(.unreadable)
    }
}

/// Why no payment came of a swipe.
private enum SwipeFault: Error {
    case unreadable, noPaymentCard, contradiction, chip

    var outcome: CaptureOutcome { CaptureOutcome(decision: .notPossible(words), card: nil) }

    private var words: String {
        switch self {
        case .unreadable: "the stripe could not be read: try another card"
        case .noPaymentCard: "this is no payment card: swipe another one"
        case .contradiction: "the tracks of the stripe contradict each other: do not take this card"
        case .chip: "the card has a chip: insert it"
        }
    }
}

extension CapturedSwipe {
    /// Whether the service code says that the card has a chip.
    fileprivate var namesChip: Bool {
        guard case .payment(let stripe) = tracks.content else { return false }
        let code = (try? stripe.track2?.get())?.serviceCode ?? (try? stripe.track1?.get())?.serviceCode
        return code?.hasChip ?? false
    }
}

extension CapturedCard {
    /// The card of a swipe: the number from track 2, or from track 1 where track 2 is not to be had; or what the reader shows of it.
    fileprivate static func read(off swipe: CapturedSwipe, _ entryMode: EntryMode) -> Result<CapturedCard, SwipeFault> {
        guard case .payment(let stripe) = swipe.tracks.content else {
            guard let encrypted = swipe.encrypted, !encrypted.isEmpty else { return .failure(.noPaymentCard) }
            return .success(
                CapturedCard(
                    entryMode: entryMode, pan: nil, expiry: encrypted.expiry, cardholderName: encrypted.cardholderName,
                    encryptedTracks: encrypted))
        }
        guard stripe.contradictions.isEmpty else { return .failure(.contradiction) }
        let (track1, track2) = (try? stripe.track1?.get(), try? stripe.track2?.get())
        guard let pan = track2?.pan ?? track1?.pan else { return .failure(.noPaymentCard) }
        let name = track1?.name.text ?? ""
        return .success(
            CapturedCard(
                entryMode: entryMode, pan: pan, expiry: track2?.expiry ?? track1?.expiry, cardholderName: name.isEmpty ? nil : name,
                track1: swipe.tracks.track1.text?.characters, track2: swipe.tracks.track2.text?.characters,
                encryptedTracks: swipe.encrypted))
    }
}
