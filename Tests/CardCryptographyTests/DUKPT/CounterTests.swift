import Bytes
import CardCryptography
import Testing

/// Both transaction counters from the first value to the last.
@Suite("Both transaction counters from the first value to the last") struct CounterTests {
    /// ANSI X9.24-1:2009, A.1: a device makes more than a million keys, namely one for each 21-bit
    /// value of one to ten ones: C(21,1) + … + C(21,10) = 2²⁰ − 1. Every one is visited, in rising
    /// order, and then there is no next.
    @Test func tripleDESVisitsEveryValue() throws {
        var number = try #require(KeySerialNumber(hex("FFFF9876543210E00000")))
        var (visited, previous, isRising, fits) = (0, UInt32(0), true, true)
        while let next = number.next {
            visited += 1
            let counter = next.counter
            isRising = isRising && counter > previous
            fits = fits && counter.nonzeroBitCount <= 10
            (previous, number) = (counter, next)
        }
        #expect(isRising)
        #expect(fits)
        #expect(visited == 1_048_575)
        #expect((1...10).reduce(0) { $0 + Self.binomial(21, $1) } == 1_048_575)
        #expect(number.bytes.hex == "FFFF9876543210FFF800")
    }

    /// X9.24-3:2017, 6.3.2: 32 bits, at most sixteen ones. Too many to visit: the rank of a value
    /// among those in use, counted by combinations, goes up by exactly one from each to its next.
    @Test func aesCountsByOneAmongTheValuesInUse() throws {
        var samples: [UInt32] = [
            0, 1, 2, 0xFFFE, 0xFFFF, 0x1_0000, 0x1_FFFE, 0xFFFE_8000, 0xFFFE_FFFF, 0x7FFF_8000, 0x8000_7FFF,
            0x8000_0000,
        ]
        var state: UInt32 = 0x2545_F491
        while samples.count < 5000 {
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            samples.append(state)
        }
        for sample in samples where sample.nonzeroBitCount <= 16 && sample < 0xFFFF_0000 {
            let number = try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: sample))
            let next = try #require(number.next?.counter)
            #expect(next > sample)
            #expect(next.nonzeroBitCount <= 16)
            #expect(Self.rank(next) == Self.rank(sample) + 1)
        }
        #expect(Self.rank(0) == 0)
        #expect(Self.rank(0xFFFF_0000) == 2_448_023_842, "the number of transactions of a device, X9.24-3")
        #expect(
            try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: 0xFFFF_0000)).next == nil)
    }

    /// How many values below `value` have at most sixteen ones.
    private static func rank(_ value: UInt32) -> Int {
        var (rank, ones) = (0, 0)
        for bit in (0..<32).reversed() where value & 1 << UInt32(bit) != 0 {
            // The values that agree above this bit and have it clear: any of the bits below, as
            // long as the ones are few enough.
            if ones <= 16 { rank += (0...min(bit, 16 - ones)).reduce(0) { $0 + binomial(bit, $1) } }
            ones += 1
        }
        return rank
    }

    private static func binomial(_ n: Int, _ k: Int) -> Int { (0..<k).reduce(1) { $0 * (n - $1) / ($1 + 1) } }
}
