public import CardCryptography

/// A personalized card: everything that transactions do not change.
public struct PersonalizedCard: Sendable {
    /// The profile of the card. The issuer verifies with its master key, cryptogram version, PAN
    /// and PAN sequence number.
    public let profile: CardProfile
    /// The CA key that a terminal must have, once for each RID of the card's applications.
    public let caPublicKeys: [CAPublicKey]

    /// The elliptic curve keys among ``caPublicKeys`` as self-signed certificates (EMV 4.4 Book 2,
    /// 11.2.1), in their order.
    package let caCertificates: [[UInt8]]

    let masterKeys: MasterKeySet
    let keys: CardKeys
    let files: CardFiles
    /// ``profile`` with the contactless application's values; nil without a contactless
    /// application.
    let contactlessProfile: CardProfile?
    /// The card's key for CVC3; nil for a card without mag-stripe mode.
    let checksumKey: CardKey?
    /// The keys for kernel 8; nil for a card without it.
    let kernel8Keys: Kernel8Keys?
    /// The records of the contactless application; nil without one.
    let contactlessFiles: CardFiles?

    /// The CA key for the RID of the first application.
    public var caPublicKey: CAPublicKey { caPublicKeys[0] }

    /// For application cryptograms.
    var cardMasterKey: CardKey { masterKeys.applicationCryptogram }

    /// A card of `profile`, with its own certification authority.
    public static func make(_ profile: CardProfile) throws(PersonalizationError) -> PersonalizedCard {
        try CardPersonalizer(profile.keySizes).personalize(profile)
    }

    /// A card of `profile` under an authority that there is already.
    package static func make(_ profile: CardProfile, under authority: CardAuthority) throws(PersonalizationError)
        -> PersonalizedCard
    {
        try CardPersonalizer(authority).personalize(profile)
    }
}
