package import SmartCard

/// Why a card in the field is not accepted.
package enum PN53xError: Hashable, Sendable {
    /// The card does not support ISO/IEC 14443-4, for example a storage card.
    case noPaymentCard
    case answerToSelect(AnswerToSelect.Malformation)
    case answerToRequest(AnswerToRequestB.Malformation)
}

extension PN53xError: DriverError {
    package var description: String {
        switch self {
        case .noPaymentCard: "the card has no protocol for payments (ISO/IEC 14443-4): present a payment card"
        case .answerToSelect(let malformation): "\(malformation): hold the card still, or try another"
        case .answerToRequest(let malformation): "\(malformation): hold the card still, or try another"
        }
    }
}
