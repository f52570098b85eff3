import CardReaders
import PaymentTerminal
import Testing

@Suite struct ReceiptTests {
    private func receipt(signatureWanted: Bool = true) async throws -> Receipt {
        let reader = FakeReader(chipCard()) { _ throws(CaptureError) in
            CaptureOutcome(decision: .approvedOnline, card: chipCard(), signatureWanted: signatureWanted)
        }
        let sale = Sale(orderID: try OrderID("order-1"), amount: try euros("12.34"))
        return try await terminal(FakeHost(), reader: reader).processSale(sale).receipt
    }

    @Test("G40 A42: the merchant's copy, with what EMV wants on it and the line to sign") func merchantCopy() async throws {
        let text = try await receipt().text(for: .merchant)
        #expect(
            text == """
                              Corner Shop
                             MERCHANT COPY

                Terminal                        BENCH001
                Date                 2026-03-09 13:05:09
                Order                            order-1
                Card                      VISA **** 0010
                Entry                               Chip
                Application                  VISA CREDIT
                AID                       A0000000031010
                TVR                           8000048000
                TSI                                 6800
                TC                      0102030405060708
                ARC                                   00
                CVM                            Signature

                AMOUNT                         12.34 EUR
                Approval code                     123456

                                APPROVED


                ________________________________________
                          Cardholder signature

                """)
    }

    @Test("the cardholder's copy shows the last four digits and no name, and nobody signs it") func cardholderCopy() async throws {
        let text = try await receipt().text(for: .cardholder)
        #expect(text.contains("CARDHOLDER COPY") && text.contains("VISA **** 0010"))
        #expect(!text.contains("476173") && !text.contains("CARDHOLDER/VISA") && !text.contains("signature"))
    }

    @Test func linesStayWithinTheWidth() async throws {
        let host = FakeHost()
        let terminal = Terminal(
            configuration: TerminalConfiguration(
                merchantName: "The Worshipful Company of Purveyors of Victuals and Provisions", terminalID: "BENCH001", currency: .euro),
            host: host, journal: MemoryJournal()
        ) { noon }
        try await terminal.connect(FakeReader(obedient: stripeCard()))
        let sale = Sale(orderID: try OrderID("ABCDEFGHIJKLMNOPQRSTUVWX"), amount: try euros("9999999999.99"))
        let text = try await terminal.processSale(sale).receipt.text(for: .merchant)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= Receipt.width })
        #expect(text.contains("Company of Purveyors of\n"))
        #expect(!text.contains("____"), "no signature was wanted")
    }
}
