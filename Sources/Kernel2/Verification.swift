import Contactless
import EMVKernel
import TLV

/// The selected verification of the cardholder (EMV Contactless Book C-2, 7.5).
struct Verification: Equatable {
    /// Tag `9F34`.
    var results: CVMResults
    var method: ContactlessOutcome.Verification?
    /// Bits of TVR byte 3 and "ICC data missing".
    var tvr: TerminalVerificationResults = []

    /// Verification on the cardholder's device, if card and reader support it.
    init(onDeviceAboveLimit isAbove: Bool) {
        // 01 00 02 and 3F 00 02, which do not occur in CVM lists.
        results = CVMResults(isAbove ? [0x01, 0x00, 0x02] : [0x3F, 0x00, 0x02]) ?? .notPerformed
        method = isAbove ? .consumerDevice : ContactlessOutcome.Verification.none
    }

    /// Verification by the card's list.
    ///
    /// - Parameter list: Tag `8E`; nil if it is absent.
    init(_ list: CVMList?, isSupportedByCard: Bool, context: (CVMList) -> CVMConditionContext, capabilities: TerminalCapabilities) {
        results = .notPerformed
        method = ContactlessOutcome.Verification.none
        guard isSupportedByCard else { return }
        guard let list, !list.rules.isEmpty else {
            tvr = .iccDataMissing
            return
        }
        let context = context(list)
        results = .noneApplied
        method = nil
        for rule in list.rules where context.isSatisfied(rule) {
            if !CVMConditionContext.isRecognized(rule.code) {
                tvr.insert(.unrecognizedCVM)
            } else if rule.code != .fail, CVMConditionContext.isSupported(rule.code, capabilities), let found = Self.method(rule.code) {
                method = found
                results = CVMResults(rule: rule, result: found == ContactlessOutcome.Verification.none ? .successful : .unknown)
                if found == .onlinePIN { tvr.insert(.onlineCVMCaptured) }
                return
            } else if rule.code == .fail {
                break
            }
            guard rule.continuesIfUnsuccessful else { break }
        }
        tvr.insert(.cardholderVerificationFailed)
    }

    /// Nil for methods that contactless cards do not have.
    private static func method(_ code: CVMCode) -> ContactlessOutcome.Verification? {
        switch code {
        case .noCVM: ContactlessOutcome.Verification.none
        case .signature: .signature
        case .onlinePIN: .onlinePIN
        default: nil
        }
    }
}
