import Bytes
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

private typealias EnvelopeWrite = Kernel2Configuration.DataStorage.EnvelopeWrite
private typealias Writes = Kernel2Configuration.DataStorage.Writes

@Suite("Standalone data storage: data envelopes are read and written around GENERATE AC")
struct StandaloneDataStorageTests {
    private func tap(_ change: (inout MastercardContactlessProfile) -> Void = { _ in }) throws -> StorageTap {
        var storage = MastercardContactlessProfile.DataStorage()
        storage.version = nil
        storage.scheme = 8
        storage.envelopes = [1: Array("ISSUER".utf8), 6: Array("TICKET 1".utf8)]
        var tap = try StorageTap(storage, change)
        tap.request.operatorIdentifier = nil
        return tap
    }

    private func write(_ tag: TLV.Tag, _ text: String) throws -> EnvelopeWrite {
        try #require(EnvelopeWrite(tag, Array(text.utf8)))
    }

    private func commands(_ run: StorageTap.Run) -> [String] {
        run.tap.sent.dropFirst(2).map { String($0.header.hex.prefix(8)) }
    }

    @Test("Envelopes are read before the records, and the terminal sees them before it writes") func read() async throws
    {
        var tap = try tap()
        tap.request.tagsToRead = [0x9F70, 0x9F75, 0x9F76, .applicationPAN, 0x9F7D]
        let run = try await tap.run()
        #expect(commands(run).prefix(5) == ["80A80000", "80CA9F70", "80CA9F75", "80CA9F76", "00B20114"])
        let reported = try #require(run.reported)
        #expect(reported[0x9F70] == Array("ISSUER".utf8) && reported[0x9F75] == Array("TICKET 1".utf8))
        // Not readable, and not there.
        #expect(
            reported[0x9F76] == [] && reported[0x9F7D] == [] && reported[.applicationPAN]?.hex == "5413330089600119")
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.data?[0x9F75] == Array("TICKET 1".utf8))
        #expect(run.writeStatus == ["00", "00"])
    }

    @Test("Envelopes are written before and after the cryptogram") func written() async throws {
        var tap = try tap()
        let writes = Writes(
            beforeCryptogram: [try write(0x9F75, "TICKET 2"), try write(0x9F78, String(repeating: "L", count: 64))],
            afterCryptogram: [try write(0x9F79, "RECEIPT")])
        let run = try await tap.run(writes)
        #expect(run.outcome.status == .approved)
        #expect(run.writeStatus == ["80", "80"])
        #expect(commands(run).suffix(4) == ["80DA9F75", "80DA9F78", "80AE5000", "80DA9F79"])
        #expect(run.outcome.data?.terminal[0xDF810E] == [0x80])
        tap.request.tagsToRead = [0x9F75, 0x9F78, 0x9F79]
        let reported = try await tap.run().reported
        #expect(reported?[0x9F75] == Array("TICKET 2".utf8))
        #expect(reported?[0x9F78]?.count == 64)
        #expect(reported?[0x9F79] == Array("RECEIPT".utf8))
    }

    @Test("After an envelope that the card does not take no more are written, and the payment goes on") func refused()
        async throws
    {
        let tap = try tap()
        // A protected one, and one of 33 bytes in a scheme of 32.
        for bad in [try write(0x9F70, "X"), try write(0x9F75, String(repeating: "X", count: 33))] {
            let writes = [bad, try write(0x9F76, "NEVER")]
            let run = try await tap.run(Writes(beforeCryptogram: writes, afterCryptogram: writes))
            #expect(run.outcome.status == .approved)
            #expect(run.writeStatus == ["00", "00"])
            #expect(run.tap.count(.putData) == 2)
            #expect(run.tap.count(.generateAC) == 1)
        }
        var reading = tap
        reading.request.tagsToRead = [0x9F76]
        #expect(try await reading.run().reported?[0x9F76] == [])
    }

    @Test("A card that leaves before the cryptogram is presented again, one that leaves after it has paid")
    func removed() async throws {
        var tap = try tap()
        let writes = Writes(beforeCryptogram: [try write(0x9F75, "A")], afterCryptogram: [try write(0x9F76, "B")])
        tap.tap.faults = [CardFault(.silence, at: .command(.putData, occurrence: 1))]
        let before = try await tap.run(writes)
        #expect(before.outcome.status == .approved)
        #expect(before.tap.shown.contains { $0.message == .presentCardAgain })
        #expect(before.tap.count(.generateAC) == 1)
        #expect(before.writeStatus == ["80", "80"])
        tap.tap.faults = [CardFault(.silence, at: .command(.putData, occurrence: 2))]
        let after = try await tap.run(writes)
        #expect(after.outcome.status == .approved)
        #expect(after.writeStatus == ["80", "00"])
        #expect(after.tap.count(.generateAC) == 1)
    }

    @Test("The card's decision does not matter for envelopes, an answer that is not the card's does") func decisions()
        async throws
    {
        var tap = try tap()
        let writes = Writes(afterCryptogram: [try write(0x9F75, "A")])
        tap.kernel.actionCodes.denial.insert(.floorLimitExceeded)
        tap.tap.request.amount = 30_00
        let declined = try await tap.run(writes)
        #expect(declined.outcome.status == .tryAnotherInterface)
        #expect(declined.writeStatus == ["00", "80"])
        tap.tap.request.amount = 10_00
        tap.tap.change = { $0.instruction == .generateAC ? $1.corrupted(.signedDynamicApplicationData) : $1 }
        let forged = try await tap.run(writes)
        #expect(forged.outcome.status == .endApplication)
        #expect(forged.tap.count(.putData) == 0)
        #expect(forged.writeStatus == ["00", "00"])
    }

    @Test("With a balance, envelopes are written behind its reading") func balance() async throws {
        var tap = try tap { $0.offlineBalance = 100_00 }
        (tap.kernel.readsBalanceBefore, tap.kernel.readsBalanceAfter) = (true, true)
        tap.request.tagsToRead = [0x9F50]
        let run = try await tap.run(Writes(afterCryptogram: [try write(0x9F75, "A")]))
        #expect(commands(run).suffix(3) == ["80AE5000", "80CA9F50", "80DA9F75"])
        #expect(run.writeStatus == ["00", "80"])
        #expect(run.reported?[0x9F50]?.hex == "000000010000")
        #expect(run.tap.count(.getData) == 3)
        #expect(run.outcome.onOutcome?.value == .balance(90_00, currency: 840))
    }

    @Test(
        "Answers that are none are empty envelopes",
        arguments: ["9F760141", "9F75", "FF", "", "9F7581C1" + String(repeating: "41", count: 193)])
    func malformed(_ answer: String) async throws {
        var tap = try tap()
        tap.request.tagsToRead = [0x9F75]
        let data = try [UInt8](hex: answer)
        tap.tap.change = { $0.instruction == .getData ? ResponseAPDU(data) : $1 }
        let run = try await tap.run()
        #expect(run.outcome.status == .approved)
        #expect(run.reported?[0x9F75] == [])
        #expect(run.outcome.data?[0x9F75] == nil)
    }

    @Test("Mag-stripe mode has neither") func magstripe() async throws {
        var tap = try tap { $0.mode = .magstripe }
        tap.request.tagsToRead = [0x9F75]
        let writes = [try write(0x9F75, "A")]
        let run = try await tap.run(Writes(beforeCryptogram: writes, afterCryptogram: writes))
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.reported == nil)
        #expect(run.tap.count(.getData) == 0)
        #expect(run.tap.count(.putData) == 0)
    }

    @Test("What is not a data envelope cannot be written") func envelopes() {
        #expect(EnvelopeWrite(0x9F6F, [1]) == nil)
        #expect(EnvelopeWrite(0x9F7A, [1]) == nil)
        #expect(EnvelopeWrite(0x9F36, [0, 1]) == nil)
        #expect(EnvelopeWrite(0x9F75, [UInt8](repeating: 0, count: 193)) == nil)
        #expect(EnvelopeWrite(0x9F75, [UInt8](repeating: 0, count: 192)) != nil)
        #expect(EnvelopeWrite(0x9F79, []) != nil)
    }
}
