import Bytes
import CardCapture
import EMVKernel
import MagneticStripe
import TLV

extension CapturedCard {
    /// The card of a transaction that the PIN pad runs; nil if it returns no PAN or expiry date in
    /// the clear.
    ///
    /// - Parameter isTap: Whether the card was held to the field.
    init?(miura elements: DataElements, isTap: Bool) {
        var pin: EncipheredPINBlock?
        if let block = elements[.miuraPINBlock], let serial = elements[.miuraPINKeySerial], block.count == 8, serial.count == 10 {
            pin = EncipheredPINBlock(format: .iso0, block: block, ksn: serial)
        }
        // POS entry mode 91 (ISO 8583): magnetic stripe data from the field.
        let tapMode = elements[.pointOfServiceEntryMode] == [0x91] ? EntryMode.contactlessStripe : .contactlessChip
        self.init(ownKernel: elements, entryMode: isTap ? tapMode : .chip, pin: pin)
    }

    /// A swipe, from the text of track 2 with `;` and `?`; nil if it is not a track.
    init?(miuraTrack2 characters: [UInt8]) {
        var characters = characters
        defer { wipe(&characters) }
        if characters.first == UInt8(ascii: ";") { characters.removeFirst() }
        if let end = characters.firstIndex(of: UInt8(ascii: "?")) { characters.removeSubrange(end...) }
        let text = TrackText(SecretBytes(characters), code: .numeric)
        guard let track = try? Track2(text), let expiry = track.expiry else { return nil }
        self.init(entryMode: .magneticStripe, pan: track.pan, expiry: expiry, track2: text.characters)
    }
}

extension DataElements {
    /// The state of card slot and stripe in a message (MPI API guide, CARD STATUS).
    var miuraCard: MiuraCardStatus? { self[.miuraCardStatus].flatMap { $0.count == 2 ? MiuraCardStatus(slot: $0[0], stripe: $0[1]) : nil } }
}

struct MiuraCardStatus: Equatable {
    let isPresent, isChip, isSwiped: Bool

    init(slot: UInt8, stripe: UInt8) {
        isPresent = slot & 0x01 != 0
        isChip = slot & 0x02 != 0
        isSwiped = stripe & 0x01 != 0
    }
}
