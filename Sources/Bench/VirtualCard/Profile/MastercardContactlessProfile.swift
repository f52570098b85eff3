internal import Bytes
public import TLV

/// The contactless behaviour of a Mastercard card or phone (EMV Contactless Book C-2): EMV mode
/// with CDA, or mag-stripe mode with CVC3.
public struct MastercardContactlessProfile: Sendable, Equatable {
    public enum Mode: String, Sendable, CaseIterable {
        /// One GENERATE AC.
        case emv
        /// One COMPUTE CRYPTOGRAPHIC CHECKSUM.
        case magstripe
    }

    public var mode = Mode.emv
    /// Tag `9F38`; nil for a card without PDOL, or with one that asks for the operator of
    /// ``dataStorage``.
    public var pdol: DOL?
    /// Tag `8C`. It lists the data of cryptogram and signature.
    public var cdol1 = DOL.mastercardContactless
    /// Tag `82` without byte 2 and "verification on the device", which ``mode`` and ``device``
    /// determine.
    public var interchangeProfile: ApplicationInterchangeProfile = [
        .cdaSupported, .cardholderVerificationSupported, .terminalRiskManagement,
    ]
    /// Tag `8E`; nil leaves the object out.
    public var cvmList: CVMList? = .mastercardContactless
    /// Approves offline up to this amount, in minor units of the transaction currency; nil for a
    /// card that always goes online.
    public var approvesOfflineUpTo: UInt64?
    /// Tag `9F6E`, 5 to 32 bytes; nil leaves it out.
    public var thirdPartyData: [UInt8]?
    /// The positions of the digits of mag-stripe mode.
    public var positions = ChecksumPositions()
    /// Tag `9F51`: the card returns the answer to a GENERATE AC again, if the unpredictable number
    /// matches.
    public var recoversTornTransactions = false
    /// The remaining offline balance in minor units: tag `9F50`, read by GET DATA. Each TC reduces
    /// it, and the card returns no TC beyond it. Nil for a card without a balance.
    public var offlineBalance: UInt64?
    /// Nil for a card without data storage.
    public var dataStorage: DataStorage?
    /// Nil for a card without relay resistance.
    public var relayResistance: CardRelayResistance?
    /// Nil for a card.
    public var device: ContactlessProfile.Device?

    public init() {}

    /// Tag `9F5D`, version 1 of the application capabilities: the version of data storage, bits for
    /// a balance and for CDA over an AAC, the SDS scheme.
    var capabilities: [UInt8]? {
        guard offlineBalance != nil || dataStorage != nil else { return nil }
        let second: UInt8 = (offlineBalance == nil ? 0 : 0x02) | (dataStorage?.version == nil ? 0 : 0x01)
        return [0x10 | (dataStorage?.version?.rawValue ?? 0), second, dataStorage?.scheme ?? 0]
    }

    /// Tag `82` as returned by the card.
    public var completeInterchangeProfile: ApplicationInterchangeProfile {
        var complete = interchangeProfile
        if mode == .emv { complete.insert(.contactlessEMVMode) }
        if device != nil { complete.insert(.contactlessDeviceVerification) }
        if relayResistance != nil { complete.insert(.contactlessRelayResistance) }
        return complete
    }
}

/// The positions of a transaction's digits in the discretionary data of each track: bit n is the
/// nth character from the end (EMV Contactless Book C-2, annex A). The default is that of the
/// published personalisation in `Vectors/contactless/mastercard-cvc3.json`.
public struct ChecksumPositions: Sendable, Equatable {
    /// PCVC3, tags `9F62` and `9F65`.
    public var code: UInt16
    /// PUNATC, tags `9F63` and `9F66`.
    public var number: UInt16
    /// NATC, tags `9F64` and `9F67`: how many bits of ``number``, from the left, belong to the
    /// counter; the others, at most 8, belong to the unpredictable number.
    public var counterDigits: UInt8

    public init(code: UInt16 = 0x000E, number: UInt16 = 0x0E70, counterDigits: UInt8 = 3) {
        self.code = code
        self.number = number
        self.counterDigits = counterDigits
    }

    /// The positions of these digits, from the left: the distance of each from the last character.
    public var codePlaces: [Int] { Self.places(code) }
    /// As ``codePlaces`` for ``number``, those of the counter first.
    public var numberPlaces: [Int] { Self.places(number) }

    private static func places(_ map: UInt16) -> [Int] { (0..<16).reversed().filter { map >> $0 & 1 != 0 } }

    /// The minimum length of the discretionary data.
    var minimumLength: Int { (codePlaces + numberPlaces + [0]).reduce(0, max) + 1 }
}

extension DOL {
    /// The data of a cryptogram, then CVM results and terminal type.
    public static let mastercardContactless = DOL(
        entries: DOL.cryptogramInput.entries + [Entry(.cvmResults, 3), Entry(.terminalType, 1)])
}

