import Bytes
package import CardCapture
package import DeviceIO
import EMVKernel
import MagneticStripe
import SmartCard
import TLV

/// What was presented to a NEO reader.
package enum NEOPresentation: Sendable {
    case swipe(CapturedSwipe)
    case tap(NEOTap)
}

/// The reader's result of a card in its field (80139403-002, "Activate Transaction").
package enum NEOTap: Sendable {
    /// Who decides about the payment.
    package enum Decision: Sendable {
        case approved
        case issuer
        case declined
    }

    /// How the cardholder is verified, tag `DF52`.
    package enum Verification: UInt8, Sendable {
        case none = 0
        case signature = 1
        case onlinePIN = 2
        case device = 3
    }

    case card(CapturedCard?, Decision, Verification)
    /// The reader enciphers the card's data.
    case enciphered
    case failed(NEOTapFailure, CapturedCard?)
}

/// Why a tap was not completed (80139403-002, "Error Codes").
package enum NEOTapFailure: Sendable {
    /// The card left, or could not be understood: it may be presented again.
    case communication
    case severalCards
    /// The card, or the amount, is not for the field.
    case otherInterface
    /// The card or the reader's kernel declines.
    case declined
    case other(NEOErrorCode)

    init(code: UInt8) {
        switch code {
        case 0x20, 0x24, 0x30: self = .communication
        case 0x21: self = .severalCards
        case 0x22, 0x25, 0x27: self = .otherInterface
        // Expired; AAC; ARQC at a reader that is offline only; data authentication failed.
        case 0x26, 0x42...0x44, 0x50...0x54: self = .declined
        default: self = .other(NEOErrorCode(code: code))
        }
    }
}

/// An error code of the field without a meaning for the payment (80139403-002, "Error Codes").
package struct NEOErrorCode: DriverError {
    let code: UInt8

    package var description: String {
        "the reader could not complete the tap, error \([code].hex): look it up in the reader's guide"
    }
}

extension NEOResponse {
    /// The attribution byte, the first of the data (80139403-002, "Attribution").
    private var attribution: UInt8 { data.first ?? 0 }

    /// Whether the data are those of a stripe. A failure without data objects is one of the stripe:
    /// the field names its error.
    var isSwipe: Bool { attribution & 0x18 == 0x08 || status == .failed && !objects.contains(.neoTapError) }

    /// Whether a card in the field returned the data of a stripe.
    fileprivate var isContactlessStripe: Bool { attribution & 0x19 == 0x11 }

    fileprivate var isEnciphered: Bool { objects.contains(.neoKeySerial) }

    /// The data objects after the attribution byte, those of the maker's groups and of the clearing
    /// record included; as many as are well-formed.
    fileprivate var objects: DataElements {
        let bytes = Array(data.dropFirst())
        var (walker, objects) = (TLVWalker(), DataElements())
        while let node = try? walker.next(in: bytes.span) {
            if node.tag == .neoGroup || node.tag == .neoClearingRecord { continue }
            // Others with the bit of a template hold text or codes.
            walker.skipContents(of: node)
            objects[node.tag] = Array(bytes[node.value])
        }
        return objects
    }
}

extension NEOTap {
    /// - Throws: ``DeviceError/malformed(_:_:)`` for an answer that says neither card nor error.
    package init(_ answer: NEOResponse) throws(DeviceError) {
        guard !answer.isEnciphered else {
            self = .enciphered
            return
        }
        let objects = answer.objects
        if answer.status == .failed {
            guard let code = objects[.neoTapError]?.first else { throw .malformed(.neoDataObject, .truncated) }
            self = .failed(NEOTapFailure(code: code), CapturedCard(ownKernel: objects, entryMode: .contactlessChip))
            return
        }
        let verification = Verification(rawValue: objects[.neoVerification]?.first ?? 0) ?? .none
        if answer.isContactlessStripe {
            self = .card(CapturedCard(contactlessStripe: objects), .issuer, verification)
            return
        }
        self = .card(
            CapturedCard(ownKernel: objects, entryMode: .contactlessChip),
            Decision(objects[.cryptogramInformationData]?.first, isOnlineRequired: answer.status == .onlineRequired),
            verification)
    }
}

extension NEOTap.Decision {
    /// Only a TC is an approval: without the cryptogram's type the issuer decides.
    ///
    /// - Parameter information: Tag `9F27`.
    fileprivate init(_ information: UInt8?, isOnlineRequired: Bool) {
        switch information.map({ $0 & 0xC0 }) {
        case 0x40 where !isOnlineRequired: self = .approved
        case 0x00: self = .declined
        default: self = .issuer
        }
    }
}

extension CapturedCard {
    /// A card in the field that returned the data of a stripe; nil without a track of a payment
    /// card.
    fileprivate init?(contactlessStripe objects: DataElements) {
        func reading(_ tags: [Tag], _ track: TrackNumber, _ sentinel: UInt8) -> TrackReading {
            guard var text = tags.lazy.compactMap({ objects[$0] }).first(where: { !$0.isEmpty }) else { return .blank }
            defer { wipe(&text) }
            if text.first != sentinel { text.insert(sentinel, at: 0) }
            if !text.contains(UInt8(ascii: "?")) { text.append(UInt8(ascii: "?")) }
            return TrackReading(text: text, on: track)
        }
        let swipe = Swipe(
            track1: reading([.neoNewTrack1, .neoTrack1], .one, UInt8(ascii: "%")),
            track2: reading([.neoNewTrack2, .neoTrack2], .two, UInt8(ascii: ";")))
        guard case .success(let card) = CapturedCard.read(off: CapturedSwipe(tracks: swipe), .contactlessStripe) else {
            return nil
        }
        self = card
    }
}
