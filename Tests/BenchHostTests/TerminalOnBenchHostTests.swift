import BenchHost
import Bytes
import CardCapture
import PaymentTerminal
import Receipts
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

    @Test("two terminals in one process that share an order id each have their own order") func twoTerminals()
        async throws
    {
        let bench = try Bench()
        var terminals: [Terminal] = []
        for id in ["T1", "T2"] {
            try await bench.host.save(
                BenchTerminal(settings: HostSettings(merchantName: id, terminalID: id), secret: SecretBytes("s".utf8)))
            terminals.append(
                Terminal(
                    configuration: Terminal.Configuration(
                        merchantName: id, terminalID: id, currency: .euro, mode: .test),
                    host: bench.host.host(of: id), journal: MemoryJournal()
                ) { Timestamp(secondsSince1970: 1_773_057_909) })
        }
        for (terminal, amount) in zip(terminals, ["1.00 EUR", "2.00 EUR"]) {
            let sale = Sale(
                orderID: "o1", amount: try Money(parsing: amount), source: .keyed(try details(), cvv: nil),
                terms: PaymentTerms(channel: .mailOrTelephone))
            #expect(try await terminal.processSale(sale).outcome == .approved)
        }
        #expect(try await terminals[0].reverse("o1").outcome == .reversed(.requested))
        let orders = try await bench.orders()
        #expect(orders.filter { $0.state == .reversed }.map { $0.amount?.decimal } == ["1.00"])
        #expect(orders.filter { $0.state == .approved }.map { $0.amount?.decimal } == ["2.00"])
        #expect(try await terminals[1].transactions().map(\.orderID.text) == ["o1"])
        guard case .decided(let answer) = try await bench.host.host(of: "T2").status(of: "o1") else {
            Issue.record("T2's order is gone")
            return
        }
        #expect(answer.authorizedAmount.decimal == "2.00")
        let foreign = try request("o2", "1.00", .keyed(details(), cvv: nil))
        let error = await #expect(throws: HostError.self) { try await bench.host.host(of: "T1").authorize(foreign) }
        #expect(error?.code == .refused(.notAuthorized), "BENCH001's")
    }

    @Test("G1: register from the reader, pay by token, update, delete; nothing printed tells a card number")
    func wholeLife() async throws {
        let bench = try Bench()
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test),
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
        #expect(byCard.outcome == .declined)
        #expect(byCard.description == "INSUFFICIENT FUNDS")

        try await terminal.connect(Reader(atc: 3))
        #expect(
            try await terminal.editSecureCard(terminal.retrieveSecureCard(reference)).description
                == "Secure Card Updated")
        #expect(try await terminal.deleteSecureCard(reference).secureCardReference == nil)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(
                Sale(orderID: OrderID("o3"), amount: Money(parsing: "1.00 EUR"), source: .secureCard(token)))
        }
        #expect(error?.code == .refused(.secureCardDeleted))
        #expect(try await bench.orders().map(\.state) == [.voided, .declined, .approved, .voided])

        var printed =
            "\(saved) \(byToken) \(byCard) \(String(describing: error)) \(byCard.receipt.text(for: .merchant))"
        dump((saved, byToken, byCard, try await bench.orders()), to: &printed)
        for canary in [TestCard.pan, "31122010000012300000", "NAMECANARY"] { #expect(!printed.contains(canary)) }
    }
}
