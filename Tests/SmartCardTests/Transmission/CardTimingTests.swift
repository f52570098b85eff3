import Bytes
import SmartCard
import Testing

/// The formulas of ISO/IEC 7816-3:2006 in seconds, for comparison to a microsecond.
@Suite struct CardTimingTests {
    private func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// GT = 12 etu + N etu; WT = WI × 960 × Fi / f (10.2). A command of 5 bytes and 256 out and
    /// status, or the other way.
    @Test(
        "the time of a T=0 command follows from the work waiting time",
        arguments: [("3B00", 4000), ("3B40FF", 4000), ("3B4020", 3579), ("3B80400A", 4800), ("3BF013000080400A", 4000)]
            as [(String, Int)])
    func commands(_ hex: String, _ clock: Int) throws {
        let answer = try AnswerToReset(parsing: [UInt8](hex: hex))
        let parameters = try #require(CardParameters(answer))
        let frequency = Double(clock) * 1000
        let unit = 372 / frequency
        let extra = [nil, 0xFF].contains(answer.interfaceBytes[0].tc) ? 0 : Double(answer.interfaceBytes[0].tc ?? 0)
        let waiting = 10 * 960 * 372 / frequency
        let expected = max(261 * (12 + extra) * unit + 6 * waiting, 5 * (12 + extra) * unit + 260 * waiting)
        let timing = CardTiming(parameters, clock: clock)
        #expect(abs(Double(timing.elementaryTimeUnit) / 1e9 - unit) < 1e-9)
        #expect(abs(seconds(timing.command) - expected) < 1e-3 * expected)
    }

    /// BWT = 11 etu + 2^BWI × 960 × 372 / f; CWT = (11 + 2^CWI) etu (11.4.3). Sending 260
    /// characters, waiting, and 260 characters back; a second for the reader.
    @Test(
        "the time of a T=1 block follows from BWT and CWT",
        arguments: [
            ("3B8081214D", 4, 13, 372.0), ("3B80812100", 0, 0, 372), ("3B80812195", 9, 5, 372),
            ("3B90958121" + "45", 4, 5, 372),
        ]
            as [(String, Int, Int, Double)])
    func blocks(_ hex: String, block: Int, character: Int, cycles: Double) throws {
        let parameters = try #require(CardParameters(try checkedATR(hex)))
        let frequency = 4_000_000.0
        let unit = cycles / frequency
        func power(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { product, _ in product * 2 } }
        let expected =
            260 * 12 * unit + (11 * unit + power(block) * 960 * 372 / frequency) + 260 * (11 + power(character)) * unit
            + 1
        #expect(abs(seconds(CardTiming(parameters, clock: 4000).block) - expected) < 1e-6 * expected)
    }

    @Test("At a faster rate the units are shorter, and BWT's second part is not (11.4.3: 372 and not Fi)")
    func fasterRate() throws {
        var parameters = try #require(CardParameters(try checkedATR("3B80812145")))
        let slow = CardTiming(parameters, clock: 4000)
        parameters.rate = try #require(BitRate(code: 0x96))
        let fast = CardTiming(parameters, clock: 4000)
        let unit = 512 / (32 * 4e6)
        #expect(abs(Double(fast.elementaryTimeUnit) / 1e9 - unit) < 1e-9)
        let expected = (260 * 12 + 11 + 260 * 43) * unit + 16 * 960 * 372 / 4e6 + 1
        #expect(abs(seconds(fast.block) - expected) < 1e-6)
        #expect(fast.block < slow.block)
    }

    @Test("A clock that a reader cannot have does not make waits endless") func absurdClock() throws {
        let parameters = try #require(CardParameters(try checkedATR("3B80812195")))
        #expect(CardTiming(parameters, clock: 0) == CardTiming(parameters, clock: 1000))
    }
}
