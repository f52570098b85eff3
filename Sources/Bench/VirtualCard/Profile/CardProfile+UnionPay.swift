internal import CardCryptography

extension CardProfile {
    /// A contactless card like UnionPay's, with the published test number 6250946000000016 and
    /// UnionPay's cryptogram version 01.
    public static func unionPayStyle(_ contactless: VisaContactlessProfile = VisaContactlessProfile()) -> CardProfile {
        var profile = CardProfile(
            applications: [CardApplication(aid: [0xA0, 0x00, 0x00, 0x03, 0x33, 0x01, 0x01, 0x02], label: "UNIONPAY CREDIT")],
            account: CardAccount(pan: "6250946000000016"), versionNumber: 0x0020, cryptograms: .unionPay01)
        profile.contactless = .unionPay(contactless)
        return profile
    }
}
