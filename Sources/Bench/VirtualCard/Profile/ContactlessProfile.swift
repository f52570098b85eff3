internal import CardCryptography

/// The contactless behaviour of a card or a phone, by the payment system's kernel.
public enum ContactlessProfile: Sendable, Equatable {
    case visa(VisaContactlessProfile)
    /// UnionPay's cards answer GET PROCESSING OPTIONS as Visa's do.
    case unionPay(VisaContactlessProfile)
    case mastercard(MastercardContactlessProfile)
    case americanExpress(AmericanExpressContactlessProfile)
    /// Any payment system, by kernel 8.
    case kernel8(Kernel8ContactlessProfile)

    /// A phone or a watch, which verifies its owner.
    public enum Device: String, Sendable, CaseIterable {
        /// The owner is already verified when it is presented.
        case verified
        /// It asks its owner to unlock it, and must be presented again.
        case locked
    }
}

extension CardProfile {
    /// The profile with the contactless application's values in place of the contact application's.
    func applying(_ contactless: ContactlessProfile) -> CardProfile {
        switch contactless {
        case .visa(let qualified), .unionPay(let qualified): applying(qualified)
        case .mastercard(let mastercard): applying(mastercard)
        case .americanExpress(let americanExpress): applying(americanExpress)
        case .kernel8(let kernel8): applying(kernel8)
        }
    }
}

extension CardProfile {
    /// A contactless card like American Express's, with the published test number 371449635398431
    /// and cryptograms made as Visa's version 10: no public source tells the scheme's own.
    public static func americanExpressStyle(
        _ contactless: AmericanExpressContactlessProfile = AmericanExpressContactlessProfile()
    ) -> CardProfile {
        var profile = CardProfile(
            applications: [
                CardApplication(aid: [0xA0, 0x00, 0x00, 0x00, 0x25, 0x01, 0x08, 0x01], label: "AMERICAN EXPRESS")
            ],
            account: CardAccount(pan: "371449635398431"), versionNumber: 0x0001, cryptograms: .visa10)
        profile.contactless = .americanExpress(contactless)
        return profile
    }
}

extension CardProfile {
    /// A contactless card like UnionPay's, with the published test number 6250946000000016 and
    /// UnionPay's cryptogram version 01.
    public static func unionPayStyle(_ contactless: VisaContactlessProfile = VisaContactlessProfile()) -> CardProfile {
        var profile = CardProfile(
            applications: [
                CardApplication(aid: [0xA0, 0x00, 0x00, 0x03, 0x33, 0x01, 0x01, 0x02], label: "UNIONPAY CREDIT")
            ],
            account: CardAccount(pan: "6250946000000016"), versionNumber: 0x0020, cryptograms: .unionPay01)
        profile.contactless = .unionPay(contactless)
        return profile
    }
}

/// The card's times for its answer to EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Books C-2 and
/// C-8), in units of 100 µs.
public struct CardRelayResistance: Sendable, Equatable {
    public var minimum: UInt16
    public var maximum: UInt16
    /// The transmission time of the answer.
    public var transmission: UInt16

    /// The default is a card that answers within 2 to 5 ms, with the transmission time that readers
    /// expect.
    public init(minimum: UInt16 = 0x0014, maximum: UInt16 = 0x0032, transmission: UInt16 = 0x0018) {
        self.minimum = minimum
        self.maximum = maximum
        self.transmission = transmission
    }

    /// The maximum number of tries in one transaction.
    static let maximumTries = 3

    /// Entropy and the three times, 10 bytes.
    func answer(entropy: [UInt8]) -> [UInt8] {
        entropy + minimum.bigEndianBytes + maximum.bigEndianBytes + transmission.bigEndianBytes
    }
}
