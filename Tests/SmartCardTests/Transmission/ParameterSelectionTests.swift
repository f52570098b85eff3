import Bytes
import SmartCard
import Testing

/// ISO/IEC 7816-3:2006, 9: PPSS, PPS0, PPS1, PCK, whose exclusive or is zero.
@Suite struct ParameterSelectionTests {
    private let rate = BitRate(code: 0x95) ?? .initial

    @Test("PPS requests are encoded") func requests() {
        #expect(ParameterSelection.request(.t0, rate).hex == "FF10957A")
        #expect(ParameterSelection.request(.t1, rate).hex == "FF11957B")
    }

    @Test(
        "PPS answers are checked against the request",
        arguments: [
            // The same, without PPS1, of another protocol, with another rate.
            ("FF10957A", 0x95), ("FF00FF", 0x11), ("FF11957B", nil), ("FF109679", nil),
            // A wrong check byte, PPS2 and PPS3 that were not asked for, bytes too few, too many,
            // none.
            ("FF109500", nil), ("FF309500" + "5A", nil), ("FF1095", nil), ("FF10957A00", nil), ("", nil), ("FF", nil),
            ("3B", nil),
        ] as [(String, UInt8?)])
    func answers(_ hex: String, _ code: UInt8?) throws {
        let bytes = try [UInt8](hex: hex)
        #expect(ParameterSelection.agreed(bytes, spoken: .t0, rate: rate)?.code == code)
    }
}
