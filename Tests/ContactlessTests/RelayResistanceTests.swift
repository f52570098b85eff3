import Contactless
import EMVKernel
import SmartCard
import TLV
import Testing

/// The comparisons of the relay resistance protocol, with times that are calculated from its rules
/// by hand: by default 1.8 ms for the command and 2.4 ms for the answer are taken off, and the card
/// answers in 2 to 5 ms.
@Suite("Relay resistance compares times in units of 100 µs") struct RelayResistanceTests {
    private static func answer(minimum: UInt16 = 20, maximum: UInt16 = 50, transmission: UInt16 = 24) -> ResponseAPDU {
        ResponseAPDU(
            [0x80, 0x0A, 1, 2, 3, 4] + minimum.bigEndianBytes + maximum.bigEndianBytes + transmission.bigEndianBytes)
    }

    private func verdict(
        _ microseconds: [Int], _ answer: ResponseAPDU = answer(),
        _ change: (inout RelayResistanceLimits) -> Void = { _ in }
    ) throws -> RelayResistance.Verdict {
        var limits = RelayResistanceLimits()
        change(&limits)
        var relay = RelayResistance(limits, unpredictableNumber: [9, 8, 7, 6])
        var verdict = RelayResistance.Verdict.again
        for time in microseconds {
            try #require(verdict == .again)
            verdict = try relay.take(answer, after: .microseconds(time))
        }
        return verdict
    }

    private func result(_ verdict: RelayResistance.Verdict) throws -> RelayResistanceResult {
        guard case .performed(let result) = verdict else { throw Unexpected() }
        return result
    }

    private struct Unexpected: Error {}

    @Test("An honest card performs it at the first try") func performed() throws {
        let result = try result(verdict([4200 + 3000]))
        #expect(result.measured == 30)
        #expect(result.retries == 0)
        #expect(result.excess == 0)
        #expect(result.tvr == .relayResistancePerformed)
        #expect(result.exchanged == [9, 8, 7, 6, 1, 2, 3, 4, 0, 20, 0, 50, 0, 24])
    }

    @Test("The command is 80EA with the number") func command() {
        let relay = RelayResistance(RelayResistanceLimits(), unpredictableNumber: [9, 8, 7, 6])
        #expect(relay.command.bytes == [0x80, 0xEA, 0, 0, 4, 9, 8, 7, 6, 0])
    }

    /// 2 ms of grace below the minimum of 2.1 ms leave 0.1 ms.
    @Test("Sooner than the minimum less its grace is an error") func tooSoon() throws {
        #expect(try verdict([4299], Self.answer(minimum: 21)) == .tooSoon)
        #expect(try result(verdict([4300], Self.answer(minimum: 21))).measured == 1)
        #expect(try result(verdict([0])).measured == 0)
    }

    /// 5 ms of grace above the maximum of 5 ms.
    @Test("Later than the maximum with its grace is tried three times") func tooLate() throws {
        #expect(try result(verdict([4200 + 10_000])).tvr == .relayResistancePerformed)
        #expect(try verdict([4200 + 10_100]) == .again)
        #expect(try verdict([14_300, 14_300]) == .again)
        let last = try result(verdict([14_300, 14_300, 14_300]))
        #expect(last.tvr == [.relayResistancePerformed, .relayResistanceTimeLimitsExceeded])
        #expect(last.retries == 2)
        #expect(last.measured == 101)
        #expect(last.excess == 51)
        let third = try result(verdict([14_300, 14_300, 7_000]))
        #expect(third.tvr == .relayResistancePerformed)
        #expect(third.retries == 2)
    }

    /// 30 ms above a minimum of 2 ms, of a card that allows itself 60.
    @Test("The accuracy threshold counts from the minimum") func accuracy() throws {
        let slow = Self.answer(maximum: 600)
        #expect(try result(verdict([4200 + 32_000], slow)).tvr == .relayResistancePerformed)
        #expect(
            try result(verdict([4200 + 32_100], slow)).tvr == [
                .relayResistancePerformed, .relayResistanceThresholdExceeded,
            ])
    }

    /// Half of 24 is 12, twice is 48: 50 percent. Below and above them is too much.
    @Test(
        "Both sides must agree on the time of the answer",
        arguments: [(12, false), (11, true), (48, false), (49, true), (0, true), (65535, true)] as [(UInt16, Bool)])
    func mismatch(_ estimate: UInt16, _ isExceeded: Bool) throws {
        let result = try result(verdict([7200], Self.answer(transmission: estimate)))
        #expect(result.tvr.contains(.relayResistanceThresholdExceeded) == isExceeded)
    }

    /// Nothing is divided by it.
    @Test("A reader without expected time counts as different") func withoutExpectedTime() throws {
        let result = try result(verdict([7200]) { $0.expectedResponseTime = 0 })
        #expect(result.tvr.contains(.relayResistanceThresholdExceeded))
        #expect(result.measured == 54)
    }

    @Test("Times beyond all bounds are cut, a clock that goes back gives none") func bounds() throws {
        var relay = RelayResistance(RelayResistanceLimits(), unpredictableNumber: [0, 0, 0, 0])
        let answer = Self.answer(maximum: .max)
        #expect(try result(relay.take(answer, after: .seconds(Int64.max))).measured == 65535 - 42)
        #expect(try result(relay.take(answer, after: .seconds(-1))).measured == 0)
    }

    @Test(
        "Another answer ends the transaction",
        arguments: [
            [], [0x80, 0x0A], [0x77, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0x80, 0x0B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
            as [[UInt8]])
    func malformed(_ data: [UInt8]) {
        var relay = RelayResistance(RelayResistanceLimits(), unpredictableNumber: [0, 0, 0, 0])
        #expect(throws: Termination.malformedAnswer(.exchangeRelayResistanceData, nil)) {
            try relay.take(ResponseAPDU(data), after: .zero)
        }
    }

    @Test("Another status ends the transaction") func status() {
        var relay = RelayResistance(RelayResistanceLimits(), unpredictableNumber: [0, 0, 0, 0])
        #expect(throws: Termination.commandFailed(.exchangeRelayResistanceData, .conditionsNotSatisfied)) {
            try relay.take(ResponseAPDU(status: .conditionsNotSatisfied), after: .zero)
        }
    }
}
