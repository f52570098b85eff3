import Bytes
import CardCapture

extension CapturedCard {
    /// - Parameter template: The plaintext, if there were keys: template `FC` with the card's data
    ///   objects, and the tracks of a stripe in `F4` (DynaFlex family programmer's manual, table
    ///   4.52).
    init(_ data: DynaProCardData, opened template: SecretBytes? = nil) {
        let entryMode: EntryMode =
            switch (data.cardType, data.fallback) {
            case (.contactChip, _): .chip
            case (.contactlessChip, _): .contactlessChip
            case (.contactlessStripe, _): .contactlessStripe
            case (.manualEntry, _): .keyed
            case (_, .technical): .stripeFallback
            default: .magneticStripe
            }
        var opened = OpenedCard(template, elements: data.elements, entryMode: entryMode)
        defer { opened.wipe() }
        let hasChip = entryMode == .chip || entryMode == .contactlessChip
        self.init(
            entryMode: entryMode, pan: opened.pan, expiry: opened.expiry ?? data.encrypted.expiry,
            panSequenceNumber: opened.panSequenceNumber,
            cardholderName: opened.name, track1: opened.track1, track2: opened.track2,
            encryptedTracks: opened.pan == nil ? data.encrypted : nil, chip: hasChip ? ChipData(elements: opened.elements) : nil)
    }
}
