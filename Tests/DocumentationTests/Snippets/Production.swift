import CardPresent

enum Production {
    static func start(_ terminal: Terminal) async throws {
        let condition = try await terminal.journalCondition()
        if condition.gap != nil || !condition.unreadable.isEmpty {
            print("look these up at the host:", condition.unreadable)
        }
        for payment in try await terminal.recoverPending() { print(payment.orderID, payment.outcome) }
        let pending = await terminal.pendingPayments
        if !pending.isEmpty { print("not yet received by the host:", pending.count) }
    }

    static func explain(_ error: TerminalError) -> String {
        let advice =
            switch error.obstacle {
            case .kernel(.cardBlocked): "the issuer has blocked the card: ask for another one"
            case .kernel(.emptyCandidateList): "we do not take this kind of card"
            default: error.message
            }
        return advice
    }
}
