internal import CardCryptography
public import VirtualCard

/// The templates for new profiles: an application, a published test number, the scheme's
/// cryptograms, PIN 1234.
public enum CardScheme: String, Sendable, CaseIterable {
    case visa, visaElectron = "visa-electron", mastercard, maestro, amex, discover, diners, jcb, unionpay, interac
    case commonCore = "common-core"

    public var profile: CardProfile {
        switch self {
        case .visa: .visaStyle()
        case .mastercard: .mastercardStyle()
        case .commonCore: .commonCoreStyle(.tdes)
        case .visaElectron:
            Self.visaLike(
                [0xA0, 0, 0, 0, 0x03, 0x20, 0x10], label: "VISA ELECTRON", pan: "4917300000000008", version: 0x008C,
                cryptograms: .visa10)
        case .maestro: Self.mastercardLike([0xA0, 0, 0, 0, 0x04, 0x30, 0x60], "MAESTRO", "6759649826438453")
        case .amex:
            Self.visaLike(
                [0xA0, 0, 0, 0, 0x25, 0x01, 0x08, 0x01], label: "AMERICAN EXPRESS", pan: "374245455400126",
                version: 0x0001,
                cryptograms: .visa10)
        case .discover:
            Self.visaLike(
                [0xA0, 0, 0, 0x01, 0x52, 0x30, 0x10], label: "DISCOVER", pan: "6011111111111117", version: 0x0001,
                cryptograms: .visa18)
        case .diners:
            Self.visaLike(
                [0xA0, 0, 0, 0x01, 0x52, 0x30, 0x10], label: "DINERS CLUB", pan: "30569309025904", version: 0x0001,
                cryptograms: .visa18)
        case .jcb:
            Self.visaLike(
                [0xA0, 0, 0, 0, 0x65, 0x10, 0x10], label: "JCB CREDIT", pan: "3530111333300000", version: 0x0200,
                cryptograms: .visa10)
        case .unionpay:
            Self.visaLike(
                [0xA0, 0, 0, 0x03, 0x33, 0x01, 0x01, 0x02], label: "UNIONPAY CREDIT", pan: "6212345678901232",
                version: 0x0020,
                cryptograms: .unionPay01)
        case .interac:
            Self.visaLike(
                [0xA0, 0, 0, 0x02, 0x77, 0x10, 0x10], label: "INTERAC", pan: "4761739001010119", version: 0x0001,
                cryptograms: .interac85)
        }
    }

    private static func visaLike(
        _ aid: [UInt8], label: String, pan: String, version: UInt16, cryptograms: CryptogramScheme
    ) -> CardProfile {
        var profile = CardProfile.visaStyle()
        profile.applications = [CardApplication(aid: aid, label: label)]
        profile.account = CardAccount(pan: pan)
        profile.versionNumber = version
        profile.cryptograms = cryptograms
        return profile
    }

    private static func mastercardLike(_ aid: [UInt8], _ label: String, _ pan: String) -> CardProfile {
        var profile = CardProfile.mastercardStyle()
        profile.applications = [CardApplication(aid: aid, label: label)]
        profile.account = CardAccount(pan: pan)
        profile.cryptograms = .mastercard10
        return profile
    }
}
