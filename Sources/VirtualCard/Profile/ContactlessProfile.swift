/// What a card or a phone does at a contactless reader, by the payment system's kernel.
public enum ContactlessProfile: Sendable, Equatable {
    case visa(VisaContactlessProfile)
    case mastercard(MastercardContactlessProfile)
    /// Of any payment system, by kernel 8.
    case kernel8(Kernel8ContactlessProfile)

    /// A phone or a watch, which asks its owner.
    public enum Device: String, Sendable, CaseIterable {
        /// The owner is known when it is presented.
        case verified
        /// It asks its owner to unlock it, and is presented again.
        case locked
    }
}

extension CardProfile {
    /// The profile with what is the contactless application's own in place of the contact one's.
    func applying(_ contactless: ContactlessProfile) -> CardProfile {
        switch contactless {
        case .visa(let visa): applying(visa)
        case .mastercard(let mastercard): applying(mastercard)
        case .kernel8(let kernel8): applying(kernel8)
        }
    }
}
