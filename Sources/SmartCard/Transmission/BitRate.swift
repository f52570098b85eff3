/// How fast a card sends, as TA1 codes it (ISO/IEC 7816-3:2006, tables 7 and 8).
public struct BitRate: Sendable, Hashable {
    /// F, clock cycles for D elementary time units.
    public let clockRateConversion: Int
    /// D.
    public let adjustment: Int
    /// In kHz, the fastest clock that a card with this F stands.
    public let maximumClock: Int
    /// Fi in the upper nibble, Di in the lower: the form of TA1.
    public let code: UInt8

    /// What every card begins with: F = 372, D = 1.
    public static let initial = BitRate(clockRateConversion: 372, adjustment: 1, maximumClock: 5000, code: 0x11)

    private init(clockRateConversion: Int, adjustment: Int, maximumClock: Int, code: UInt8) {
        self.clockRateConversion = clockRateConversion
        self.adjustment = adjustment
        self.maximumClock = maximumClock
        self.code = code
    }

    /// Nil for values that are reserved.
    public init?(code: UInt8) {
        let conversions: [UInt8: (Int, Int)] = [
            0: (372, 4000), 1: (372, 5000), 2: (558, 6000), 3: (744, 8000), 4: (1116, 12000), 5: (1488, 16000), 6: (1860, 20000),
            9: (512, 5000), 10: (768, 7500), 11: (1024, 10000), 12: (1536, 15000), 13: (2048, 20000),
        ]
        let adjustments: [UInt8: Int] = [1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 12, 9: 20]
        guard let (conversion, clock) = conversions[code >> 4], let adjustment = adjustments[code & 0x0F] else { return nil }
        self.init(clockRateConversion: conversion, adjustment: adjustment, maximumClock: clock, code: code)
    }

    /// Bits per second at a clock of `clock` kHz.
    public func bitsPerSecond(clock: Int) -> Int { 1000 * clock * adjustment / clockRateConversion }
}
