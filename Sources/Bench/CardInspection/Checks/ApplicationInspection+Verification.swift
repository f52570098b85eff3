private import Bytes
internal import TLV

/// The CVM list: whether its rules can be applied (EMV 4.4 Book 3, 10.5 and annex C3).
extension ApplicationInspection {
    var verificationFindings: [CardFinding] {
        guard let bytes = elements[.cvmList] else { return [] }
        func odd(_ kind: CardFinding.Kind, severity: CardFinding.Severity, summary: String, source: String)
            -> CardFinding
        {
            finding(kind, severity: severity, tag: .cvmList, summary: summary, source: source)
        }
        guard let list = CVMList(bytes) else {
            return [
                odd(
                    .verificationListMalformed, severity: .error,
                    summary: "it is not two amounts of four bytes followed by rules of two bytes",
                    source: "EMV 4.4 Book 3, 10.5")
            ]
        }
        var findings: [CardFinding] = []
        if !profile.contains(.cardholderVerificationSupported) {
            findings.append(
                odd(
                    .verificationListNotUsed, severity: .remark,
                    summary: "the AIP does not support cardholder verification: the list is not used",
                    source: "EMV 4.4 Book 3, 10.5"))
        }
        if list.rules.isEmpty {
            findings.append(
                odd(
                    .verificationListUnusable, severity: .error, summary: "it has no rule",
                    source: "EMV 4.4 Book 3, 10.5"))
        } else if list.rules.allSatisfy({ $0.code == .fail || $0.isReserved }) {
            findings.append(
                odd(
                    .verificationListUnusable, severity: .error,
                    summary: "no rule has a method that verifies the cardholder",
                    source: "EMV 4.4 Book 3, 10.5"))
        }
        // Always applied and final, so later rules are unreachable.
        if let last = list.rules.firstIndex(where: { $0.condition == .always && !$0.continuesIfUnsuccessful }),
            last + 1 < list.rules.count
        {
            findings.append(
                odd(
                    .verificationRuleUnreachable, severity: .warning,
                    summary: "the rules after rule \(last + 1) are never reached: \(list.rules[last].summary)",
                    source: "EMV 4.4 Book 3, 10.5"))
        }
        for (index, rule) in list.rules.enumerated() {
            let name = "rule \(index + 1) (\(rule.code.summary))"
            if rule.isReserved {
                findings.append(
                    odd(
                        .verificationRuleReserved, severity: .warning,
                        summary: "\(name) has a reserved method or condition: terminals skip it",
                        source: "EMV 4.4 Book 3, annex C3, tables 43 and 44"))
            }
            findings += missingData(rule, list, name)
        }
        return findings
    }

    /// The data that the rule requires but the card does not have.
    private func missingData(_ rule: CVMRule, _ list: CVMList, _ name: String) -> [CardFinding] {
        func odd(_ summary: String, _ source: String) -> CardFinding {
            finding(
                .verificationRuleWithoutData, severity: .warning, tag: .cvmList, summary: "\(name): \(summary)",
                source: source)
        }
        var findings: [CardFinding] = []
        let amount: UInt32? =
            switch rule.condition {
            case .underX, .overX: list.x
            case .underY, .overY: list.y
            default: nil
            }
        if let amount {
            if !elements.contains(.applicationCurrencyCode) {
                findings.append(
                    odd("its amount has no currency, tag 9F42: the rule never applies", "EMV 4.4 Book 3, 10.5"))
            }
            if amount == 0, [.underX, .underY].contains(rule.condition) {
                findings.append(odd("no amount is below zero: the rule never applies", "EMV 4.4 Book 3, 10.5"))
            }
        }
        if [.encipheredPIN, .encipheredPINAndSignature].contains(rule.code),
            !elements.contains(.iccPINEnciphermentPublicKeyCertificate),
            !elements.contains(.iccPublicKeyCertificate)
        {
            findings.append(odd("the card has no key for PIN encipherment", "EMV 4.4 Book 2, 7.1 and 13.1"))
        }
        return findings
    }
}

extension CVMRule {
    /// Whether tables 43 and 44 do not define the method or condition.
    fileprivate var isReserved: Bool {
        let isMethod = code.rawValue <= 0x0F || code == .signature || code == .noCVM
        return !isMethod || condition.rawValue > 0x09
    }
}
