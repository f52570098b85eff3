import Bytes
import CardCapture
import PaymentDoubles
import PaymentTerminal
import Testing

@testable import TerminalJournal

/// Cancelling over the journal that ships: its writes are not cancelled with the operation.
@Suite struct CancelledSaleTests {
    @Test("A cancelled sale ends as cancelled, its order and key are free", arguments: [false, true], [false, true])
    func cancelled(_ asksLate: Bool, _ byTask: Bool) async throws {
        let bench = JournalBench()
        let journal = try await bench.open()
        let line = BenchLine()
        let card = CapturedCard(entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
        let reader = PatientReader(lateCard: asksLate ? card : nil)
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

    @Test("A sale whose task is cancelled once the host is asked is written to its end") func afterAsking() async throws
    {
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

    /// Reports when it is asked, and answers at the end of a stream.
    private struct GatedHost: RelayedHost {
        let line: BenchLine
        let asked: AsyncStream<Void>.Continuation
        let answer: AsyncStream<Void>

        func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
            asked.yield()
            for await _ in answer {}
            return try await line.authorize(request)
        }

        func relayed() throws(HostError) -> any PaymentHost { line }
    }
}
