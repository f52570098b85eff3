public import TLV

/// One rule of the CVM list that the kernel evaluated, and its result.
public struct CVMAttempt: Sendable, Equatable {
    /// How a rule ended: after ``successful`` and ``unknown`` no further rule is applied.
    public enum End: Sendable, Equatable {
        /// The condition was not met, or cannot be evaluated.
        case passedOver
        /// The terminal does not know the code.
        case unrecognized
        /// The terminal does not support the method.
        case unsupported
        /// The offline PIN was right, or the rule asks for no verification.
        case successful
        /// Signature and online PIN: the result is known only later.
        case unknown
        /// The rule is "fail"; or the PIN is wrong, was not entered
        /// or cannot be enciphered; or the PIN pad does not work.
        case failed
    }

    /// The rule as in the CVM list, tag `8E`.
    public let rule: CVMRule
    /// The result of the rule.
    public let end: End
}

/// Decides whether a cardholder verification rule applies to this transaction (EMV 4.4 Book 3, 10.5
/// and annex C3).
package struct CVMConditionContext {
    let kind: TransactionRequest.Kind
    let amount: UInt64
    let amountOther: UInt64
    let isAttended: Bool
    let capabilities: TerminalCapabilities
    /// Whether the transaction is in the application currency, which the conditions on X and Y
    /// require.
    let isInApplicationCurrency: Bool
    let list: CVMList

    package init(
        kind: TransactionRequest.Kind, amount: UInt64, amountOther: UInt64, isAttended: Bool,
        capabilities: TerminalCapabilities,
        isInApplicationCurrency: Bool, list: CVMList
    ) {
        self.kind = kind
        self.amount = amount
        self.amountOther = amountOther
        self.isAttended = isAttended
        self.capabilities = capabilities
        self.isInApplicationCurrency = isInApplicationCurrency
        self.list = list
    }

    package func isSatisfied(_ rule: CVMRule) -> Bool {
        let isCash = kind == .cash
        let isCashback = kind == .purchaseWithCashback || amountOther > 0
        switch rule.condition {
        case .always: return true
        case .unattendedCash: return isCash && !isAttended
        case .neitherCashNorCashback: return !isCash && !isCashback
        case .terminalSupportsCVM: return Self.isSupported(rule.code, capabilities)
        case .manualCash: return isCash && isAttended
        case .purchaseWithCashback: return isCashback
        case .underX: return isInApplicationCurrency && amount < UInt64(list.x)
        case .overX: return isInApplicationCurrency && amount > UInt64(list.x)
        case .underY: return isInApplicationCurrency && amount < UInt64(list.y)
        case .overY: return isInApplicationCurrency && amount > UInt64(list.y)
        default: return false
        }
    }

    /// Whether the kernel knows the code (annex C3, table 43). It does not know the biometric ones,
    /// which a terminal without biometrics may omit (10.5.5).
    package static func isRecognized(_ code: CVMCode) -> Bool {
        switch code {
        case .fail, .plaintextPIN, .onlinePIN, .plaintextPINAndSignature, .encipheredPIN, .encipheredPINAndSignature,
            .signature, .noCVM:
            true
        default: false
        }
    }

    /// Whether the terminal supports the method; for a combined one, both parts (EMV 4.4 Book 4,
    /// 6.3.4).
    package static func isSupported(_ code: CVMCode, _ capabilities: TerminalCapabilities) -> Bool {
        switch code {
        case .fail: true
        case .plaintextPIN: capabilities.contains(.plaintextOfflinePIN)
        case .onlinePIN: capabilities.contains(.encipheredOnlinePIN)
        case .plaintextPINAndSignature: capabilities.isSuperset(of: [.plaintextOfflinePIN, .signature])
        case .encipheredPIN: !capabilities.isDisjoint(with: .encipheredOfflinePIN)
        case .encipheredPINAndSignature:
            !capabilities.isDisjoint(with: .encipheredOfflinePIN) && capabilities.contains(.signature)
        case .signature: capabilities.contains(.signature)
        case .noCVM: capabilities.contains(.noCVM)
        default: false
        }
    }
}

extension TerminalCapabilities {
    /// An enciphered PIN for the card, for any key type.
    static let encipheredOfflinePIN: TerminalCapabilities = [.encipheredOfflinePINByRSA, .encipheredOfflinePINByECC]
}
