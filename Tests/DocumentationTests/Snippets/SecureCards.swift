import CardBench

enum SecureCards {
    static func register(_ terminal: Terminal) async throws {
        var secureCard = SecureCard(merchantReference: try MerchantReference("customer-17"))
        secureCard.details.email = "cardholder@example.com"
        let saved = try await terminal.registerSecureCard(secureCard)
        print(saved.description, saved.secureCardReference?.text ?? "no token")
    }

    static func keyed(_ terminal: Terminal, number: SecretBytes, cvv: SecretBytes) async throws {
        guard let expiry = ExpiryDate(mmyy: "1231") else { return }
        var secureCard = SecureCard(merchantReference: try MerchantReference("customer-18"))
        secureCard.tokenMethod = .keyed(
            try CardDetails(pan: number, expiry: expiry, cardholderName: "JANE DOE"), cvv: cvv)
        _ = try await terminal.registerSecureCard(secureCard)
    }

    static func once(_ terminal: Terminal, _ secureCard: SecureCard) async throws {
        _ = try await terminal.registerSecureCard(secureCard, idempotencyKey: IdempotencyKey("customer-17-first"))
    }

    static func edit(_ terminal: Terminal) async throws {
        var secureCard = try await terminal.retrieveSecureCard(MerchantReference("customer-17"))
        secureCard.details.mobileNumber = "+49 30 123456"
        _ = try await terminal.editSecureCard(secureCard)
    }

    static func charge(_ terminal: Terminal, _ token: SecureCardReference) async throws -> PaymentResponse {
        let sale = Sale(orderID: OrderID("order-2"), amount: try Money(parsing: "5.00 EUR"), source: .secureCard(token))
        return try await terminal.processSale(sale)
    }

    static func alongASale(_ terminal: Terminal) async throws -> SecureCardReference? {
        let sale = Sale(
            orderID: OrderID("order-3"), amount: try Money(parsing: "20.00 EUR"),
            secureCard: SecureCard(merchantReference: try MerchantReference("customer-19")))
        return try await terminal.processSale(sale).secureCardReference
    }

    static func delete(_ terminal: Terminal) async throws {
        _ = try await terminal.deleteSecureCard(MerchantReference("customer-17"))
    }
}
