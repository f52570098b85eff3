import Bytes
import PaymentTerminal
import TerminalMessages

extension JournalEntry {
    /// One line about the entry, with what the host must still receive.
    var line: String {
        let result = response.map(\.outcome.words) ?? (stage == .finished ? "no effect" : "not known yet")
        let state = stage == .finished ? nil : due.map { "pending: \($0.words)" } ?? "in doubt"
        return [
            "\(timestamp)", orderID.text, operation.rawValue, isPayment ? "\(amount)" : nil, result, card?.maskedPAN,
            response?.approvalCode, state,
        ].compactMap(\.self).joined(separator: "  ").onOneLine()
    }
}

extension PaymentResponse.Outcome {
    fileprivate var words: String {
        switch self {
        case .approved: "approved"
        case .partiallyApproved: "approved in part"
        case .declined: "declined"
        case .reversed(let reason): "reversed (\(reason.rawValue))"
        case .storedOffline: "stored"
        case .unknown: "unknown"
        }
    }
}

extension JournalEntry.Due {
    /// What the host must still be told, or asked.
    var words: String {
        switch self {
        case .confirmation: "the card's last cryptogram"
        case .reversal: "a reversal"
        case .reversalIfOurs: "a reversal, if the host's order is this one"
        case .advice: "an approval by the card"
        case .declineAdvice: "a decline by the card"
        case .authorization: "a stored payment"
        case .inquiry: "an inquiry"
        }
    }
}
