import SmartCard
import Testing

@Suite struct BitRateTests {
    /// ISO/IEC 7816-3:2006, table 7: Fi by the upper nibble of TA1; nil is reserved.
    private static let conversions: [Int?] = [
        372, 372, 558, 744, 1116, 1488, 1860, nil, nil, 512, 768, 1024, 1536, 2048, nil, nil,
    ]
    /// Table 8: Di by the lower nibble.
    private static let adjustments: [Int?] = [nil, 1, 2, 4, 8, 16, 32, 64, 12, 20, nil, nil, nil, nil, nil, nil]

    @Test("Each code of TA1 has the factors of the standard, or is reserved") func everyCode() {
        for code in UInt8.min...UInt8.max {
            let rate = BitRate(code: code)
            guard let conversion = Self.conversions[Int(code >> 4)], let adjustment = Self.adjustments[Int(code & 0x0F)]
            else {
                #expect(rate == nil, "\(code)")
                continue
            }
            #expect(rate?.clockRateConversion == conversion, "\(code)")
            #expect(rate?.adjustment == adjustment, "\(code)")
            #expect(rate?.code == code, "\(code)")
        }
        #expect(BitRate(code: 0x11) == .initial)
    }

    /// As pcsc-tools' ATR_analysis explains TA1: bits per second at 4 MHz and at 5 MHz, the
    /// greatest clock of cards with these Fi.
    @Test(
        "Bit rates are those that an independent tool computes",
        arguments: [
            (0x11, 10752, 13440), (0x13, 43010, 53763), (0x18, 129_032, 161_290), (0x94, 62500, 78125),
            (0x95, 125_000, 156_250),
            (0x96, 250_000, 312_500),
        ] as [(UInt8, Int, Int)])
    func publishedSpeeds(_ code: UInt8, _ atFour: Int, _ fastest: Int) throws {
        let rate = try #require(BitRate(code: code))
        #expect(rate.bitsPerSecond(clock: 4000) == atFour)
        #expect(rate.bitsPerSecond(clock: 5000) == fastest)
    }
}
