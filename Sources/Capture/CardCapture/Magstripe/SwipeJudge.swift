import EMVKernel
import MagneticStripe
import TLV

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

extension CaptureOutcome {
    /// The outcome of the issuer's answer, for a card that cannot decide itself.
    package static func decided(
        _ card: CapturedCard, _ request: CaptureRequest, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async -> CaptureOutcome {
        switch await request.resolved(authorize(card)) {
        // If the terminal takes the payment offline, the cardholder signs for it as for any other
        // payment, unless a PIN was entered.
        case .unreachable:
            return CaptureOutcome(decision: .declinedOffline, card: card, requiresSignature: card.pin == nil)
        case .answered(let answer):
            let isApproved = request.responseCodes.approves(answer.responseCode)
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : .declinedOnline, card: card,
                requiresSignature: isApproved && card.pin == nil)
        }
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

extension CapturedCard {
    /// The card with its encrypted tracks, or data objects, decrypted; nil if `keys` do not decrypt
    /// them, or they are not those of a payment card.
    package func opened(by keys: SwipeDecryption) -> CapturedCard? {
        guard encryptedTracks?.template == nil else { return openedTemplate(by: keys) }
        guard let encryptedTracks, let swipe = try? keys.open(CapturedSwipe(encrypted: encryptedTracks)),
            case .success(var card) = CapturedCard.read(off: swipe, entryMode), card.pan != nil
        else { return nil }
        card.pin = pin
        card.fallbackReason = fallbackReason
        return card
    }

    private func openedTemplate(by keys: SwipeDecryption) -> CapturedCard? {
        guard let encryptedTracks, let template = try? keys.template(of: encryptedTracks) else { return nil }
        var opened = OpenedCard(template, elements: chip?.elements ?? DataElements(), entryMode: entryMode)
        defer { opened.wipe() }
        guard let pan = opened.pan else { return nil }
        var card = self
        card.pan = pan
        card.expiry = opened.expiry ?? expiry
        card.panSequenceNumber = opened.panSequenceNumber ?? panSequenceNumber
        card.cardholderName = opened.name ?? cardholderName
        (card.track1, card.track2) = (opened.track1, opened.track2)
        if chip != nil { card.chip = ChipData(elements: opened.elements) }
        card.encryptedTracks = nil
        return card
    }

    /// The card of a swipe: as the reader encrypts it, else with the number from track 2, else from
    /// track 1.
    package static func read(
        off swipe: CapturedSwipe, _ entryMode: EntryMode
    ) -> Result<CapturedCard, CaptureOutcome.MagstripeFault> {
        // What a reader shows beside its ciphertexts may be masked.
        if let encrypted = swipe.encrypted, !encrypted.isEmpty {
            return .success(
                CapturedCard(
                    entryMode: entryMode, pan: nil, expiry: encrypted.expiry, cardholderName: encrypted.cardholderName,
                    encryptedTracks: encrypted))
        }
        guard case .payment(let stripe) = swipe.tracks.content else { return .failure(.notPaymentCard) }
        guard stripe.contradictions.isEmpty else { return .failure(.contradiction) }
        let (track1, track2) = (try? stripe.track1?.get(), try? stripe.track2?.get())
        guard let pan = track2?.pan ?? track1?.pan else { return .failure(.notPaymentCard) }
        let name = track1?.name.text ?? ""
        return .success(
            CapturedCard(
                entryMode: entryMode, pan: pan, expiry: track2?.expiry ?? track1?.expiry,
                cardholderName: name.isEmpty ? nil : name,
                track1: swipe.tracks.track1.text?.characters, track2: swipe.tracks.track2.text?.characters))
    }
}
