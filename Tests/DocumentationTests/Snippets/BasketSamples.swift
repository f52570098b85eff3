import Basket
import Bytes
import CardCapture
import Mail
import Outbox
import PaymentTerminal
import TillRecords

enum BasketSamples {
    static func charge(on terminal: Terminal, records: SQLiteTillRecords) async throws -> PaymentResponse {
        var basket = try Basket(
            currency: .euro, prices: .gross,
            taxes: [TaxRate("VAT", hundredths: 1900), TaxRate("VAT", hundredths: 700)])
        try basket.add(BasketItem("Coffee", quantity: 2, price: 250, taxRate: 1900))
        try basket.add(BasketItem("Bread", price: 180, taxRate: 700))
        try basket.add(BasketItem("Tip", kind: .tip, price: 50))
        try basket.setDiscount(80)
        basket.place = GeographicPoint(latitude: 53_349_805, longitude: -6_260_310)
        try await records.keep(basket, as: BasketName("Table 7"))

        let response = try await terminal.processSale(basket.sale(orderID: "sale-17"))
        if response.outcome == .approved { try await records.forget(BasketName("Table 7")) }
        return response
    }

    static func pay(_ basket: Basket, records: SQLiteTillRecords) async throws {
        let cash = try CashPayment(
            orderID: "sale-18", holder: "Aoife Byrne", basket: basket, timestamp: .now())
        try await records.record(cash)
        print(try cash.lines(merchantName: "Corner Shop"))
    }

    static func send(_ receipt: Receipt, email: String?, phone: String?, outbox: Outbox, server: MailServer)
        async throws
    {
        let mail = ReceiptMail(outbox, from: try MailAddress("till@shop.example"), by: MailClient(server))
        switch try ReceiptDestination(email: email, phone: phone) {
        case .mail(let address): try await mail.put(receipt, to: address, at: .now())
        case .shortMessage(let number): print("no gateway for", number)
        }
        for delivery in try await mail.deliverDue(at: .now(), jitter: { .random(in: 0 ... .max) }) {
            print(delivery.key, delivery.certainty, delivery.state.fault ?? "")
        }
    }

    static func open(key: SecretBytes) async throws -> Outbox {
        let store = try SQLiteOutbox(folder: "outbox", key: key)
        return try await Outbox(
            store, at: Timestamp.now().secondsSince1970, jitter: .random(in: 0 ... .max))
    }
}
