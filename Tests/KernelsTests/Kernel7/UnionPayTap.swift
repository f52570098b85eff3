import Contactless
import Kernels
import SmartCard
import TLV
import VirtualCard
import VirtualTap

extension VirtualTap {
    /// A card that approves offline up to 25.00, at a reader with the usual limits.
    static func unionPay(
        _ change: (inout VisaContactlessProfile) -> Void = { _ in }, hasPINPad: Bool = false,
        profile: (inout CardProfile) -> Void = { _ in }
    ) throws -> VirtualTap {
        var contactless = VisaContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        change(&contactless)
        var style = CardProfile.unionPayStyle(contactless)
        profile(&style)
        return try VirtualTap(style, [.unionPay(limits: .usual, hasPINPad: hasPINPad)])
    }
}

extension VirtualTap.Run {
    /// TTQ, the first object of the card's list.
    var qualifiers: [UInt8]? { data(of: .getProcessingOptions).map { Array($0.dropFirst(2).prefix(4)) } }
}
