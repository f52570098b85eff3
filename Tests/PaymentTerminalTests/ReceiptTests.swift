import CardCapture
import PaymentTerminal
import Testing

@Suite struct ReceiptTests {
    @Test func linesStayWithinTheWidth() async throws {
        let host = FakeHost()
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "The Worshipful Company of Purveyors of Victuals and Provisions", terminalID: "BENCH001", currency: .euro),
            host: host, journal: MemoryJournal()
        ) { noon }
        try await terminal.connect(FakeReader(obedient: stripeCard()))
        let sale = Sale(orderID: OrderID("ABCDEFGHIJKLMNOPQRSTUVWX"), amount: try euros("9999999999.99"))
        let text = try await terminal.processSale(sale).receipt.text(for: .merchant)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= Receipt.width })
        #expect(text.contains("Company of Purveyors of\n"))
        #expect(!text.contains("____"), "no signature was wanted")
    }
}
