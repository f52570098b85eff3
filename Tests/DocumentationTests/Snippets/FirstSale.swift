import CardBench

enum FirstSale {
    static func run() async throws -> PaymentResponse {
        let terminal = try await Terminal.bench(card: .visaStyle())
        let response = try await terminal.processSale(Sale(orderID: "order-17", amount: "12.34 EUR"))
        print(response.outcome, response.receipt.text(for: .cardholder))
        return response
    }

    static func decide(_ response: PaymentResponse) -> String {
        let advice =
            switch response.outcome {
            case .approved, .storedOffline: "hand over the goods"
            case .partiallyApproved: "ask for the rest: \(response.receipt.requested) less \(response.receipt.amount)"
            case .declined, .reversed: "ask for another card: \(response.description)"
            case .unknown: "keep the goods, and wait"
            }
        return advice
    }
}
