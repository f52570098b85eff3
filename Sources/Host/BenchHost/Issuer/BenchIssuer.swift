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
            profiles: profiles.map { known($0, digits: 19) } + [CardProfile.visaStyle(), .mastercardStyle()].map { known($0, digits: 6) },
            pinKey: try baseDerivationKey())
    }
}
