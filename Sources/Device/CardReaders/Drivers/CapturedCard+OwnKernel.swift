import Bytes
import CardCapture
import EMVKernel
import MagneticStripe
import TLV

extension CapturedCard {
    /// The card of a transaction that a reader's own kernel runs; nil if the reader returns no PAN
    /// or expiry date in the clear.
    ///
    /// - Parameter elements: Data objects of EMV, and the reader's own, which have tags of three
    ///   bytes and stay here.
    init?(ownKernel elements: DataElements, entryMode: EntryMode, pin: EncipheredPINBlock? = nil) {
        let track = elements[.track2EquivalentData].flatMap { data in try? Track2(equivalentData: data.span) }
        let number = elements[.applicationPAN].flatMap { BCD.digits($0) }.map { SecretBytes($0) } ?? track?.pan
        let date =
            elements[.applicationExpirationDate].flatMap { $0.count == 3 ? $0.prefix(2).hex : nil } ?? track?.expiry
        guard let number, let date, (8...19).contains(number.count) else { return nil }
        var shareable = DataElements()
        for tag in elements.tags where !Redaction.sensitiveTags.contains(tag) && tag.length < 3 {
            shareable[tag] = elements[tag]
        }
        self.init(
            entryMode: entryMode, pan: number, expiry: date, panSequenceNumber: elements[.panSequenceNumber]?.first,
            cardholderName: elements[.cardholderName].map(ValueDescription.printable),
            track2: elements[.track2EquivalentData].map { SecretBytes($0) }, chip: ChipData(elements: shareable),
            pin: pin)
    }
}
