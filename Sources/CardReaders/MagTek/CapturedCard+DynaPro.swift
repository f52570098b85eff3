import Bytes
import CardCapture
import MagneticStripe
import TLV

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
        var opened = OpenedCard(template, elements: data.elements)
        defer { opened.wipe() }
        let hasChip = entryMode == .chip || entryMode == .contactlessChip
        self.init(
            entryMode: entryMode, pan: opened.pan, expiry: opened.expiry ?? data.encrypted.expiry,
            panSequenceNumber: opened.panSequenceNumber,
            cardholderName: opened.name, track1: opened.track1, track2: opened.track2,
            encryptedTracks: opened.pan == nil ? data.encrypted : nil, chip: hasChip ? ChipData(elements: opened.elements) : nil)
    }
}

/// The data objects of a decrypted card.
private struct OpenedCard {
    private var card = DataElements()
    private(set) var elements: DataElements
    private(set) var pan: SecretBytes?
    private(set) var expiry: String?
    private(set) var name: String?
    private(set) var track1: SecretBytes?
    private(set) var track2: SecretBytes?

    private static let track1Tag: Tag = 0xDFDF37
    private static let track2Tag: Tag = 0xDFDF39

    init(_ template: SecretBytes?, elements: DataElements) {
        self.elements = elements
        guard let template else { return }
        var bytes = template.revealed()
        defer { Bytes.wipe(&bytes) }
        var walker = TLVWalker()
        while let node = try? walker.next(in: bytes.span) {
            guard !node.tag.isConstructed else { continue }
            if Redaction.sensitiveTags.contains(node.tag) || node.tag.bytes.starts(with: [0xDF, 0xDF]) {
                card.append(node.tag, bytes[node.value])
            } else if !self.elements.contains(node.tag) {
                self.elements.append(node.tag, bytes[node.value])
            }
        }
        takeStripe()
        takeChip()
    }

    var panSequenceNumber: UInt8? { elements[.panSequenceNumber]?.first }

    mutating func wipe() { card.wipe() }

    private mutating func takeStripe() {
        let first = card[Self.track1Tag].flatMap { TrackReading(text: $0, on: .one).text }
        let second = card[Self.track2Tag].flatMap { TrackReading(text: $0, on: .two).text }
        let (one, two) = (first.flatMap { try? Track1($0) }, second.flatMap { try? Track2($0) })
        (track1, track2) = (first?.characters, second?.characters)
        pan = two?.pan ?? one?.pan
        expiry = two?.expiry ?? one?.expiry
        name = one?.name.text
    }

    private mutating func takeChip() {
        guard pan == nil else { return }
        if let equivalent = card[.track2EquivalentData] {
            let track = try? Track2(equivalentData: equivalent.span)
            track2 = SecretBytes(equivalent)
            pan = track?.pan
            expiry = track?.expiry
        }
        if pan == nil { pan = card[.applicationPAN].flatMap { BCD.digits($0) }.map { SecretBytes($0) } }
        if let date = card[.applicationExpirationDate], date.count == 3 { expiry = date.prefix(2).hex }
        name = name ?? card[.cardholderName].map(ValueDescription.printable)
    }
}
