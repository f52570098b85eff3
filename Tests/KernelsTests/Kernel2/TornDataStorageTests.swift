import Bytes
import Contactless
import EMVKernel
import KernelDoubles
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

/// A card that leaves while it writes to a slot, and comes back.
@Suite("A write to a slot is torn") struct TornDataStorageTests {
    private static let write = Kernel2Configuration.DataStorage.Writes(slot: .write("DATA", .permanentSlot))

    private func tap(_ faults: CardFault...) throws -> StorageTap {
        var tap = try StorageTap()
        tap.tap.faults = faults
        return tap
    }

    private func lost(_ instruction: Instruction, _ occurrence: Int = 1) -> CardFault {
        CardFault(.silence, at: .command(instruction, occurrence: occurrence))
    }

    private func cryptograms(_ run: StorageTap.Run) -> [String] {
        run.tap.sent.map { String($0.header.hex.prefix(4)) }.filter { $0 == "80AE" || $0 == "80D0" }
    }

    /// The card has written once: the recovered answer is judged by the slot's state at the first
    /// tap.
    @Test("The recovered answer tells of the write of the first tap") func recovered() async throws {
        var tap = try tap(lost(.generateAC))
        let run = try await tap.run(Self.write)
        #expect(cryptograms(run) == ["80AE", "80D0"])
        #expect(run.outcome.status == .approved)
        #expect(run.summaryStatus == "C0")
        #expect(run.outcome.data?.terminal[0xDF8128] == [0xC0])
        #expect(run.outcome.data?[0xDF8101] == run.outcome.data?[0x9F7D])
        tap.tap.faults = []
        let next = try await tap.run()
        #expect(
            next.reported?[0x9F54] == Array("DATA".utf8)
                && next.reported?[0x9F7D] == run.outcome.discretionaryData[0xDF8102])
    }

    @Test("A terminal that no longer asks for the slot recovers all the same") func recoveredWithoutRequest()
        async throws
    {
        var tap = try tap(lost(.generateAC))
        tap.tap.maximumPresentations = 1
        let (first, log) = try await run(tap, Self.write)
        #expect(first.outcome.reason == .presentedTooOften)
        #expect(log.records.count == 1)
        tap.tap.faults = []
        tap.request.operatorIdentifier = nil
        let (second, rest) = try await run(tap, Kernel2Configuration.DataStorage.Writes(), log)
        #expect(second.outcome.status == .approved)
        #expect(second.summaryStatus == "C0")
        #expect(rest.records.isEmpty)
    }

    /// Between two processes.
    @Test("The record outlives its process") func coded() async throws {
        var tap = try tap(lost(.generateAC))
        tap.tap.maximumPresentations = 1
        let (_, log) = try await run(tap, Self.write)
        tap.tap.faults = []
        let (second, _) = try await run(tap, Self.write, TornTransactionLog(encoded: log.encoded))
        #expect(cryptograms(second) == ["80D0"])
        #expect(second.summaryStatus == "C0")
    }

    /// S11.47 to S11.49: the card has written after all, so what the terminal read is no longer the
    /// slot's state.
    @Test("A card that has written and cannot say so ends the tap") func writtenUnheard() async throws {
        let tap = try tap(
            lost(.generateAC), CardFault(.status(.conditionsNotSatisfied), at: .command(.recoverAC, occurrence: 1)))
        let run = try await tap.run(Kernel2Configuration.DataStorage.Writes(slot: .write("DATA", .volatileSlot)))
        #expect(cryptograms(run) == ["80AE", "80D0", "80AE"])
        #expect(run.outcome.reason == .dataStorageRead)
        #expect(run.error == 0x0B)
        #expect(run.outcome.data != nil)
    }

    /// Its first GENERATE AC does not reach the card, and has no answer.
    @Test("A card that never got the command writes at the second tap") func neverWritten() async throws {
        let tap = try tap(
            CardFault(.status(.conditionsNotSatisfied), at: .command(.generateAC, occurrence: 1)), lost(.generateAC),
            CardFault(.status(.conditionsNotSatisfied), at: .command(.recoverAC, occurrence: 1)))
        let run = try await tap.run(Self.write)
        #expect(cryptograms(run) == ["80AE", "80D0", "80AE"])
        #expect(run.outcome.status == .approved)
        #expect(run.summaryStatus == "C0")
    }

    /// S11.11 to S11.13.
    @Test("A record with a write stays when its second command is lost, one without does not") func lostAgain()
        async throws
    {
        for (writes, count) in [(Self.write, 2), (Kernel2Configuration.DataStorage.Writes(), 1)] {
            var tap = try tap(
                lost(.generateAC), lost(.generateAC, 2),
                CardFault(.status(.conditionsNotSatisfied), at: .every(.recoverAC)))
            tap.tap.maximumPresentations = 2
            let (run, log) = try await run(tap, writes)
            #expect(cryptograms(run) == ["80AE", "80D0", "80AE"])
            #expect(log.records.count == count)
        }
    }

    /// S9.6 to S9.8.
    @Test("Without a record the tap ends with the data of the write, and the card is not presented again")
    func withoutRecord() async throws {
        var tap = try StorageTap { $0.recoversTornTransactions = false }
        tap.tap.faults = [lost(.generateAC)]
        let run = try await tap.run(Self.write)
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .termination(.channel(.timedOut)))
        #expect(run.outcome.data?.terminal[0xDF8128] == [0xC0])
        #expect(run.outcome.onOutcome?.message == .insertSwipeOrTryAnotherCard)
        #expect(cryptograms(run) == ["80AE"] && run.outcome.discretionaryData[0xDF8115]?.first == 1)
        // Without a write it is presented again.
        let read = try await tap.run()
        #expect(read.outcome.status == .approved)
        #expect(cryptograms(read) == ["80AE", "80AE"])
        tap = try StorageTap()
        tap.kernel.maximumTornTransactions = 0
        tap.tap.faults = [lost(.generateAC)]
        #expect(try await tap.run(Self.write).outcome.status == .endApplication)
    }

    /// One tap with the reader's log of torn transactions, and the log after it.
    private func run(
        _ storage: StorageTap, _ writes: Kernel2Configuration.DataStorage.Writes,
        _ log: TornTransactionLog = TornTransactionLog()
    ) async throws -> (StorageTap.Run, TornTransactionLog) {
        var (kernel, request) = (storage.kernel, storage.request)
        request.answer = { _ in writes }
        kernel.dataStorage = request
        var combination = storage.tap.combinations[0]
        combination.kernel = kernel
        var configuration = EntryPointConfiguration(terminal: storage.tap.terminal, combinations: [combination])
        configuration.maximumPresentations = storage.tap.maximumPresentations
        var entryPoint = EntryPoint(
            configuration, request: storage.tap.request, environment: FixedEnvironment(percentage: 50))
        entryPoint.tornTransactions = log
        let run = try await VirtualTap.run(
            entryPoint, with: FaultyCard(storage.card, storage.tap.faults) { _ in }, ask: { $0 }, change: { $1 })
        return (StorageTap.Run(tap: run, reported: nil), run.tornTransactions)
    }
}
