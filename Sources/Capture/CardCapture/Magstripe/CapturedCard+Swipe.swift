import EMVKernel
import MagneticStripe
import TLV

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
