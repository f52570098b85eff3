import BenchHost
import Bytes
import CardCapture
import PaymentTerminal
import SmartCard
import TLV
import Testing

@Suite struct TerminalOnBenchHostTests {
    /// A reader with one card in it, which asks the host and takes its decision.
    private struct Reader: CardReader {
        let capabilities: ReaderCapabilities = .contactChip
        let events = ReaderEvents()
        let name = "Reader with a test card"
        let atc: UInt16

        func capture(
            _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
        ) async throws(CaptureError) -> CaptureOutcome {
            let card: CapturedCard
            do {
                card = try TestCard(amount: BCD.encode(request.amount, count: 6)!.hex).captured(atc: atc)
            } catch {
                throw .readerFailed(.recorded("\(error)"))
            }
            guard case .answered(let answer) = await authorize(card) else {
                return CaptureOutcome(decision: .declinedOffline, card: card)
            }
            return CaptureOutcome(decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: card)
        }
    }

    @Test("a production terminal does not work with the bench host") func production() async throws {
        let terminal = Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro),
            host: try Bench().host, journal: MemoryJournal()
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
        let error = await #expect(throws: TerminalError.self) { try await terminal.settings() }
        #expect(error?.code == .testEquipment)
        #expect(error?.message.contains("it is a bench host") == true)
    }

    @Test("G1: register from the reader, pay by token, update, delete; nothing printed tells a card number") func wholeLife() async throws {
        let bench = try Bench()
        let terminal = Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test),
            host: bench.host,
            journal: MemoryJournal()
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
        let reference = try MerchantReference("customer-7")
        try await terminal.connect(Reader(atc: 1))
        let saved = try await terminal.registerSecureCard(SecureCard(merchantReference: reference))
        #expect(saved.description == "Secure Card Saved")
        let token = try #require(saved.secureCardReference)

        let sale = Sale(orderID: OrderID("o1"), amount: try Money(parsing: "12.34 EUR"), source: .secureCard(token))
        let byToken = try await terminal.processSale(sale)
        #expect(byToken.outcome == .approved)
        #expect(byToken.card?.maskedPAN == "476173******0010")

        try await terminal.connect(Reader(atc: 2))
        let byCard = try await terminal.processSale(Sale(orderID: OrderID("o2"), amount: Money(parsing: "1.51 EUR")))
        #expect(byCard.outcome == .declined && byCard.description == "INSUFFICIENT FUNDS")

        try await terminal.connect(Reader(atc: 3))
        #expect(try await terminal.editSecureCard(terminal.retrieveSecureCard(reference)).description == "Secure Card Updated")
        #expect(try await terminal.deleteSecureCard(reference).secureCardReference == nil)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: OrderID("o3"), amount: Money(parsing: "1.00 EUR"), source: .secureCard(token)))
        }
        #expect(error?.code == .refused(.secureCardDeleted))
        #expect(try await bench.orders().map(\.state) == [.voided, .declined, .approved, .voided])

        var printed = "\(saved) \(byToken) \(byCard) \(String(describing: error)) \(byCard.receipt.text(for: .merchant))"
        dump((saved, byToken, byCard, try await bench.orders()), to: &printed)
        for canary in [TestCard.pan, "31122010000012300000", "NAMECANARY"] { #expect(!printed.contains(canary)) }
    }
}
