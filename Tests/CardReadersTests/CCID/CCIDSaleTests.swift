import CardCapture
import CardReaders
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Whole online sales with the kernel through the driver and an emulated reader, at each level of
/// exchange and with each protocol.
@Suite(.serialized) struct CCIDSaleTests {
    @Test(
        "a whole sale through a CCID reader", arguments: EmulatedReader.Shape.Level.allCases,
        [EmulatedCard.t0, EmulatedCard.t1])
    func sale(_ level: EmulatedReader.Shape.Level, _ atr: [UInt8]) async throws {
        let bench = try SaleBench.shared.get()
        var shape = EmulatedReader.Shape()
        shape.level = level
        let device = EmulatedReader(shape, card: EmulatedCard(atr, bench.fresh()))
        let reader = try device.driver()
        let slot = try await reader.open()[0]
        let outcome = try await bench.sell(slot)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.maskedPAN == "476173******0119")
        // The card has no power any more, and the next sale finds it.
        #expect(device.commands.last?.first == 0x63)
        #expect(try await bench.sell(slot).decision == .approvedOnline)
    }

    /// The same while the reader splits, repeats and delays: every command in its own way.
    @Test(arguments: EmulatedReader.Shape.Level.allCases, [EmulatedCard.t0, EmulatedCard.t1])
    func saleThroughABadReader(_ level: EmulatedReader.Shape.Level, _ atr: [UInt8]) async throws {
        let bench = try SaleBench.shared.get()
        var shape = EmulatedReader.Shape()
        shape.level = level
        shape.packet = 8
        shape.notifies = false
        shape.endsWholePackets = false
        let device = EmulatedReader(shape, card: EmulatedCard(atr, bench.fresh()))
        let harmless: [EmulatedReader.Fault] = [
            .stale(1), .wrongSlot, .moreTime([1, 0, 255]), .split(3), .emptyTransfers(2), .stale(16), .split(1),
        ]
        for command in 0..<400 { device.fault(harmless[command % harmless.count], at: command) }
        let reader = try device.driver()
        #expect(try await bench.sell(try await reader.open()[0]).decision == .approvedOnline)
    }

    /// Unplugged at any call of the transport: an end with a reason, never a hang; plugged in
    /// again, the reader sells.
    @Test func unpluggedAtEveryStep() async throws {
        let bench = try SaleBench.shared.get()
        let whole = EmulatedReader(card: EmulatedCard(EmulatedCard.t1, bench.fresh()))
        _ = try await bench.sell(try await whole.driver().open()[0])
        let calls = whole.callCount
        #expect(calls > 60)
        for call in stride(from: 0, to: calls, by: 3) {
            let device = EmulatedReader(card: EmulatedCard(EmulatedCard.t1, bench.fresh()))
            let reader = try device.driver()
            device.unplug(atCall: call)
            var ended = false
            do {
                let outcome = try await bench.sell(try await reader.open()[0])
                if case .notPossible = outcome.decision { ended = true }
                // Unplugged after the last answer of the card, it sold.
                if outcome.decision == .approvedOnline { ended = true }
            } catch {
                ended = true
            }
            #expect(ended, "call \(call)")
            await reader.close()
            device.plugIn()
            #expect(try await bench.sell(try await reader.open()[0]).decision == .approvedOnline, "call \(call)")
        }
    }

    /// Taken out at any command: the sale ends as the card's removal, and the next card is read.
    @Test func removalAtEveryCommand() async throws {
        let bench = try SaleBench.shared.get()
        let whole = EmulatedReader(card: EmulatedCard(EmulatedCard.t0, bench.fresh()))
        _ = try await bench.sell(try await whole.driver().open()[0])
        let count = whole.commands.count
        for command in 2..<count {
            let device = EmulatedReader(card: EmulatedCard(EmulatedCard.t0, bench.fresh()))
            let slot = try await device.driver().open()[0]
            device.fault(.removal, at: command - 1)
            do {
                let outcome = try await bench.sell(slot)
                guard case .notPossible = outcome.decision else {
                    // The last is switching off.
                    #expect(command >= count - 3, "command \(command)")
                    continue
                }
                #expect(outcome.requiresReversal, "command \(command)")
            } catch {
                #expect(error == .cardRemoved || error == .noCardPresented, "command \(command): \(error)")
            }
            device.insert(EmulatedCard(EmulatedCard.t0, bench.fresh()))
            #expect(try await bench.sell(slot).decision == .approvedOnline, "command \(command)")
        }
    }

    /// The PIN goes from the reader's keys to the card (EMV 4.4 Book 3, 10.5.1).
    @Test(arguments: [EmulatedReader.Shape.Level.tpdu, .short, .extended], [EmulatedCard.t0, EmulatedCard.t1])
    func saleWithThePINPadOfTheReader(_ level: EmulatedReader.Shape.Level, _ atr: [UInt8]) async throws {
        let bench = try SaleBench.shared.get()
        var shape = EmulatedReader.Shape()
        shape.level = level
        shape.pin = 1
        let device = EmulatedReader(shape, card: EmulatedCard(atr, bench.fresh()))
        device.enter(.enters("1234"))
        let slot = try await device.driver().open()[0]
        let outcome = try await bench.sell(slot, pinPad: slot.pinPad)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.chip?.elements[.cvmResults].map { Array($0) } == [0x41, 0x03, 0x02])
        let secure = device.commands.filter { $0[0] == 0x69 }
        #expect(secure.count == 1)
        // No message to the reader has the PIN in it.
        #expect(!device.commands.contains { $0.contains([0x24, 0x12, 0x34]) })
        device.enter(.cancels)
        await #expect(throws: CaptureError.cancelled) { _ = try await bench.sell(slot, pinPad: slot.pinPad) }
        device.enter(.timesOut)
        let without = try await bench.sell(slot, pinPad: slot.pinPad)
        #expect(without.card?.chip?.elements[.terminalVerificationResults].map { $0[$0.startIndex + 2] & 0x08 } == 0x08)
    }
}
