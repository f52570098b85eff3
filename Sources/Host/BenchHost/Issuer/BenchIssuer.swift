private import Bytes
public import CardCryptography
public import VirtualCard

/// The issuer of the bench's cards.
public enum BenchIssuer {
    /// The PIN of cards without a PIN in their profile.
    public static let pin = PIN(ascii: "1234".utf8)

    /// DUKPT base derivation key of the bench, the example of ANSI X9.24-1:2009 annex A: a test
    /// key.
    public static func baseDerivationKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    /// An issuer that knows the cards of `profiles` by their complete numbers, and the named cards
    /// by the first digits of their numbers.
    public static func make(_ profiles: [CardProfile]) throws -> TestIssuer {
        func known(_ profile: CardProfile, digits: Int) -> IssuerProfile {
            let leading = profile.account.pan.revealed().prefix(digits)
            var known = IssuerProfile(
                leadingDigits: String(decoding: leading, as: UTF8.self), masterKeys: profile.issuerMasterKeys,
                cryptogram: profile.cryptograms.version, pin: profile.pin ?? pin)
            known.takeTracks(of: profile.contactless)
            return known
        }
        return TestIssuer(
            profiles: profiles.map { known($0, digits: 19) }
                + [CardProfile.visaStyle(), .mastercardStyle()].map { known($0, digits: 6) },
            pinKey: try baseDerivationKey())
    }
}

/// The test cards of one issuer: the range of their numbers, their master keys, and their
/// cryptogram version.
public struct IssuerProfile: Sendable {
    /// The digits that the card numbers begin with.
    public let leadingDigits: String
    /// For the cipher of the cards' cryptogram version.
    public let masterKeys: MasterKeySet
    /// Key derivation, authenticated data, response cryptogram and scripts; nil for the version in
    /// each card's issuer application data.
    public let cryptogram: CryptogramVersion?
    /// The PIN of all these cards, for online verification; nil if they have no PIN.
    public let pin: PIN?

    /// The positions of the digits of Mastercard's mag-stripe mode in the tracks of these cards;
    /// nil for cards without that mode.
    public var checksumPositions: ChecksumPositions?

    /// Whether the tracks of these cards have dCVV, the code of Visa's mag-stripe mode (MSD).
    public var hasDynamicVerificationValue = false

    public init(leadingDigits: String, masterKeys: MasterKeySet, cryptogram: CryptogramVersion? = nil, pin: PIN? = nil)
    {
        self.leadingDigits = leadingDigits
        self.masterKeys = masterKeys
        self.cryptogram = cryptogram
        self.pin = pin
    }

    /// Takes over how a card's tracks in a reader's field are verified.
    package mutating func takeTracks(of contactless: ContactlessProfile?) {
        switch contactless {
        case .mastercard(let mastercard): checksumPositions = mastercard.positions
        case .visa(let visa): hasDynamicVerificationValue = visa.mode == .magstripe
        case .unionPay, .americanExpress, .kernel8, nil: break
        }
    }
}
