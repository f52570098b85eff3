import Bytes
import CardCapture
import Foundation
import PaymentDoubles
import PaymentTerminal
import Receipts
import Synchronization
import TerminalJournal
import Testing

/// A terminal with everything around it, in one run: every way out of it is searched for what was
/// put in.
@Suite struct TerminalCanaryTests {
    private final class Printed: Sendable {
        private let text = Mutex("")
        var all: String { text.withLock { $0 } }

        /// As whoever logs it would see it: described, printed for debugging, and taken apart.
        func print(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            let lines = [String(describing: value), String(reflecting: value), dumped].joined(separator: "\n")
            text.withLock { $0 += lines + "\n" }
        }
    }

    /// A chip card with a PIN, approved by the issuer or declined.
    private struct ChipAndPIN: CardReader {
        let name = "Chip reader"
        let capabilities: ReaderCapabilities = [.contactChip, .pinPad]
        let events = ReaderEvents()
        let counter: UInt16

        func capture(
            _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
        ) async throws(CaptureError) -> CaptureOutcome {
            guard let pin = try? ChipCard.pinBlock("1234"),
                let card = try? ChipCard(minorUnits: Int64(request.amount)).captured(atc: counter, pin: pin)
            else { throw .noCardPresented }
            guard case .answered(let answer) = await authorize(card) else {
                return CaptureOutcome(decision: .declinedOffline, card: card)
            }
            return CaptureOutcome(decision: answer.responseCode == "00" ? .approvedOnline : .declinedOnline, card: card)
        }
    }

    @Test("PCI: nothing of a card leaves a terminal by events, responses, errors, receipts, logs, journal or vault")
    func hunt()
        async throws
    {
        for cvv in CanaryTests.cvvs { if try await !shows(cvv) { return } }
        Issue.record("any CVV is found")
    }

    /// - Returns: Whether the CVV is found; anything else that is found is recorded.
    private func shows(_ cvv: String) async throws -> Bool {
        var isFound = false
        let bench = try await HostBench()
        let port = try await bench.serve()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let printed = Printed()
        for (name, gateway) in [("r", try bench.rest(port)), ("x", try bench.xml(port))] as [(String, any PaymentHost)]
        {
            let journal = try await SQLiteJournal.open(
                folder: folder + name, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 9, count: 32))))
            defer { try? FileManager.default.removeItem(atPath: folder + name) }
            try await sell(name, cvv, gateway: gateway, journal: journal, printed: printed)
            let journalBytes = try bytes(folder + name)
            #expect(!journalBytes.isEmpty)
            for (place, found) in [
                ("journal", journalBytes), ("vault", try bench.bytes), ("log", Data(bench.log.text.utf8)),
                ("output", Data(printed.all.utf8)),
            ] {
                isFound = isFound || found.range(of: Data(cvv.utf8)) != nil
                for canary in try CanaryTests.canaries() where found.range(of: canary) != nil {
                    // What an integrator gave of the cardholder comes back to it with the secure
                    // card.
                    let isOwn = ["NAMECANARY", "jane@example.org"].contains(String(decoding: canary, as: UTF8.self))
                    if place == "output", isOwn { continue }
                    Issue.record("\(String(decoding: canary, as: UTF8.self)) is in the \(place) of \(name)")
                }
            }
        }
        #expect(printed.all.contains("555555******4444"), "the hunt sees what is there")
        return isFound
    }

    private func sell(_ name: String, _ cvv: String, gateway: any PaymentHost, journal: SQLiteJournal, printed: Printed)
        async throws
    {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test)
        configuration.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe, .keyed])
        configuration.limits.host = .seconds(4)
        configuration.limits.retry = .seconds(3600)
        let host = PullableHost(gateway)
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) {
            Timestamp(secondsSince1970: 1_773_057_909)
        }
        let stream = terminal.eventStream()
        let listening = Task { for await event in stream { printed.print(event) } }
        func attempt<Result>(_ body: () async throws -> Result) async {
            do {
                let result = try await body()
                printed.print(result)
                guard let response = result as? PaymentResponse else { return }
                for copy in Receipt.Copy.allCases {
                    printed.print(response.receipt.text(for: copy) + response.receipt.html(for: copy))
                }
                printed.print(String(decoding: try JSONEncoder().encode(response), as: UTF8.self))
            } catch {
                printed.print(error)
            }
        }
        let amounts = ["10.00", "10.05", "20.10", "45.68", "45.69", "45.70"]
        let keyed = Sale.Source.keyed(try details(), cvv: SecretBytes(cvv.utf8))
        for (number, amount) in amounts.enumerated() {
            let sale = Sale(
                orderID: try OrderID("\(name)k\(number)"), idempotencyKey: try IdempotencyKey("\(name)k\(number)"),
                amount: try Money(parsing: amount, in: .euro),
                source: keyed)
            await attempt { try await terminal.processSale(sale) }
            await attempt { try await terminal.processSale(sale) }
        }
        var card = SecureCard(merchantReference: try MerchantReference("\(name)-card"))
        card.tokenMethod = .keyed(try details(), cvv: SecretBytes(cvv.utf8))
        await attempt { try await terminal.registerSecureCard(card) }
        await attempt { try await terminal.retrieveSecureCard(card.merchantReference) }
        for (index, reader) in [Swipe(), ChipAndPIN(counter: name == "r" ? 1 : 101)].enumerated()
            as EnumeratedSequence<[any CardReader]>
        {
            try await terminal.connect(reader)
            await attempt {
                try await terminal.processSale(
                    Sale(orderID: OrderID("\(name)c\(index)"), amount: Money(parsing: "10.00", in: .euro)))
            }
            host.isPlugged = false
            await attempt {
                try await terminal.processSale(
                    Sale(orderID: OrderID("\(name)s\(index)"), amount: Money(parsing: "10.00", in: .euro)))
            }
            printed.print(await terminal.pendingPayments)
            host.isPlugged = true
            try await terminal.disconnect()
        }
        await attempt { try await terminal.reverse(OrderID("\(name)k0")) }
        await attempt { try await terminal.transactions(TransactionQuery()) }
        printed.print(try await journal.latest(100))
        // One payment is left in the journal, with all that it takes to send it.
        host.isPlugged = false
        try await terminal.connect(Swipe())
        let stored = try await terminal.processSale(
            Sale(orderID: OrderID("\(name)z"), amount: Money(parsing: "10.00", in: .euro)))
        #expect(stored.outcome == .storedOffline)
        printed.print(try await journal.openEntries())
        printed.print(terminal)
        listening.cancel()
    }

    private func bytes(_ folder: String) throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: Data()) {
            $0 += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $1))
        }
    }
}
