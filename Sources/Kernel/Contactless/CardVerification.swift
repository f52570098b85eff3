import EMVKernel
package import TLV

/// The verification of the cardholder that the card's CVM list selects at a contactless reader (EMV
/// Contactless Book C-2, 7.5; kernel 4 has the same list).
package struct CardVerification: Equatable {
    /// Tag `9F34`.
    package var results: CVMResults
    package var method: ContactlessOutcome.Verification?
    /// Bits of TVR byte 3 and "ICC data missing".
    package var tvr: TerminalVerificationResults = []

    package init(results: CVMResults, method: ContactlessOutcome.Verification?) {
        self.results = results
        self.method = method
    }

    /// Verification by the card's list.
    ///
    /// - Parameter list: Tag `8E`; nil if it is absent.
    init(
        _ list: CVMList?, isSupportedByCard: Bool, context: (CVMList) -> CVMConditionContext,
        capabilities: TerminalCapabilities
    ) {
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
            } else if rule.code != .fail, CVMConditionContext.isSupported(rule.code, capabilities),
                let found = Self.method(rule.code)
            {
                method = found
                results = CVMResults(
                    rule: rule, result: found == ContactlessOutcome.Verification.none ? .successful : .unknown)
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

extension KernelActivation {
    /// Verification by the list of `card`, tag `8E`.
    ///
    /// - Parameter capabilities: Tag `9F33` with the methods of this transaction in byte 2.
    package func verification(
        by card: DataElements, _ profile: ApplicationInterchangeProfile, capabilities: TerminalCapabilities
    ) -> CardVerification {
        let currency = card.number(.applicationCurrencyCode)
        return CardVerification(
            card[.cvmList].flatMap(CVMList.init), isSupportedByCard: profile.contains(.cardholderVerificationSupported),
            context: { list in
                CVMConditionContext(
                    kind: request.kind, amount: request.amount, amountOther: request.amountOther,
                    isAttended: terminal.type.isAttended,
                    capabilities: capabilities, isInApplicationCurrency: currency == UInt64(request.currencyCode),
                    list: list)
            }, capabilities: capabilities)
    }

    /// Tag `9F33`: card data input and security of the terminal, with byte 2 of `verification`.
    package func capabilities(_ verification: TerminalCapabilities) -> TerminalCapabilities {
        TerminalCapabilities(rawValue: terminal.capabilities.rawValue & 0xFF_00FF).union(
            TerminalCapabilities(rawValue: verification.rawValue & 0x00_FF00))
    }
}
