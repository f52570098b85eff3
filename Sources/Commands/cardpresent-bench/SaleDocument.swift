import PaymentTerminal

/// The answer to a sale, for JSON. The card number is masked.
struct SaleDocument: Encodable {
    let outcome: String
    let order, description: String
    let amount, currency, responseCode, approvalCode, uniqueReference, card, token: String?

    init(_ response: PaymentResponse) {
        outcome =
            switch response.outcome {
            case .approved: "approved"
            case .partiallyApproved: "partiallyApproved"
            case .declined: "declined"
            case .reversed: "reversed"
            case .storedOffline: "storedOffline"
            case .unknown: "unknown"
            }
        order = response.orderID.text
        amount = response.authorizedAmount?.decimal
        currency = response.authorizedAmount?.currency.code
        description = response.description
        responseCode = response.responseCode
        approvalCode = response.approvalCode
        uniqueReference = response.uniqueReference
        card = response.card?.maskedPAN
        token = response.secureCardReference.map { "\($0)" }
    }
}
