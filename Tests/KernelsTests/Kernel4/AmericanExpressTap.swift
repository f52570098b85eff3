import Contactless
import Kernels
import VirtualCard
import VirtualTap

extension VirtualTap {
    /// A card that approves offline up to 25.00, at a reader with the usual limits.
    static func americanExpress(
        _ change: (inout AmericanExpressContactlessProfile) -> Void = { _ in }, hasPINPad: Bool = false,
        profile: (inout CardProfile) -> Void = { _ in }
    ) throws -> VirtualTap {
        var contactless = AmericanExpressContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        change(&contactless)
        var style = CardProfile.americanExpressStyle(contactless)
        profile(&style)
        return try VirtualTap(style, [.americanExpress(limits: .usual, hasPINPad: hasPINPad)])
    }

    func with(_ kernel: Kernel4Configuration) -> VirtualTap {
        var other = self
        other.combinations[0].kernel = kernel
        return other
    }
}
