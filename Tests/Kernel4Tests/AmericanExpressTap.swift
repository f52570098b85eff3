import Contactless
import Kernel4
import VirtualCard
import VirtualTap

extension TransactionLimits {
    /// 25.00 offline, verification from 50.00 on, taps below 250.01.
    static let usual = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
}

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
