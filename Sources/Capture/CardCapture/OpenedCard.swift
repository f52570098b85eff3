package import Bytes
import MagneticStripe
package import TLV

/// The data objects of a card that a device with a kernel of its own encrypted together,
/// ``EncryptedTracks/template`` in the clear (DynaFlex family programmer's manual, table 4.52).
package struct OpenedCard {
    private let isContactlessStripe: Bool
    private var card = DataElements()
    package private(set) var elements: DataElements
    package private(set) var pan: SecretBytes?
    package private(set) var expiry: String?
    package private(set) var name: String?
    package private(set) var track1: SecretBytes?
    package private(set) var track2: SecretBytes?

    private static let track1Tag: Tag = 0xDFDF37
    private static let track2Tag: Tag = 0xDFDF39

    /// - Parameters:
    ///   - template: Nil if there were no keys.
    ///   - elements: What was not encrypted.
    ///   - entryMode: How the device read the card. A card in the field that returned the data of a
    ///     stripe has its track 2 as text. Which data object MagTek's devices return for it is not
    ///     known; `57` and `9F6B` are taken.
    package init(_ template: SecretBytes?, elements: DataElements, entryMode: CapturedCard.EntryMode) {
        self.elements = elements
        isContactlessStripe = entryMode == .contactlessStripe
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

    package var panSequenceNumber: UInt8? { elements[.panSequenceNumber]?.first }

    package mutating func wipe() { card.wipe() }

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
        if let equivalent = card[.track2EquivalentData] ?? (isContactlessStripe ? card[.track2DataContactless] : nil) {
            let track = try? Track2(equivalentData: equivalent.span)
            track2 = isContactlessStripe ? SecretBytes(track2: equivalent) : SecretBytes(equivalent)
            pan = track?.pan
            expiry = track?.expiry
        }
        if pan == nil { pan = card[.applicationPAN].flatMap { BCD.digits($0) }.map { SecretBytes($0) } }
        if let date = card[.applicationExpirationDate], date.count == 3 { expiry = date.prefix(2).hex }
        name = name ?? card[.cardholderName].map(ValueDescription.printable)
    }
}
