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

/// How long a card may take, from its answer to reset and the clock that the reader gives it
/// (ISO/IEC 7816-3:2006, 10.2, 11.4.3 and 11.4.4).
public struct CardTiming: Sendable, Equatable {
    /// Elementary time unit, in nanoseconds.
    public let elementaryTimeUnit: Int
    /// The time of one T=0 command with 256 bytes in either direction.
    public let command: Duration
    /// From the last character of a T=1 block to the first of the answer, and the answer's 259
    /// characters.
    public let block: Duration

    /// - Parameter clock: In kHz; 4000 for readers that do not report it.
    public init(_ parameters: CardParameters, clock: Int) {
        let clock = Swift.max(clock, 1000)
        let rate = parameters.rate
        elementaryTimeUnit = 1_000_000 * rate.clockRateConversion / (rate.adjustment * clock)
        let unit = elementaryTimeUnit
        let guardTime = 12 + (parameters.extraGuardTime == 255 ? 0 : parameters.extraGuardTime)
        // 960 × WI × Fi clock cycles between two characters.
        let waiting = 960 * parameters.waitingInteger * rate.clockRateConversion * 1_000_000 / clock
        let sending = 261 * guardTime * unit + 6 * waiting
        let receiving = 5 * guardTime * unit + 260 * waiting
        command = .nanoseconds(Swift.max(sending, receiving))
        let characterWaiting = (11 + 1 << parameters.characterWaitingInteger) * unit
        // 11 units and 2^BWI × 960 × 372 clock cycles, for any F.
        let blockWaiting = 11 * unit + (1 << parameters.blockWaitingInteger) * 960 * 372 * 1_000_000 / clock
        block = .nanoseconds(260 * guardTime * unit + blockWaiting + 260 * characterWaiting) + .seconds(1)
    }
}
