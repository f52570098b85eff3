import Basket
import Bytes
import CardCapture
import Foundation
import PaymentDoubles
import PaymentTerminal
import SealedStore
import Testing

@testable import TillRecords

/// A host whose login has ended.
private struct EndedLogin: RelayedHost {
    func relayed() throws(HostError) -> any PaymentHost { throw HostError(.notAuthorized, "the login has ended") }
}

@Suite("A basket and the end of a login") struct LoginTests {
    private static func pay(_ basket: Basket, _ order: OrderID, at host: any PaymentHost) async throws
        -> PaymentResponse
    {
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro),
            host: host, journal: MemoryJournal())
        let card = CapturedCard(
            entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
        try await terminal.connect(PresentedCardReader(card))
        return try await terminal.processSale(basket.sale(orderID: order))
    }

    @Test("A11 A28: A basket outlives a login and a restart, and is charged after the next login")
    func login() async throws {
        let folder = NSTemporaryDirectory() + "till-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = SecretBytes([UInt8](repeating: 7, count: 32))
        let name = try BasketName("Table 7")
        var basket = try Basket(currency: .euro, taxes: [TaxRate("VAT", hundredths: 1900)])
        try basket.add(BasketItem("Coffee", quantity: 2, price: 250, taxRate: 1900))
        try basket.add(BasketItem("Tip", kind: .tip, price: 50))

        let records = try SQLiteTillRecords(folder: folder, key: key)
        try await records.keep(basket, as: name)
        let error = await #expect(throws: TerminalError.self) { try await Self.pay(basket, "sale-1", at: EndedLogin()) }
        #expect(error?.hostFault == .credentialsRefused)
        try records.close()

        let again = try SQLiteTillRecords(folder: folder, key: key)
        let kept = try #require(try await again.basket(name))
        let response = try await Self.pay(kept, "sale-2", at: ApprovingHost())
        #expect(response.outcome == .approved)
        #expect(response.receipt.amount == "5.50 EUR")
        #expect(response.receipt.tip == "0.50 EUR")
        #expect(response.receipt.taxes == [TaxLine(name: "VAT", rate: 1900, amount: "0.80 EUR")])
        try await again.forget(name)
        #expect(try await again.names() == [])
    }
}
