public import CardCryptography

/// A card as it leaves the bench: everything on it that no transaction changes.
public struct PersonalizedCard: Sendable {
    /// What was asked for. The issuer verifies with its master key, cryptogram version, PAN and PAN sequence number.
    public let profile: CardProfile
    /// The CA key that a terminal must have, once for each RID of the card's applications.
    public let caPublicKeys: [CAPublicKey]

    let masterKeys: MasterKeySet
    let keys: CardKeys
    let files: CardFiles
    /// ``profile`` with what is the contactless application's own; nil without one.
    let contactlessProfile: CardProfile?
    /// The card's key for CVC3; nil for a card without mag-stripe mode.
    let checksumKey: CardKey?
    /// For kernel 8; nil for a card without it.
    let kernel8Keys: Kernel8Keys?
    /// The records of the contactless side; nil without one.
    let contactlessFiles: CardFiles?

    /// The CA key for the RID of the first application.
    public var caPublicKey: CAPublicKey { caPublicKeys[0] }

    /// For application cryptograms.
    var cardMasterKey: CardKey { masterKeys.applicationCryptogram }

    /// A card of `profile` on a bench of its own.
    public static func make(_ profile: CardProfile) throws(PersonalizationError) -> PersonalizedCard {
        try CardPersonalizer(profile.keySizes).personalize(profile)
    }
}