extension CVMList {
    /// Online PIN, signature, none: the first that the terminal supports.
    public static let mastercardContactless = CVMList(
        rules: [CVMCode.onlinePIN, .signature, .noCVM].map {
            CVMRule(code: $0, continuesIfUnsuccessful: $0 != .noCVM, condition: .terminalSupportsCVM)
        })
}

extension ApplicationInterchangeProfile {
    /// AIP byte 2 bit 8 and byte 1 bit 2 (EMV Contactless Book C-2, annex A).
    static let contactlessEMVMode = Self(byte: 2, bit: 8)
    static let contactlessDeviceVerification = Self(byte: 1, bit: 2)
    /// AIP byte 2 bit 1, also for kernel 8.
    static let contactlessRelayResistance = Self(byte: 2, bit: 1)
}

extension CardProfile {
    /// Records as on Mastercard's cards: that of mag-stripe mode in file 1, signed data in file 2,
    /// keys in files 3 and 4.
    func applying(_ contactless: MastercardContactlessProfile) -> CardProfile {
        var profile = self
        profile.interchangeProfile = contactless.completeInterchangeProfile
        profile.pdol = contactless.effectivePDOL
        profile.cdol1 = contactless.cdol1
        profile.cvmList = contactless.cvmList
        let files: [CardFileLayout.File] =
            switch contactless.mode {
            case .magstripe: [.init(sfi: 1, [Array(CardFileLayout.magstripeTags)])]
            case .emv:
                [
                    .init(
                        sfi: 2,
                        [
                            [
                                .track2EquivalentData, .applicationPAN, .panSequenceNumber, .applicationExpirationDate,
                                .applicationEffectiveDate, .issuerCountryCode, .applicationUsageControl,
                                .applicationVersionNumberCard, .cdol1, .cvmList, .issuerActionCodeDenial,
                                .issuerActionCodeOnline, .issuerActionCodeDefault, .applicationCurrencyCode,
                                .drdol, .dsdol, .staticDataAuthenticationTagList,
                            ]
                        ], authenticated: 1),
                    .init(
                        sfi: 3,
                        [
                            [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder],
                            [.issuerPublicKeyCertificate],
                        ]),
                    .init(sfi: 4, [[.iccPublicKeyExponent, .iccPublicKeyRemainder], [.iccPublicKeyCertificate]]),
                ]
            }
        profile.fileLayout = CardFileLayout(files)
        return profile
    }

    /// The data objects of the record of mag-stripe mode (EMV Contactless Book C-2, annex A), with
    /// zeros at the positions of the digits; nil if the card number leaves no room for them.
    func magstripeObjects(_ positions: ChecksumPositions) -> [Tag: [UInt8]]? {
        let digits = account.pan.revealed()
        let date = account.expiry.prefix(2).flatMap { [$0 >> 4 | 0x30, $0 & 0x0F | 0x30] }
        let service = account.serviceCode
        let serviceDigits = [service / 100 % 10, service / 10 % 10, service % 10].map {
            UInt8(truncatingIfNeeded: $0) | 0x30
        }
        // Track 2 has 37 characters without sentinels.
        let count = 37 - digits.count - 1 - date.count - serviceDigits.count
        guard count >= positions.minimumLength else { return nil }
        let discretionary = [UInt8](repeating: 0x30, count: count)
        let nibbles = digits.map { $0 & 0x0F } + [0x0D] + (date + serviceDigits + discretionary).map { $0 & 0x0F }
        let padded = nibbles.count.isMultiple(of: 2) ? nibbles : nibbles + [0x0F]
        let track2 = stride(from: 0, to: padded.count, by: 2).map { (index: Int) -> UInt8 in
            padded[index] << 4 | padded[index + 1]
        }
        let track1 =
            [UInt8(ascii: "B")] + digits + [UInt8(ascii: "^")] + account.cardholderName.utf8 + [UInt8(ascii: "^")]
            + date + serviceDigits
            + discretionary
        let (code, number) = (positions.code.bigEndianBytes, positions.number.bigEndianBytes)
        return [
            .track2DataContactless: track2, .track1Data: track1,
            0x9F62: [0, 0, 0, 0] + code, 0x9F63: [0, 0, 0, 0] + number, 0x9F64: [positions.counterDigits], 0x9F65: code,
            0x9F66: number,
            0x9F67: [positions.counterDigits], 0x9F6C: [0x00, 0x01],
        ]
    }
}

extension CardFileLayout {
    /// Version, track 1 and 2, and the positions of both.
    static let magstripeTags: [Tag] = [
        0x9F6C, 0x9F62, 0x9F63, .track1Data, 0x9F64, 0x9F65, 0x9F66, .track2DataContactless, 0x9F67, .panSequenceNumber,
    ]
}
