/// The bit rate of a card, as coded in TA1 (ISO/IEC 7816-3:2006, tables 7 and 8).
public struct BitRate: Sendable, Hashable {
    /// F, clock cycles for D elementary time units.
    public let clockRateConversion: Int
    /// D.
    public let adjustment: Int
    /// Fi in the upper nibble, Di in the lower: the form of TA1.
    public let code: UInt8

    /// The initial rate of every card: F = 372, D = 1.
    public static let initial = BitRate(clockRateConversion: 372, adjustment: 1, code: 0x11)

    private init(clockRateConversion: Int, adjustment: Int, code: UInt8) {
        self.clockRateConversion = clockRateConversion
        self.adjustment = adjustment
        self.code = code
    }

    /// Nil for reserved values.
    public init?(code: UInt8) {
        let conversions: [UInt8: Int] = [
            0: 372, 1: 372, 2: 558, 3: 744, 4: 1116, 5: 1488, 6: 1860, 9: 512, 10: 768, 11: 1024, 12: 1536, 13: 2048,
        ]
        let adjustments: [UInt8: Int] = [1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 64, 8: 12, 9: 20]
        guard let conversion = conversions[code >> 4], let adjustment = adjustments[code & 0x0F] else { return nil }
        self.init(clockRateConversion: conversion, adjustment: adjustment, code: code)
    }

    /// Bits per second at a clock of `clock` kHz.
    public func bitsPerSecond(clock: Int) -> Int { 1000 * clock * adjustment / clockRateConversion }
}
