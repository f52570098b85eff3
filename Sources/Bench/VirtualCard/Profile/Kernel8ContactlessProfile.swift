internal import CardCryptography
public import TLV

/// The contactless behaviour of a card or phone by kernel 8 (EMV Contactless Books C-8 and E, as in
/// the only open implementation): a secure channel with its blinded key, encrypted records, one
/// GENERATE AC with a MAC over all exchanged data.
public struct Kernel8ContactlessProfile: Sendable, Equatable {
    /// A verification method of a card; a device verifies its owner itself.
    public enum Verification: String, Sendable, CaseIterable { case onlinePIN, signature }

    /// The curve of the channel and of the certificates.
    public enum Curve: String, Sendable, CaseIterable { case p256 = "P-256", p521 = "P-521" }

    public var curve = Curve.p256
    /// Tag `8C`, in a record that is not enciphered. It lists the data of the cryptogram, then the
    /// data for the card's decision.
    public var cdol1 = DOL.kernel8Contactless
    /// AIP byte 1 bit 1.
    public var authenticatesLocally = true
    /// If the CVM limit is exceeded, the first that the reader supports is used.
    public var verifications: [Verification] = [.onlinePIN, .signature]
    /// Approves offline up to this amount, in minor units of the transaction currency; nil for a
    /// card that always goes online.
    public var approvesOfflineUpTo: UInt64?
    /// Whether READ RECORD answers with template `DA`, except for the record of CDOL1.
    public var enciphersRecords = true
    /// Nil for a card without relay resistance.
    public var relayResistance: CardRelayResistance?
    /// The contents of the ten data envelopes, by number. Missing ones cannot be read; all can be
    /// written.
    public var envelopes: [UInt8: [UInt8]] = [:]
    /// Whether data envelopes can be written before GENERATE AC, too.
    package var writesBeforeCryptogram = false
    /// The offset of the IAD-MAC, tag `9F8107`; nil for the reader's default.
    public var macOffset: UInt8?
    /// Tag `9F8108`, 2 to 5 bytes, if the card declines; nil leaves it out.
    public var restart: [UInt8]?
    /// Nil for a card. A locked device declines and requests to be presented again.
    public var device: ContactlessProfile.Device?

    public init() {}

    /// Tag `9F38`: kernel qualifier and kernel key data.
    public var pdol: DOL {
        DOL(entries: [.init(.kernelQualifier, 8), .init(.kernelKeyData, 2 * suite.curve.fieldCount)])
    }

    var suite: EnciphermentSuite { curve == .p256 ? .p256 : .p521 }
    var signatureSuite: SignatureSuite { curve == .p256 ? .p256 : .p521 }

    /// Tag `9F2C`: version 2, and the curve of the channel.
    var qualifier: [UInt8] { [0x02, suite.rawValue, 0xFF, 0xFF, 0x00, 0x00, 0x00] }

    /// Tag `82`.
    var interchangeProfile: ApplicationInterchangeProfile {
        let first: UInt8 = authenticatesLocally ? 0x01 : 0x00
        let second: UInt8 =
            (relayResistance == nil ? 0x00 : 0x01) | (macOffset == nil ? 0x02 : 0x04)
            | (approvesOfflineUpTo == nil ? 0x00 : 0x08)
        return ApplicationInterchangeProfile(rawValue: UInt64(first) << 8 | UInt64(second))
    }

    /// The file of the lists of data objects, which are no secrets: a terminal finds CDOL1 without
    /// the channel.
    static let plainFile: UInt8 = 5

    /// The offset of the IAD-MAC in the issuer application data.
    var effectiveMACOffset: Int { Int(macOffset ?? 24) }
}

extension DOL {
    /// The data of a cryptogram, then terminal capabilities and terminal risk management data.
    public static let kernel8Contactless = DOL(
        entries: DOL.cryptogramInput.entries + [Entry(.terminalCapabilities, 3), Entry(.terminalRiskManagementData, 8)])
}

extension CardProfile {
    /// Records of kernel 8: signed data in file 2, certificates in files 3 and 4, CDOL1 in file 5.
    func applying(_ contactless: Kernel8ContactlessProfile) -> CardProfile {
        var profile = self
        profile.interchangeProfile = contactless.interchangeProfile
        profile.pdol = contactless.pdol
        profile.cdol1 = contactless.cdol1
        profile.fileLayout = CardFileLayout([
            .init(
                sfi: 2,
                [
                    [
                        .track2EquivalentData, .applicationPAN, .panSequenceNumber, .applicationExpirationDate,
                        .applicationEffectiveDate, .issuerCountryCode, .applicationUsageControl,
                        .applicationVersionNumberCard, .extendedSDATagList,
                    ]
                ], authenticated: 1),
            .init(sfi: 3, [[.caPublicKeyIndexCard, .issuerPublicKeyCertificate]]),
            .init(sfi: 4, [[.iccPublicKeyCertificate]]),
            .init(sfi: Kernel8ContactlessProfile.plainFile, [[.cdol1]], authenticated: 1),
        ])
        return profile
    }
}
