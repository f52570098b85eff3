import Contactless
import EMVKernel
import TLV

extension CardVerification {
    /// Verification on the cardholder's device, if card and reader support it (EMV Contactless Book
    /// C-2, 7.5).
    init(onDeviceAboveLimit isAbove: Bool) {
        // 01 00 02 and 3F 00 02, which do not occur in CVM lists.
        self.init(
            results: CVMResults(isAbove ? [0x01, 0x00, 0x02] : [0x3F, 0x00, 0x02]) ?? .notPerformed,
            method: isAbove ? .consumerDevice : ContactlessOutcome.Verification.none)
    }
}
