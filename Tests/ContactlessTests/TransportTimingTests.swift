import Contactless
import Testing

/// EMV Contactless Book C-2: defaults of DF8132 (0014), DF8133 (0032), DF8134 (0012), DF8135 (0018)
/// and DF8136 (012C), in units of 100 µs.
@Suite("A transport's times, and relay resistance over it") struct TransportTimingTests {
    private func timing(_ microseconds: some Sequence<Int>) throws -> TransportTiming {
        try #require(TransportTiming(microseconds.map { .microseconds($0) }))
    }

    @Test("percentiles by nearest rank, in any order") func percentiles() throws {
        let hundred = try timing((1...100).reversed().map { $0 * 10 })
        #expect(hundred.fastest == .microseconds(10))
        #expect(hundred.slowest == .microseconds(1000))
        #expect(hundred.count == 100)
        #expect(hundred.p50 == .microseconds(500))
        #expect(hundred.p99 == .microseconds(990))
        // Of 200: ranks 100 and 198. Of 7: ranks 4 and 7.
        let twoHundred = try timing(1...200)
        #expect(twoHundred.p50 == .microseconds(100))
        #expect(twoHundred.p99 == .microseconds(198))
        let seven = try timing([70, 10, 60, 20, 50, 30, 40])
        #expect(seven.p50 == .microseconds(40))
        #expect(seven.p99 == .microseconds(70))
        #expect(seven.accuracy == .microseconds(30))
        let one = try timing([5])
        #expect(one.p50 == .microseconds(5))
        #expect(one.p99 == .microseconds(5))
        #expect(one.accuracy == .zero)
        #expect(TransportTiming([]) == nil)
    }

    /// 3 ms usually, 2.5 ms at best, 4.25 ms for two of a hundred: 30 units, 5 units, 12.5 units
    /// rounded up.
    @Test("the median is added to the command's time, the variation to the limits") func limits() throws {
        let limits = try timing([2_500] + [Int](repeating: 3_000, count: 97) + [4_250, 4_250]).limits
        #expect(limits.expectedCommandTime == 0x12 + 30)
        #expect(limits.expectedResponseTime == 0x18)
        #expect(limits.minimumGracePeriod == 0x14 + 5)
        #expect(limits.maximumGracePeriod == 0x32 + 13)
        #expect(limits.accuracyThreshold == 0x12C + 13)
        #expect(limits.mismatchThreshold == 0x32)
    }

    @Test("a transport without a time of its own keeps the book's defaults") func noTime() throws {
        #expect(try timing([0, 0, 0]).limits == RelayResistanceLimits())
    }

    @Test("times beyond two bytes are the greatest value") func longTimes() throws {
        #expect(try timing([7_000_000]).limits.expectedCommandTime == .max)
        let endless = try #require(TransportTiming([.seconds(Int64.max)]))
        #expect(endless.limits.expectedCommandTime == .max)
    }
}
