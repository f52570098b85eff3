public import TLV

/// What a Visa card or phone does at a contactless reader: qVSDC, with the cryptogram in the answer
/// to GET PROCESSING OPTIONS (EMV Contactless Book C-3).
public struct VisaContactlessProfile: Sendable, Equatable {
    /// A way in which the card has its holder verified.
    public enum Verification: String, Sendable, CaseIterable { case consumerDevice, onlinePIN, signature }

    /// Tag `9F38`. It asks for what cryptogram and signature are made of.
    public var pdol = DOL.visaContactless
    /// Tag `82`. With DDA the card signs where it approves offline, or where TTQ asks for it online.
    public var interchangeProfile: ApplicationInterchangeProfile = [.ddaSupported]
    /// Tag `9F6C`, but for the bits that say what verifies the cardholder.
    public var qualifiers: CardTransactionQualifiers = []
    /// The first that the reader can do counts, where it wants one.
    public var verifications: [Verification] = [.onlinePIN, .signature]
    /// Approves offline up to this amount, in minor units of the transaction currency; nil for a
    /// card that always asks its issuer.
    public var approvesOfflineUpTo: UInt64?
    /// Tag `9F6E`, 4 bytes; nil leaves it out.
    public var formFactorIndicator: [UInt8]?
    /// Tag `9F5A`, 1 to 16 bytes; nil leaves it out.
    public var programIdentifier: [UInt8]?
    /// Nil for a card. A locked one answers SW `6986` until it is presented again.
    public var device: ContactlessProfile.Device?

    public init() {}
}

extension DOL {
    /// What Visa's contactless cards ask for: TTQ, then the data of a cryptogram.
    public static let visaContactless = DOL(
        entries: [Entry(.terminalTransactionQualifiers, 4)] + DOL.cryptogramInput.entries)
}

extension CardProfile {
    /// The profile with what is the contactless application's own in place of the contact one's:
    /// interchange profile and records.
    func applying(_ contactless: VisaContactlessProfile) -> CardProfile {
        var profile = self
        profile.interchangeProfile = contactless.interchangeProfile
        profile.pdol = contactless.pdol
        profile.fileLayout = CardFileLayout([
            .init(
                sfi: 2,
                [
                    [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder], [.issuerPublicKeyCertificate],
                    [.iccPublicKeyExponent, .iccPublicKeyRemainder], [.iccPublicKeyCertificate],
                ]),
            .init(
                sfi: 3,
                [
                    [
                        .applicationPAN, .applicationExpirationDate, .issuerCountryCode, .applicationUsageControl,
                        .staticDataAuthenticationTagList,
                    ]
                ], authenticated: 1),
        ])
        return profile
    }
}
