import BackOffice
import CardCapture
import PaymentTerminal
import Testing

@Suite struct TransactionStoreTests {
    @Test("A45: a transaction keeps its receipt", arguments: StoreUnderTest.allCases) func keepsWhatIsAdded(
        _ kind: StoreUnderTest
    ) async throws {
        try await kind.with { store in
            let added = try TransactionRow(
                id: "T-1", kind: .preAuthorize, amount: "12.34 EUR",
                createdAt: Timestamp(secondsSince1970: 1_772_000_000, utcOffset: 3_600), state: .preAuthorized,
                customer: "Žofie Nováková", maskedCardNumber: "541333******4111", cardBrand: "Mastercard")
            try await store.add(added, receipt: receipt)
            #expect(try await store.transaction("T-1") == added)
            #expect(try await store.receipt(of: "T-1") == receipt)
            #expect(try await store.transaction("T-2") == nil)
            #expect(try await store.receipt(of: "T-2") == nil)
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func addsATransactionOnce(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            try await store.add(try row("T", 100), receipt: receipt)
            try await store.change("T", to: .refunded)
            try await store.add(try row("T", 100), receipt: nil)
            #expect(try await store.transaction("T")?.state == .refunded)
            #expect(try await store.receipt(of: "T") == receipt)
            await #expect(throws: TransactionStoreError.exists) { try await store.add(try row("T", 101), receipt: nil) }
            await #expect(throws: TransactionStoreError.notFound) { try await store.change("U", to: .refunded) }
            #expect(try await store.search(SearchQuery()).rows.count == 1)
            let totals = try await store.statistics(try everything(.count, .sum))
            #expect(totals.groups.map(\.figures?.count) == [1])
            #expect(totals.groups.map(\.figures?.sum) == [100])
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func refusesReceiptsThatAreTooLarge(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            var large = receipt
            large.items = Array(repeating: large.items[0], count: ReceiptData.itemLimit + 1)
            var long = receipt
            long.technicalMessage = String(repeating: "a", count: ReceiptData.textLimit + 1)
            for receipt in [large, long] {
                await #expect(throws: TransactionStoreError.receiptTooLarge) {
                    try await store.add(try row("T", 1), receipt: receipt)
                }
            }
            let kept = try await store.transaction("T")
            #expect(kept == nil)
        }
    }

    private var receipt: ReceiptData {
        var card = ReceiptData.Card()
        card.tvr = "0000008000"
        var receipt = ReceiptData(
            receiptID: 17, currency: .euro, items: [.init("Coffee", quantity: 2, grossPrice: 617, taxRate: 700)],
            totalAmount: 1234, paidAt: 1_772_000_000, state: .preAuthorized, card: card)
        receipt.taxes = [.init(rate: 700, totalNet: 1153, totalTax: 81, totalGross: 1234)]
        return receipt
    }
}

/// Statistics of all time in euro, in one group a year.
func everything(_ results: StatisticsQuery.Result...) throws -> StatisticsQuery {
    try StatisticsQuery(
        from: try #require(CivilDay("0001-01-01")), to: try #require(CivilDay("9999-12-31")), by: .year,
        currency: .euro, results: Set(results))
}
