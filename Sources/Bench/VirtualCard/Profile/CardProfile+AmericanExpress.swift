internal import CardCryptography

extension CardProfile {
    /// A contactless card like American Express's, with the published test number 371449635398431
    /// and cryptograms made as Visa's version 10: no public source tells the scheme's own.
    public static func americanExpressStyle(
        _ contactless: AmericanExpressContactlessProfile = AmericanExpressContactlessProfile()
    ) -> CardProfile {
        var profile = CardProfile(
            applications: [CardApplication(aid: [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01, 0x08, 0x01], label: "AMERICAN EXPRESS")],
            account: CardAccount(pan: "371449635398431"), versionNumber: 0x0001, cryptograms: .visa10)
        profile.contactless = .americanExpress(contactless)
        return profile
    }
}
