public import Bytes
public import EMVKernel
public import TLV

/// A card as the terminal captured it, from any interface.
///
/// The central type of the library: readers, APDUs and tracks produce it; payments and hosts use
/// it. A chip card read by our kernel, one read by a reader with a kernel of its own, and a swiped
/// one all result in this type.
public struct CapturedCard: Sendable {
    /// How the card was read (ISO 8583:1987, field 22, first two digits).
    public enum EntryMode: String, Sendable, Codable, CaseIterable {
        /// Typed in by the operator or read by a camera, without a card.
        case keyed = "01"
        /// Contact chip.
        case chip = "05"
        /// Contactless chip, with EMV data.
        case contactlessChip = "07"
        /// Magnetic stripe after the chip of a chip card could not be used.
        case stripeFallback = "80"
        /// Magnetic stripe, except after a failed chip (``stripeFallback``).
        case magneticStripe = "90"
        /// Contactless card that returned the data of a magnetic stripe.
        case contactlessStripe = "91"

        /// The entry mode of a stripe that is read after `fallback`.
        public init(_ fallback: Fallback) {
            switch fallback.entryMode {
            case .magneticStripe: self = .magneticStripe
            case .stripeAfterChip: self = .stripeFallback
            }
        }
    }

    /// How the card was read. It decides which of the properties below are present.
    public var entryMode: EntryMode
    /// Why the stripe was read in place of the chip; nil if it was not.
    public var fallbackReason: Fallback.Reason?
    /// ASCII digits, 8 to 19 of them; nil where the reader returns only ``encryptedTracks``.
    public var pan: SecretBytes?
    /// YYMM, four ASCII digits; nil where the reader hides it, or the stripe leaves it out.
    public var expiry: String?
    /// Nil if the card has none; 00 then replaces it where a number is required (EMV 4.4 Book 2,
    /// annex A1.4).
    public var panSequenceNumber: UInt8?
    /// Tag `5F20` or the name on track 1, as text; nil where
    /// the card has no name or the reader hides it.
    public var cardholderName: String?
    /// Track 1 of a stripe: ASCII, without sentinels.
    public var track1: SecretBytes?
    /// Track 2 of a stripe (ASCII, without sentinels), or its equivalent from the chip (tag `57`
    /// unchanged).
    public var track2: SecretBytes?
    /// The data of a reader that encrypts them, for the holder of its keys. ``maskedPAN`` has the
    /// digits that the reader shows.
    public var encryptedTracks: EncryptedTracks?
    /// The data objects of the EMV transaction; nil for stripes and keyed cards.
    public var chip: ChipData?
    /// The PIN for the issuer; nil unless the cardholder entered one for online verification.
    public var pin: EncipheredPINBlock?

    /// A card as a reader returns it: what the interface does not provide is nil.
    public init(
        entryMode: EntryMode, pan: SecretBytes?, expiry: String?, panSequenceNumber: UInt8? = nil,
        cardholderName: String? = nil,
        track1: SecretBytes? = nil, track2: SecretBytes? = nil, encryptedTracks: EncryptedTracks? = nil,
        chip: ChipData? = nil,
        pin: EncipheredPINBlock? = nil, fallbackReason: Fallback.Reason? = nil
    ) {
        self.entryMode = entryMode
        self.fallbackReason = fallbackReason
        self.pan = pan
        self.expiry = expiry
        self.panSequenceNumber = panSequenceNumber
        self.cardholderName = cardholderName
        self.track1 = track1
        self.track2 = track2
        self.encryptedTracks = encryptedTracks
        self.chip = chip
        self.pin = pin
    }

    /// The PAN with all but its first six and last four digits hidden, or as much of it as the
    /// reader shows; empty if it shows nothing.
    public var maskedPAN: String {
        guard var digits = pan?.revealed() else { return encryptedTracks?.maskedPAN ?? "" }
        defer { wipe(&digits) }
        return Redaction.maskedPAN(digits)
    }
}

extension CapturedCard: CustomStringConvertible, CustomReflectable {
    public var description: String { maskedPAN.isEmpty ? "\(entryMode)" : "\(entryMode), \(maskedPAN)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What an EMV transaction adds: the data of ISO 8583 field 55 and of the receipt.
public struct ChipData: Sendable {
    /// The data objects of card and terminal that the transaction has collected so far, without
    /// PAN, track and name.
    public var elements: DataElements

    /// `elements` are the data objects without PAN, track and name:
    /// ``EMVKernel/TransactionData/shareable``.
    public init(elements: DataElements) { self.elements = elements }

    /// The application identifier: tag `84`, or `9F06` where the card lacks it: 5 to 16 bytes;
    /// empty if no application was selected.
    public var aid: [UInt8] { elements[.dfName] ?? elements[.applicationIdentifierTerminal] ?? [] }

    /// Application label in ASCII, or the AID where the card has no label.
    public var label: String { elements[.applicationLabel].map(ValueDescription.printable) ?? aid.hex }

    /// The issuer's own name for the application, from the part of ISO/IEC 8859 that the card names
    /// (EMV 4.4 Book 1, 12.4); nil without both.
    public var preferredName: String? {
        guard let name = elements[.applicationPreferredName], !name.isEmpty,
            let table = elements[.issuerCodeTableIndex]?.first.flatMap({ CodeTable(index: $0) })
        else { return nil }
        return table.text(name)
    }

    /// The data objects for a message to the acquirer, BER-TLV coded: ISO 8583 field 55 (EMV 4.4
    /// Book 4, 12.1).
    ///
    /// Without the PAN and the track, which have fields of their own.
    public func field55(for message: HostMessage) -> [UInt8] { message.field55(elements) }
}

/// A PIN as a PIN pad returns it: enciphered, with what the host needs to decrypt it.
public struct EncipheredPINBlock: Sendable {
    /// ISO 9564-1 format of the block before encipherment.
    public enum Format: Int, Sendable {
        /// PIN and card number combined, filled up with `F`: 8 bytes, TDES.
        case iso0 = 0
        /// As format 0, filled up with random digits from `A` to `F`: 8 bytes, TDES.
        case iso3 = 3
        /// PIN block bound to the card number by two encipherments: 16 bytes, AES.
        case iso4 = 4

        init(_ format: OnlinePIN.Format) {
            switch format {
            case .iso0: self = .iso0
            case .iso3: self = .iso3
            case .iso4: self = .iso4
            }
        }
    }

    /// Tells the host how to decrypt ``block``.
    public let format: Format
    /// 8 bytes under TDES (formats 0 and 3), 16 under AES (format 4).
    public let block: [UInt8]
    /// Key serial number of the DUKPT key: 10 bytes under TDES, 12 under AES.
    public let ksn: [UInt8]

    /// A block as the PIN pad enciphered it; nothing is checked here.
    public init(format: Format, block: [UInt8], ksn: [UInt8]) {
        self.format = format
        self.block = block
        self.ksn = ksn
    }
}
