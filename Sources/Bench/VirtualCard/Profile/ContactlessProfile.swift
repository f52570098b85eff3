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
