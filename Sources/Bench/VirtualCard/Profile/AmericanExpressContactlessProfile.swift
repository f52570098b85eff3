public import TLV

/// The contactless behaviour of an American Express card or phone: EMV mode with one GENERATE AC.
///
/// It is made as a public capture of a phone and public readers' manuals show it; EMV Contactless
/// Book C-4 was not seen.
public struct AmericanExpressContactlessProfile: Sendable, Equatable {
    /// Tag `9F38`.
    public var pdol = DOL.americanExpressContactless
    /// Tag `8C`. It lists the data of cryptogram and signature.
    public var cdol1 = DOL.mastercardContactless
    /// Tag `82` without byte 2: EMV mode is always set there, "mobile" by ``device``. With CDA the
    /// card signs its cryptogram, with SDA its records are signed.
    public var interchangeProfile: ApplicationInterchangeProfile = [
        .cdaSupported, .cardholderVerificationSupported, .terminalRiskManagement,
    ]
    /// Tag `8E`; nil leaves the object out.
    public var cvmList: CVMList? = .mastercardContactless
    /// Approves offline up to this amount, in minor units of the transaction currency; nil for a
    /// card that always goes online.
    public var approvesOfflineUpTo: UInt64?
    /// Nil for a card. A verified device says so in its mobile CVM results, tag `9F71`; a locked
    /// one answers SW `6986` until it is presented again.
    public var device: ContactlessProfile.Device?

    public init() {}

    /// Tag `82` as returned by the card.
    var completeInterchangeProfile: ApplicationInterchangeProfile {
        var complete = interchangeProfile
        complete.insert(.contactlessEMVMode)
        if device != nil { complete.insert(.americanExpressMobile) }
        return complete
    }

    /// Tag `9F71`: on the device, not required by the terminal, successful.
    static let verifiedOnDevice: [UInt8] = [0x01, 0x00, 0x02]
}

extension DOL {
    /// The terminal's type, which also has the reader's capabilities, as in the public capture; and
    /// the reader's enhanced capabilities.
    public static let americanExpressContactless = DOL(entries: [
        Entry(.terminalType, 1), Entry(.formFactorIndicator, 4),
    ])
}

extension ApplicationInterchangeProfile {
    /// AIP byte 2 bit 7.
    static let americanExpressMobile = Self(byte: 2, bit: 7)
}

extension Tag {
    /// Mobile CVM results, kernel 4.
    static let mobileCVMResults: Tag = 0x9F71
}

extension CardProfile {
    /// The profile with the contactless application's values in place of the contact application's.
    func applying(_ contactless: AmericanExpressContactlessProfile) -> CardProfile {
        var profile = self
        profile.interchangeProfile = contactless.completeInterchangeProfile
        profile.pdol = contactless.pdol
        profile.cdol1 = contactless.cdol1
        profile.cvmList = contactless.cvmList
        profile.fileLayout = CardFileLayout([
            .init(
                sfi: 2,
                [
                    [
                        .track2EquivalentData, .applicationPAN, .panSequenceNumber, .applicationExpirationDate,
                        .applicationEffectiveDate, .issuerCountryCode, .applicationUsageControl,
                        .applicationVersionNumberCard, .cdol1, .cvmList, .issuerActionCodeDenial,
                        .issuerActionCodeOnline, .issuerActionCodeDefault, .applicationCurrencyCode,
                        .staticDataAuthenticationTagList,
                    ]
                ], authenticated: 1),
            .init(
                sfi: 3,
                [
                    [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder],
                    [.issuerPublicKeyCertificate],
                ]),
            .init(
                sfi: 4,
                contactless.interchangeProfile.contains(.cdaSupported)
                    ? [[.iccPublicKeyExponent, .iccPublicKeyRemainder], [.iccPublicKeyCertificate]]
                    : [[.signedStaticApplicationData]]),
        ])
        return profile
    }
}
