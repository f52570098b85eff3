import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import TLV

extension TestIssuer {
    /// The results of the checks of a card that do not depend on its earlier transactions.
    struct Examination {
        enum Chip {
            /// The request has no chip data.
            case absent
            case unknownIssuer
            case wrongCryptogram
            case rightCryptogram(CryptogramExchange)
            /// The track of mag-stripe mode; nil if it has no room for the digits.
            case track(TrackCode?)
        }

        let pan: SecretBytes
        let panSequenceNumber: UInt8
        let chip: Chip
        /// The response code for a wrong PIN; nil if it is correct, or if no PIN was entered.
        let pinFault: ResponseCode?

        /// The last counter with which a card is taken for one that began again. More than one,
        /// since its first transactions may have ended without the issuer.
        static let firstCounters = 4 as UInt16

        /// Tag `9F26`, if it is correct; nil for a track.
        var cryptogram: [UInt8]? { if case .rightCryptogram(let exchange) = chip { exchange.cryptogram } else { nil } }

        /// Whether this is one of a card's first transactions, although later ones are known. Not
        /// that of a track, whose code does not cover all of it, nor one with a TC, which may be a
        /// payment that the card has approved.
        func beginsAgain(after last: UInt16) -> Bool {
            guard case .rightCryptogram(let exchange) = chip, exchange.isRequest else { return false }
            return exchange.atc <= last && exchange.atc <= Self.firstCounters
        }
    }

    /// - Parameter chipData: ISO 8583 field 55, nil for a stripe.
    func examine(_ card: CapturedCard, pan: SecretBytes, chipData: [UInt8]?, amount: Money) -> Examination {
        let profile = profile(for: pan)
        let chip =
            card.entryMode == .contactlessStripe
            ? Self.track(card, profile: profile)
            : Self.chip(
                chipData, amount: amount, pan: pan, isContactless: card.entryMode == .contactlessChip, profile: profile)
        return Examination(
            pan: pan, panSequenceNumber: card.panSequenceNumber ?? 0, chip: chip,
            pinFault: card.pin.flatMap {
                OnlinePIN.fault($0, pan: pan, baseDerivationKey: pinKey, expected: profile?.pin)
            })
    }

    private static func track(_ card: CapturedCard, profile: IssuerProfile?) -> Examination.Chip {
        guard let profile else { return .unknownIssuer }
        guard let track = card.track2 else { return .track(nil) }
        let masterKey = profile.masterKeys.applicationCryptogram
        if profile.hasDynamicVerificationValue {
            return .track(TrackVerificationValue(track: track, masterKey: masterKey).map(TrackCode.verificationValue))
        }
        guard let positions = profile.checksumPositions else { return .track(nil) }
        return .track(
            TrackChecksum(
                track: track, panSequenceNumber: card.panSequenceNumber, positions: positions, masterKey: masterKey
            )
            .map(TrackCode.checksum))
    }

    private static func chip(
        _ data: [UInt8]?, amount: Money, pan: SecretBytes, isContactless: Bool, profile: IssuerProfile?
    ) -> Examination.Chip {
        guard let data else { return .absent }
        guard let profile else { return .unknownIssuer }
        guard let elements = try? DataElements(parsing: data),
            let exchange = CryptogramExchange(
                elements, amount: amount, pan: pan, isContactless: isContactless, profile: profile),
            exchange.isValid
        else { return .wrongCryptogram }
        return .rightCryptogram(exchange)
    }
}

/// The code that a card in mag-stripe mode put into its track for one transaction.
enum TrackCode {
    case checksum(TrackChecksum)
    case verificationValue(TrackVerificationValue)

    /// The counter of the transaction; nil if the code is wrong.
    ///
    /// - Parameter last: The counter of the card's last transaction that was accepted.
    func counter(after last: UInt16?) -> UInt16? {
        switch self {
        case .checksum(let checksum): checksum.counter(after: last)
        case .verificationValue(let value): value.counter(after: last)
        }
    }
}
