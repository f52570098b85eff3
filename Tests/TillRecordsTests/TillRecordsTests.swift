import Basket
import Bytes
import CardCapture
import Foundation
import PaymentDoubles
import PaymentTerminal
import SealedStore
import Testing

@testable import TillRecords

@Suite("A till's records") struct TillRecordsTests {
    private static let key = SecretBytes([UInt8](repeating: 7, count: 32))

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "till-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private static func basket(_ price: Int64 = 250) throws -> Basket {
        var basket = try Basket(currency: .euro, taxes: [TaxRate("VAT", hundredths: 1900)])
        try basket.add(BasketItem("Coffee", quantity: 2, price: price, taxRate: 1900))
        try basket.add(BasketItem("Tip", kind: .tip, price: 50))
        return basket
    }

    private static func payment(_ order: OrderID, _ price: Int64 = 250) throws -> CashPayment {
        try CashPayment(
            orderID: order, holder: "Aoife Byrne", basket: basket(price),
            timestamp: Timestamp(secondsSince1970: 1_795_910_400, utcOffset: 3600))
    }

    @Test("Every store of baskets keeps, replaces and forgets them") func baskets() async throws {
        try await withFolder { folder in
            let records = try SQLiteTillRecords(folder: folder, key: Self.key)
            for store in [MemoryBaskets(), records] as [any BasketStore] {
                let (table, bar) = (try BasketName("Table 7"), try BasketName("Bar"))
                try await store.keep(Self.basket(), as: table)
                try await store.keep(Self.basket(300), as: table)
                try await store.keep(Self.basket(), as: bar)
                #expect(try await store.basket(table) == Self.basket(300))
                #expect(try await store.names() == [bar, table])
                try await store.forget(table)
                try await store.forget(table)
                #expect(try await store.basket(table) == nil)
            }
        }
    }

    @Test("A37: Every recorder of cash records a payment once") func cash() async throws {
        try await withFolder { folder in
            let records = try SQLiteTillRecords(folder: folder, key: Self.key)
            for recorder in [MemoryCash(), records] as [any CashRecorder] {
                let payment = try Self.payment("sale-1")
                try await recorder.record(payment)
                try await recorder.record(payment)
                await #expect(throws: CashError.orderExists) { try await recorder.record(Self.payment("sale-1", 999)) }
                try await recorder.record(Self.payment("sale-0"))
                #expect(try await recorder.payment(for: "sale-1") == payment)
                #expect(try await recorder.payment(for: "sale-2") == nil)
                #expect(try await recorder.payments(from: 0, limit: 9).map(\.orderID) == ["sale-1", "sale-0"])
                #expect(try await recorder.payments(from: 1, limit: 9).map(\.orderID) == ["sale-0"])
                #expect(payment.totals.total == "5.50 EUR")
            }
        }
    }

    @Test("Records survive a restart, and nothing of them is in clear") func restart() async throws {
        try await withFolder { folder in
            let records = try SQLiteTillRecords(folder: folder, key: Self.key)
            try await records.keep(Self.basket(), as: BasketName("Table 7"))
            try await records.record(Self.payment("sale-1"))
            try records.close()
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
                #expect(bytes.range(of: Data("Coffee".utf8)) == nil)
                #expect(bytes.range(of: Data("Aoife".utf8)) == nil)
            }
            let again = try SQLiteTillRecords(folder: folder, key: Self.key)
            #expect(try await again.basket(BasketName("Table 7")) == Self.basket())
            #expect(try await again.payment(for: "sale-1") == Self.payment("sale-1"))
            try again.close()
            #expect(throws: StoreError.otherKey(store: "till \(folder)")) {
                try SQLiteTillRecords(folder: folder, key: SecretBytes([UInt8](repeating: 8, count: 32)))
            }
        }
    }

    @Test("A receipt of a payment in cash says who paid, and has no card") func receipt() throws {
        let lines = try Self.payment("sale-1").lines(merchantName: "Harbour Shop")
        #expect(
            lines.prefix(6) == [
                .merchant("Harbour Shop"), .heading("CASH"), .gap, .row("Date", "2026-11-29 01:00:00"),
                .row("Order", "sale-1"), .row("Paid by", "Aoife Byrne"),
            ])
        #expect(lines.contains(.amount("5.50 EUR")))
        #expect(throws: BasketError.invalidNote) {
            try CashPayment(
                orderID: "o", holder: "A\r\nB", basket: Self.basket(), timestamp: Timestamp(secondsSince1970: 0))
        }
    }
}
