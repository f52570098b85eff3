import Bytes
package import CardCapture
package import DeviceIO
import MagneticStripe
import TLV

/// The card data of an online request, in the format that MagTek calls DynaPro: length (2 bytes),
/// template `F9`, padding, a MAC of four bytes (DynaFlex family programmer's manual, "EMV ARQC
/// (DynaPro Format) Type"; eDynamo programmer's manual D998200115, appendix D.1).
///
/// The MAC is not checked: only the party that decrypts the data has its key.
package struct DynaProCardData: Sendable {
    package enum Fallback: UInt8, Sendable {
        case none = 0x00
        case technical = 0x01
        case emptyCandidateList = 0x81
    }

    package enum CardType: UInt8, Sendable {
        case other = 0x00
        case stripe = 0x01
        case license = 0x02
        case manualEntry = 0x03
        case unknown = 0x04
        case contactChip = 0x05
        case contactlessChip = 0x06
        /// A stripe whose service code indicates a chip.
        case stripeOfChipCard = 0x07
        case contactlessStripe = 0x08
    }

    /// Tag `DFDF25`.
    package let serialNumber: [UInt8]
    package let fallback: Fallback
    package private(set) var cardType: CardType
    package let encrypted: EncryptedTracks
    /// The data objects that are not encrypted, without MagTek's own.
    let elements: DataElements

    private static let serialNumberTag: Tag = 0xDFDF25
    private static let fallbackTag: Tag = 0xDFDF53
    private static let cardTypeTag: Tag = 0xDFDF52
    private static let maskedTags: [Tag] = [0xDFDF33, 0xDFDF4D]
    private static let ciphertextTag: Tag = 0xDFDF59
    private static let ksnTag: Tag = 0xDFDF56
    private static let encryptionTag: Tag = 0xDFDF57

    /// - Parameter payload: The payload of the notification. Newer firmware wraps the data in `84`.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if the data are truncated, or the ciphertext is
    ///   missing or not whole blocks.
    package init(parsing payload: [UInt8]) throws(DeviceError) {
        let blob = try Self.unwrapped(payload)
        guard blob.count >= 2 else { throw .malformed(.dynaProCardData, .invalid) }
        let count = Int(blob[0]) << 8 | Int(blob[1])
        guard blob.count >= 2 + count else { throw .malformed(.dynaProCardData, .truncated) }
        let bytes = Array(blob[2..<(2 + count)])
        var values: [Tag: [UInt8]] = [:]
        var elements = DataElements()
        var walker = TLVWalker()
        do throws(TLVError) {
            while let node = try walker.next(in: bytes.span) {
                guard !node.tag.isConstructed else { continue }
                if node.tag.rawValue > 0xFF_FFFF || node.tag.bytes.starts(with: [0xDF, 0xDF]) {
                    if values[node.tag] == nil { values[node.tag] = Array(bytes[node.value]) }
                } else if !Redaction.sensitiveTags.contains(node.tag) {
                    elements.append(node.tag, bytes[node.value])
                }
            }
        } catch {
            throw .malformed(.dynaProCardData, .invalid)
        }
        guard let ciphertext = values[Self.ciphertextTag], let ksn = values[Self.ksnTag],
            let type = values[Self.encryptionTag]?.first,
            !ciphertext.isEmpty
        else { throw .malformed(.dynaProCiphertext, .missing) }
        let cipher: EncryptedTracks.Cipher = type & 0x30 == 0 ? .tdes : .aes
        guard type & 0x80 != 0, ciphertext.count.isMultiple(of: cipher == .tdes ? 8 : 16) else {
            throw .malformed(.dynaProCardData, .invalid)
        }

        self.elements = elements
        serialNumber = values[Self.serialNumberTag] ?? []
        fallback = values[Self.fallbackTag]?.first.flatMap { Fallback(rawValue: $0) } ?? .none
        cardType = values[Self.cardTypeTag]?.first.flatMap { CardType(rawValue: $0) } ?? .unknown
        var encrypted = EncryptedTracks(
            cipher: cipher, keyUse: type & 0x0F == 0x01 || type & 0x0F == 0x07 ? .pinVariant : .dataVariant, ksn: ksn,
            ciphertexts: [:],
            template: ciphertext, serialNumber: serialNumber.isEmpty ? nil : serialNumber.hex)
        if let masked = Self.maskedTags.lazy.compactMap({ values[$0] }).first(where: { $0.first == UInt8(ascii: ";") })
        {
            encrypted.masked[.two] = MaskedTrack.text(masked[...], .two)
        }
        self.encrypted = encrypted
    }

    /// The data with the card type of the interface where the device reported a card, if they do
    /// not contain a type of their own.
    func presented(at interface: ReaderEvent.CardInterface?) -> Self {
        guard let interface, cardType == .unknown else { return self }
        var data = self
        data.cardType = interface == .contact ? .contactChip : .contactlessChip
        return data
    }

    private static func unwrapped(_ payload: [UInt8]) throws(DeviceError) -> [UInt8] {
        guard payload.first == 0x84 else { return payload }
        var walker = TLVWalker()
        do throws(TLVError) {
            guard let node = try walker.next(in: payload.span) else { return payload }
            return Array(payload[node.value])
        } catch {
            throw .malformed(.dynaProCardData, .truncated)
        }
    }
}

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
            encryptedTracks: opened.pan == nil ? data.encrypted : nil,
            chip: hasChip ? ChipData(elements: opened.elements) : nil)
    }
}
