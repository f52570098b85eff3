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
