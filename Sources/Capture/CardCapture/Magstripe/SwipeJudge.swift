import EMVKernel
import MagneticStripe

/// Decides whether a swipe can be used for a payment.
struct SwipeJudge: Sendable {
    /// Why the chip could not be used, if the stripe is read in its place; nil if no chip was
    /// tried.
    let fallback: Fallback?
    let decryption: SwipeDecryption?
    /// Whether the stripe of a card with a chip is refused. It is not refused after a fallback.
    let asksForChip: Bool

    /// The card of the swipe, decrypted if there are keys.
    ///
    /// - Throws: ``CaptureError/swipeDecryption(_:)`` if the keys do not decrypt it.
    func judge(_ swipe: CapturedSwipe) throws(CaptureError) -> Result<CapturedCard, CaptureOutcome.MagstripeFault> {
        guard swipe.isReadable else { return .failure(.unreadable) }
        let opened: CapturedSwipe
        do throws(SwipeDecryptionError) {
            opened = try decryption?.open(swipe) ?? swipe
        } catch {
            throw .swipeDecryption(error)
        }
        if asksForChip, fallback == nil, opened.namesChip == true { return .failure(.chip) }
        return CapturedCard.read(off: opened, entryMode(opened)).map { card in
            var card = card
            card.fallbackReason = opened.namesChip == false ? nil : fallback?.reason
            return card
        }
    }

    /// The entry mode is fallback only for stripes that indicate a chip (EMV 4.4 Book 4, 6.6.2),
    /// and for stripes whose service code cannot be read.
    private func entryMode(_ swipe: CapturedSwipe) -> CapturedCard.EntryMode {
        guard let fallback, swipe.namesChip != false else { return .magneticStripe }
        return CapturedCard.EntryMode(fallback)
    }
}

extension CapturedSwipe {
    /// Whether the service code says that the card has a chip (`2xx` and `6xx`); nil if no service
    /// code can be read.
    fileprivate var namesChip: Bool? {
        guard encrypted?.isEmpty != false, case .payment(let stripe) = tracks.content else { return nil }
        let code = (try? stripe.track2?.get())?.serviceCode ?? (try? stripe.track1?.get())?.serviceCode
        return code?.hasChip
    }
}
