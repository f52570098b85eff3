import Bytes
import CardCapture
import PaymentTerminal
import Testing

@testable import TerminalJournal

/// Cancelling over the journal that ships: its writes are not cancelled with the operation.
@Suite struct CancelledSaleTests {
    /// A reader before which nobody presents a card.
    private struct PatientReader: CardReader {
        let name = "Patient reader"
        let capabilities: ReaderCapabilities = .contactChip
        let events = ReaderEvents()
        let isWaiting = AsyncStream.makeStream(of: Void.self)
        /// Whether it asks the host all the same when it is cancelled.
        var asksLate = false

        func capture(
            _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
        ) async throws(CaptureError) -> CaptureOutcome {
            isWaiting.continuation.yield()
            // Ends when the task is cancelled.
            for await _ in AsyncStream.makeStream(of: Void.self).stream {}
            guard asksLate else { throw .cancelled }
            let card = CapturedCard(entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
            _ = await authorize(card)
            return CaptureOutcome(decision: .declinedOffline, card: card)
        }
    }

    @Test("A cancelled sale ends as cancelled, its order and key are free", arguments: [false, true], [false, true])
    func cancelled(_ asksLate: Bool, _ byTask: Bool) async throws {
        let bench = JournalBench()
        let journal = try await bench.open()
        let line = BenchLine()
        let reader = PatientReader(asksLate: asksLate)
        let terminal = try await JournalBench.terminal(line, journal, reader: reader)
        var sale = try JournalBench.sale("o1")
        sale.source = .reader
        let running = Task { [sale] in try await terminal.processSale(sale) }
        for await _ in reader.isWaiting.stream { break }
        if byTask { running.cancel() } else { _ = await terminal.cancel() }
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        #expect(line.authorizations == 0)
        #expect(try await journal.openEntries().isEmpty)
        try await terminal.disconnect()
        #expect(try await terminal.processSale(JournalBench.sale("o1")).outcome == .approved)
    }

    @Test("A sale in a task that is cancelled already ends as cancelled, and not as a failure of the journal")
    func beforehand() async throws {
        let bench = JournalBench()
        let line = BenchLine()
        let terminal = try await JournalBench.terminal(line, bench.open())
        let running = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await terminal.processSale(JournalBench.sale("o1"))
        }
        running.cancel()
        let error = await #expect(throws: TerminalError.self) { try await running.value }
        #expect(error?.code == .cancelled)
        #expect(line.authorizations == 0)
        #expect(try await terminal.processSale(JournalBench.sale("o1")).outcome == .approved)
    }

    @Test("A sale whose task is cancelled once the host is asked is written to its end") func afterAsking() async throws {
        let bench = JournalBench()
        let journal = try await bench.open()
        let (asked, answer) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let host = GatedHost(line: BenchLine(), asked: asked.continuation, answer: answer.stream)
        let terminal = try await JournalBench.terminal(host, journal)
        let running = Task { try await terminal.processSale(JournalBench.sale("o1")) }
        for await _ in asked.stream { break }
        running.cancel()
        answer.continuation.finish()
        #expect(try await running.value.outcome == .approved)
        #expect(try await journal.entry(for: OrderID("o1"))?.stage == .finished)
    }

    /// Tells when it is asked, and answers at the end of a stream.
    private struct GatedHost: PaymentHost {
        let line: BenchLine
        let asked: AsyncStream<Void>.Continuation
        let answer: AsyncStream<Void>
        func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
            asked.yield()
            for await _ in answer {}
            return try await line.authorize(request)
        }
        func settings() async throws(HostError) -> HostSettings { try await line.settings() }
        func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await line.refund(request) }
        func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await line.capture(request) }
        func advise(_ advice: Advice) async throws(HostError) { try await line.advise(advice) }
        func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { try await line.status(of: orderID) }
        func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { try await line.knowsReferencedRequestsByOrder() }
        func transactions(_ query: TransactionQuery) async throws(HostError) -> [TransactionRecord] { try await line.transactions(query) }
        func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            try await line.registerSecureCard(registration)
        }
        func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
            try await line.retrieveSecureCard(reference)
        }
        func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
            try await line.updateSecureCard(registration)
        }
        func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
            try await line.deleteSecureCard(reference, token: token)
        }
    }
}
