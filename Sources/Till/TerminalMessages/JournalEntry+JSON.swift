package import JSONDocument
package import PaymentTerminal

extension JournalEntry {
    /// The entry as the journal's commands show it (docs/json.md). It has no card number that is
    /// not masked.
    package var json: JSON {
        .object(
            [
                ("order", .text(orderID.text)), ("key", .text(key?.text)), ("operation", .text(operation.rawValue)),
                ("time", timestamp.json),
            ] + (isPayment ? amount.pairs : []) + [
                ("stage", .text(stage.rawValue)), ("due", .text(due?.name)),
                ("wasFoundAtHost", wasFoundAtHost ? .flag(true) : nil), ("original", .text(original)),
                ("payment", response.map { .object($0.unnamedPairs) }),
            ])
    }
}

extension JournalEntry {
    /// Whether it is about money, and not about a secure card.
    package var isPayment: Bool { [.sale, .preAuthorization, .refund, .capture].contains(operation) }
}

extension JournalEntry.Due {
    /// The name that documents have for it.
    package var name: String {
        switch self {
        case .confirmation: "confirmation"
        case .reversal: "reversal"
        case .reversalIfOurs: "reversalIfOurs"
        case .advice: "advice"
        case .declineAdvice: "declineAdvice"
        case .authorization: "authorization"
        case .inquiry: "inquiry"
        }
    }
}
