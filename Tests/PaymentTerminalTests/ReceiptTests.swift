import Bytes
import CardCapture
import PaymentTerminal
import Receipts
import TLV
import Testing

@Suite("Receipts as text and as a page") struct ReceiptTests {
    @Test func linesStayWithinTheWidth() async throws {
        let host = FakeHost()
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "The Worshipful Company of Purveyors of Victuals and Provisions", terminalID: "BENCH001",
                currency: .euro),
            host: host, journal: MemoryJournal()
        ) { noon }
        try await terminal.connect(FakeReader(obedient: stripeCard()))
        let sale = Sale(orderID: OrderID("ABCDEFGHIJKLMNOPQRSTUVWX"), amount: try euros("9999999999.99"))
        let text = try await terminal.processSale(sale).receipt.text(for: .merchant)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= Receipt.width })
        #expect(text.contains("Company of Purveyors of\n"))
        #expect(!text.contains("____"), "no signature was required")
    }

    /// Visa's kernel has no CVM results: CTQ (`9F6C`) tells, read with TTQ (`9F66`) (EMV
    /// Contactless Book C-3, 5.7).
    @Test(
        arguments: [
            ([0x00, 0x80], "Verified on the cardholder's device"), ([0x80, 0x80], "PIN verified online"),
            ([0x40, 0x00], "Signature"), ([0x00, 0x00], nil),
        ] as [([UInt8], String?)])
    func whatVerifiedTheHolderOfATap(_ qualifiers: [UInt8], _ words: String?) {
        var elements = DataElements()
        elements[.pointOfServiceEntryMode] = [0x07]
        elements[.cardTransactionQualifiers] = qualifiers
        elements[.terminalTransactionQualifiers] = [0x26, 0x00, 0x40, 0x00]
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == words)
        // With contacts the tag is another system's.
        elements[.pointOfServiceEntryMode] = [0x05]
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == nil)
    }

    /// Mastercard's kernel tells of the device by CVM results that are a PIN's by contacts (EMV
    /// Contactless Book C-2, 7.5).
    @Test(
        arguments: [([0x07], "Verified on the cardholder's device"), ([0x05], "PIN verified by card")]
            as [([UInt8], String)])
    func whatVerifiedTheHolderOfAMastercardTap(_ entryMode: [UInt8], _ words: String) {
        var elements = DataElements()
        elements[.pointOfServiceEntryMode] = entryMode
        elements[.cvmResults] = [0x01, 0x00, 0x02]
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == words)
    }

    /// Byte 3 of `9F34`: 00 unknown, 01 failed, 02 successful (EMV 4.4 Book 4, annex A4). With 01
    /// nothing was verified.
    @Test(
        "a verification that failed is not printed as performed",
        arguments: [
            ("440301", "PIN by card: failed"), ("440302", "PIN verified by card"),
            ("010001", "PIN by card: failed"), ("410300", "PIN by card: result unknown"),
            ("430301", "PIN by card and signature: failed"), ("450300", "PIN verified by card and signature"),
            ("020301", "PIN online: failed"),
            ("060001", "Facial offline: failed"), ("000001", "Cardholder verification failed"),
            ("3F0001", "No CVM performed"), ("1E0300", "Signature"), ("1F0302", "No CVM required"), ("440303", nil),
        ] as [(String, String?)])
    func failedVerification(results: String, words: String?) throws {
        var elements = DataElements()
        elements[.pointOfServiceEntryMode] = [0x05]
        elements[.cvmResults] = try [UInt8](hex: results)
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == words)
    }

    @Test("every method fits a line of the receipt, however it ended") func shortMethods() {
        for code in 0...63 as ClosedRange<UInt8> {
            for result in [0, 1, 2] as [UInt8] {
                let words = CVMResults([code, 0x00, result])?.outcome ?? ""
                #expect((1...34).contains(words.count), "\(words)")
            }
        }
    }

    /// The terminal does not know how an online PIN ended (`420300`); answers 55 and 75 say so (ISO
    /// 8583:1987, field 39).
    @Test(
        "a PIN that the issuer refused is not printed as verified",
        arguments: [
            ("55", "PIN online: failed"), ("75", "PIN online: failed"),
            ("00", "PIN verified online"),
        ])
    func refusedOnlinePIN(answer: String, words: String) {
        var elements = DataElements()
        elements[.pointOfServiceEntryMode] = [0x05]
        elements[.cvmResults] = [0x42, 0x03, 0x00]
        elements[.authorisationResponseCode] = Array(answer.utf8)
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == words)
        elements[.pointOfServiceEntryMode] = [0x07]
        elements[.cvmResults] = nil
        elements[.cardTransactionQualifiers] = [0x80, 0x00]
        elements[.terminalTransactionQualifiers] = [0x26, 0x00, 0x40, 0x00]
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == words)
    }

    /// Tag `9F5D`, n 12, of a tapped Visa card (EMV Contactless Book C-3, A.2). With contacts, of
    /// another length and with Mastercard, whose tag of this number has capabilities in it, it is
    /// not an amount.
    @Test(
        "A64: what a tapped card may still spend offline is on the receipt",
        arguments: [
            ("A0000000031010", [0x07], "000000004250", "42.50 EUR"), ("A0000000031010", [0x05], "000000004250", nil),
            ("A0000000041010", [0x07], "010100", nil), ("A0000000041010", [0x07], "000000004250", nil),
            ("A0000000031010", [0x07], "4250", nil),
            ("A0000000031010", [0x07], "0000000042FF", nil), ("A0000000031010", [0x07], "000000000000", "0.00 EUR"),
        ] as [(String, [UInt8], String, String?)])
    func availableOffline(aid: String, entryMode: [UInt8], value: String, shown: String?) async throws {
        var elements = DataElements()
        elements[.dfName] = try [UInt8](hex: aid)
        elements[.pointOfServiceEntryMode] = entryMode
        elements[.availableOfflineSpendingAmount] = try [UInt8](hex: value)
        let card = CapturedCard(
            entryMode: .contactlessChip, pan: SecretBytes("4761739001010010".utf8), expiry: "3112",
            chip: ChipData(elements: elements))
        let terminal = try await terminal(FakeHost(), reader: FakeReader(obedient: card))
        let receipt = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00"))).receipt
        let rows = receipt.lines(for: .cardholder).filter {
            if case .row("Available offline", _) = $0 { true } else { false }
        }
        #expect(rows == (shown.map { [.row("Available offline", $0)] } ?? []))
    }

    /// A PIN that the reader cannot take is none.
    @Test func aPINThatTheReaderCannotTake() {
        var elements = DataElements()
        elements[.pointOfServiceEntryMode] = [0x07]
        elements[.cardTransactionQualifiers] = [0x80, 0x00]
        elements[.terminalTransactionQualifiers] = [0x22, 0x00, 0x40, 0x00]
        #expect(Receipt.ChipLines(ChipData(elements: elements)).cardholderVerification == nil)
    }
}
