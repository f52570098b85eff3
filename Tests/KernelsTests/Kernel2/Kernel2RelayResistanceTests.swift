import Bytes
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing

/// Relay resistance where the kernel uses it. The card has no CDA here; the signature is examined
/// with virtual cards.
@Suite("Kernel 2 resists relays") struct Kernel2RelayResistanceTests {
    /// Minimum 2 ms, maximum 5 ms, 2.4 ms for the answer.
    private static let answer = "800AA1B2C3D40014003200189000"

    private func tap(_ times: [Duration] = [.milliseconds(7)], profile: String = "1881") throws -> MastercardTap {
        var tap = try MastercardTap()
        try tap.withoutSignatures(profile: profile)
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        tap.kernel.relayResistance = RelayResistanceLimits()
        tap.answers.append(("80EA", Self.answer))
        tap.relayTimes = times
        return tap
    }

    private func tvr(_ run: MastercardTap.Run) -> String? { run.outcome.data?[.terminalVerificationResults]?.hex }

    /// The number is that of the transaction.
    @Test("It comes between processing options and records") func order() throws {
        let run = try tap().run()
        let number = try MastercardTap().number.hex
        let position = try #require(run.sent.firstIndex { $0.hasPrefix("80EA") })
        #expect(run.sent[position] == "80EA000004\(number)00")
        #expect(run.sent[position - 1].hasPrefix("80A8"))
        #expect(run.sent[position + 1].hasPrefix("00B2"))
        #expect(tvr(run) == "8000000002")
        #expect(run.outcome.data?[.unpredictableNumber]?.hex == number)
        #expect(
            run.outcome.discretionaryData[0xDF8301]?.hex == number
                && run.outcome.discretionaryData[0xDF8302]?.hex == "A1B2C3D4")
        #expect(
            run.outcome.discretionaryData[0xDF8303]?.hex == "0014"
                && run.outcome.discretionaryData[0xDF8304]?.hex == "0032")
        #expect(run.outcome.discretionaryData[0xDF8305]?.hex == "0018")
        // 7 ms less 1.8 ms and 2.4 ms.
        #expect(
            run.outcome.discretionaryData[0xDF8306]?.hex == "001C"
                && run.outcome.discretionaryData[0xDF8307]?.hex == "00")
    }

    @Test("Card and reader must both have it") func bothSides() throws {
        var without = try tap()
        without.kernel.relayResistance = nil
        for run in [try without.run(), try tap(profile: "1880").run()] {
            #expect(!run.sent.contains { $0.hasPrefix("80EA") })
            #expect(tvr(run) == "8000000001")
            #expect(!run.outcome.discretionaryData.contains(0xDF8301))
            #expect(!run.outcome.discretionaryData.contains(0xDF8306))
        }
    }

    @Test("Three late answers set the bit of the TVR") func late() throws {
        let run = try tap([.milliseconds(50)]).run()
        #expect(run.sent.count { $0.hasPrefix("80EA") } == 3)
        #expect(tvr(run) == "800000000E" && run.outcome.discretionaryData[0xDF8307]?.hex == "02")
    }

    /// Byte 5 of the book's own action codes, 840000000C.
    @Test("The action codes decline a relayed card") func declined() throws {
        func asked(_ time: Duration) throws -> String? {
            var tap = try tap([time])
            tap.kernel.actionCodes.denial = .init(rawValue: 0x0C)
            return try tap.run().asked
        }
        #expect(try asked(.milliseconds(50)) == "00")
        #expect(try asked(.milliseconds(7)) != "00")
    }

    @Test("An answer before its time ends the tap") func tooSoon() throws {
        var tap = try tap([.zero])
        tap.answers.insert(("80EA", "800AA1B2C3D40100020000189000"), at: 0)
        let outcome = try tap.run().outcome
        #expect(outcome.status == .endApplication)
        #expect(outcome.reason == .answeredTooSoon)
    }

    @Test("A card that leaves is presented again") func removed() throws {
        var tap = try tap()
        tap.answers.insert(("80EA", ""), at: 0)
        let run = try tap.run()
        #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)))
        #expect(!run.sent.contains { $0.hasPrefix("80AE") })
    }

    /// S910.39, by hand: key index F3 counts as 0, no retry, C3D4 is 50132, B2 is 178, 2.8 ms are
    /// 2; one digit fills up.
    @Test("Without CDA track 2 tells the issuer") func track2() throws {
        let run = try tap().run()
        let before = try #require(try MastercardTap().run().outcome.data?[.track2EquivalentData]?.hex)
        let kept = try #require(before.split(separator: "D").first.map { "\($0)D" })
        let date = before.dropFirst(kept.count).prefix(7)
        #expect(
            run.outcome.data?[.track2EquivalentData]?.hex == "\(kept)\(date)" + "0" + "0" + "50132" + "178" + "002"
                + "F")
    }
}
