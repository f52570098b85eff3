import Bytes
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Mag-stripe mode: the card returns dynamic codes for its tracks, which go to the issuer (EMV
/// Contactless Book C-2, S7, S13 and S14).
extension Kernel2 {
    /// The parameters of a COMPUTE CRYPTOGRAPHIC CHECKSUM.
    struct ChecksumRequest {
        /// The values of the UDOL.
        let values: [UInt8]
        let track1: MagstripeTrack?
        let track2: MagstripeTrack
    }

    // MARK: Read tracks (S7)

    /// S7: the mandatory objects of the tracks, then COMPUTE CRYPTOGRAPHIC CHECKSUM by the UDOL
    /// (EMV Contactless Book C-2).
    mutating func requestChecksum() throws(Termination) -> ChecksumRequest {
        let track2 = try track2()
        let track1 = try track1()
        // Card data error: both tracks use the same unpredictable number.
        if let track1, track1.numberDigits != track2.numberDigits { throw .invalidData(.punatcTrack1) }
        data.card[.discretionaryDataTrack1] = track1?.discretionaryData
        data.card[.discretionaryDataTrack2] = track2.discretionaryData
        let list: DOL
        do throws(TLVError) { list = try DOL(parsing: data.card[.udol] ?? Self.defaultUDOL) } catch {
            throw .invalidData(.udol)
        }
        guard list.dataLength <= 252 else { throw .invalidData(.udol) }
        data.terminal[.unpredictableNumberNumeric] = unpredictableNumber(digits: track2.numberDigits)
        data.terminal[.magstripeVersionReader] = [0x00, 0x01]
        data.terminal[.mobileSupportIndicator] = [mobileSupport]
        data.terminal.update(with: activation.environment.values(for: .checksum))
        return ChecksumRequest(values: list.concatenate(data), track1: track1, track2: track2)
    }

    private static let defaultUDOL: [UInt8] = [0x9F, 0x6A, 0x04]

    private func value(_ tag: Tag) throws(Termination) -> [UInt8] {
        guard let value = data.card[tag] else { throw .missingData(tag) }
        return value
    }

    private func track2() throws(Termination) -> MagstripeTrack {
        let track = try value(.track2DataContactless)
        let positions = MagstripeTrack.Positions(
            code: try value(.pcvc3Track2), number: try value(.punatcTrack2), counterDigits: try value(.natcTrack2))
        guard let track = MagstripeTrack(track2: track, positions) else { throw .invalidData(.track2DataContactless) }
        return track
    }

    /// Nil for a card without track 1.
    private func track1() throws(Termination) -> MagstripeTrack? {
        guard let track = data.card[.track1Data] else { return nil }
        let positions = MagstripeTrack.Positions(
            code: try value(.pcvc3Track1), number: try value(.punatcTrack1), counterDigits: try value(.natcTrack1))
        guard let track = MagstripeTrack(track1: track, positions) else { throw .invalidData(.track1Data) }
        return track
    }

    /// As many digits as the track takes, with leading zeros (EMV Contactless Book C-2, S7).
    /// Because 32 bits exceed eight digits, the lower numbers are more likely by a fiftieth, which
    /// is too little to predict a number.
    private func unpredictableNumber(digits: Int) -> [UInt8] {
        let random = activation.environment.unpredictableNumber().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let limit = (0..<digits).reduce(UInt64(1)) { limit, _ in limit * 10 }
        return BCD.encode(random % limit, count: 4) ?? [0, 0, 0, 0]
    }

    /// Bit 1: extensions for mobile devices are supported; bit 2: the cardholder must be verified
    /// on the device.
    private var mobileSupport: UInt8 {
        guard configuration.supportsDeviceVerification else { return 0x00 }
        return verifiesOnDevice && isAboveVerificationLimit ? 0x03 : 0x01
    }

    // MARK: The card's codes (S13, S14)

    /// S13, and S14 for a card with DF4B (EMV Contactless Book C-2): the codes go into the tracks.
    mutating func takeChecksum(_ answer: ResponseAPDU, _ request: ChecksumRequest) throws(Termination)
        -> ContactlessOutcome
    {
        guard answer.status == .success else { throw .commandFailed(.computeCryptographicChecksum, answer.status) }
        let objects = try ResponseTemplate.parse(answer.data, of: .computeCryptographicChecksum) {
            _ throws(Termination) in
            throw Termination.malformedAnswer(.computeCryptographicChecksum, nil)
        }
        for tag in [Tag.applicationTransactionCounter, .cvc3Track1, .cvc3Track2, .cardholderInteraction] {
            data.card[tag] = objects[tag]
        }
        let counter = try number(.applicationTransactionCounter)
        let lacksCode = objects[.cvc3Track2] == nil || request.track1 != nil && objects[.cvc3Track1] == nil
        if lacksCode {
            guard objects.contains(.cardholderInteraction) else { throw .missingData(.cvc3Track2) }
            return declined()
        }
        let isVerified = isVerifiedOnDevice(objects[.cardholderInteraction])
        if verifiesOnDevice, isAboveVerificationLimit, !isVerified { throw .invalidData(.cardholderInteraction) }
        let sent = data.terminal[.unpredictableNumberNumeric] ?? []
        var (track1, track2) = (request.track1, request.track2)
        track2.fill(code: try number(.cvc3Track2), counter: counter, number: sent, isVerifiedOnDevice: isVerified)
        data.card[.track2DataContactless] = track2.encodedTrack2
        if track1 != nil {
            track1?.fill(code: try number(.cvc3Track1), counter: counter, number: sent, isVerifiedOnDevice: isVerified)
            data.card[.track1Data] = track1?.characters
        }
        failedChecksums.succeed()
        return onlineRequest(isVerifiedOnDevice: isVerified)
    }

    private func number(_ tag: Tag) throws(Termination) -> UInt16 {
        let value = try value(tag)
        guard value.count == 2 else { throw .invalidData(tag) }
        return UInt16(value[0]) << 8 | UInt16(value[1])
    }

    /// Bit 5 of byte 2 of the POS cardholder interaction information.
    private func isVerifiedOnDevice(_ interaction: [UInt8]?) -> Bool {
        guard verifiesOnDevice, let interaction, interaction.count == 3 else { return false }
        return interaction[1] & 0x10 != 0
    }

    /// A terminal cannot check a code, so every amount goes online.
    private func onlineRequest(isVerifiedOnDevice: Bool) -> ContactlessOutcome {
        guard !activation.terminal.type.isOfflineOnly else {
            var outcome = ContactlessOutcome(.declined, reason: .issuerNotReachable)
            outcome.onOutcome = UserInterfaceRequest(.notAuthorized, .cardReadSuccessfully, languages: languages)
            return outcome
        }
        var outcome = ContactlessOutcome(.onlineRequest)
        outcome.onOutcome = UserInterfaceRequest(.authorizing, .cardReadSuccessfully, languages: languages)
        let byLimit =
            isAboveVerificationLimit
            ? configuration.magstripeVerificationAboveLimit : configuration.magstripeVerificationBelowLimit
        outcome.verification = isVerifiedOnDevice ? .consumerDevice : byLimit
        outcome.wantsReceipt = outcome.verification == .signature || isAboveVerificationLimit
        outcome.data = data
        return outcome
    }
}

/// Data objects of mag-stripe mode (EMV Contactless Book C-2, annex A); some of their tags have
/// other meanings in other kernels.
extension Tag {
    fileprivate static let cvc3Track1: Tag = 0x9F60
    fileprivate static let cvc3Track2: Tag = 0x9F61
    fileprivate static let pcvc3Track1: Tag = 0x9F62
    fileprivate static let punatcTrack1: Tag = 0x9F63
    fileprivate static let natcTrack1: Tag = 0x9F64
    fileprivate static let pcvc3Track2: Tag = 0x9F65
    fileprivate static let punatcTrack2: Tag = 0x9F66
    fileprivate static let natcTrack2: Tag = 0x9F67
    fileprivate static let udol: Tag = 0x9F69
    fileprivate static let unpredictableNumberNumeric: Tag = 0x9F6A
    fileprivate static let magstripeVersionReader: Tag = 0x9F6D
    fileprivate static let mobileSupportIndicator: Tag = 0x9F7E
    fileprivate static let discretionaryDataTrack1: Tag = 0xDF812A
    fileprivate static let discretionaryDataTrack2: Tag = 0xDF812B
}
