import Bytes
import CardCapture
import EMVKernel
import MagneticStripe
import SmartCard
import TLV

extension CapturedCard {
    /// The card of a transaction that the PIN pad runs; nil if it returns no PAN or expiry date in
    /// the clear.
    ///
    /// - Parameter isTap: Whether the card was held to the field.
    init?(miura elements: DataElements, isTap: Bool) {
        // POS entry mode 91 (ISO 8583): magnetic stripe data from the field.
        let tapMode = elements[.pointOfServiceEntryMode] == [0x91] ? EntryMode.contactlessStripe : .contactlessChip
        self.init(ownKernel: elements, entryMode: isTap ? tapMode : .chip, pin: EncipheredPINBlock(miura: elements))
    }
}

/// A swipe at the PIN pad (MPI API guide, CARD STATUS).
struct MiuraStripe: Sendable {
    var card: CapturedCard
    let serviceCode: ServiceCode?
    /// Track 2 as the PIN pad masks it, for the command that asks for the PIN; nil if it returned
    /// none.
    let maskedTrack2: [UInt8]?

    /// - Parameter characters: The text of track 2, with `;` and `?`.
    /// - Returns: Nil if it is not a track.
    init?(track2 characters: [UInt8], masked: [UInt8]?) {
        var characters = characters
        defer { wipe(&characters) }
        if characters.first == UInt8(ascii: ";") { characters.removeFirst() }
        if let end = characters.firstIndex(of: UInt8(ascii: "?")) { characters.removeSubrange(end...) }
        let text = TrackText(SecretBytes(characters), code: .numeric)
        guard let track = try? Track2(text), let expiry = track.expiry else { return nil }
        card = CapturedCard(entryMode: .magneticStripe, pan: track.pan, expiry: expiry, track2: text.characters)
        serviceCode = track.serviceCode
        maskedTrack2 = masked
    }

    /// Whether its cardholder must enter a PIN: the service code requires one (ISO/IEC 7813), and
    /// money is taken.
    func requiresPIN(for request: CaptureRequest) -> Bool {
        serviceCode?.pin == .required && request.amount > 0 && request.kind != .refund
    }
}

extension EncipheredPINBlock {
    /// A PIN that the cardholder entered for the issuer: nil without a block of format 0 and its
    /// key serial number.
    init?(miura elements: DataElements) {
        guard let block = elements[.miuraPINBlock], let serial = elements[.miuraPINKeySerial], block.count == 8,
            serial.count == 10
        else {
            return nil
        }
        self.init(format: .iso0, block: block, ksn: serial)
    }
}

/// How the entry of a PIN after a swipe ended (Miura's published library,
/// `processOnlinePinResult`).
enum MiuraPINEntry {
    case entered(EncipheredPINBlock)
    /// Cancelled at the PIN pad, no digit in its time limit, or left out by the cardholder.
    case leftOut
    case failed(ReaderFailure)

    init(_ answer: MiuraMessage) {
        switch (answer.body.count, answer.body.first) {
        case (1, 0x08), (1, 0x0C): self = .leftOut
        case (1, let code?): self = .failed(.driver(MiuraFailure.pinEntry(code: code)))
        default:
            let elements = (try? DataElements(parsing: answer.body)) ?? DataElements()
            if let pin = EncipheredPINBlock(miura: elements) {
                self = .entered(pin)
            } else {
                self = .failed(answer.isSuccess ? .invalidAnswer : .driver(MiuraFailure(status: answer.status)))
            }
        }
    }
}

extension DataElements {
    /// The state of card slot and stripe in a message (MPI API guide, CARD STATUS).
    var miuraCard: MiuraCardStatus? {
        self[.miuraCardStatus].flatMap { $0.count == 2 ? MiuraCardStatus(slot: $0[0], stripe: $0[1]) : nil }
    }
}

struct MiuraCardStatus: Equatable {
    let isPresent, isChip, isSwiped: Bool

    init(slot: UInt8, stripe: UInt8) {
        isPresent = slot & 0x01 != 0
        isChip = slot & 0x02 != 0
        isSwiped = stripe & 0x01 != 0
    }
}
