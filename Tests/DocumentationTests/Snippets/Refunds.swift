import CardPresent

enum Refunds {
    static func refund(_ sale: PaymentResponse, by terminal: Terminal) async throws -> PaymentResponse? {
        guard let reference = sale.uniqueReference else { return nil }
        let refund = try await terminal.processRefund(
            Refund(
                orderID: "refund-17", amount: "5.00 EUR", target: .transaction(reference), reason: "one item returned"))
        return refund
    }

    static func setAside(_ terminal: Terminal) async throws -> PaymentResponse? {
        let deposit = try await terminal.processSale(
            Sale(orderID: "room-12", amount: "200.00 EUR", isPreAuthorization: true))
        guard deposit.outcome == .approved, let reference = deposit.uniqueReference else { return nil }
        return try await terminal.capture(
            FundsCapture(orderID: "room-12-bill", original: reference, amount: "164.50 EUR"))
    }

    static func undo(_ terminal: Terminal) async throws -> PaymentResponse.Outcome {
        let undone = try await terminal.reverse("order-17")
        return undone.outcome
    }
}
