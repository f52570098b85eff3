/// How long a card may take to answer EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Book C-2,
/// DF8132 to DF8137; Book C-8, `9F8213` to `9F8218`).
///
/// Times are in units of 100 µs. The defaults are those of the book, for a clock at the antenna.
/// Over a serial port or USB an exchange takes some milliseconds more: measure this time and add it
/// to ``expectedCommandTime``, otherwise genuine cards fail.
public struct RelayResistanceLimits: Sendable, Equatable {
    /// DF8132: how much faster than its own minimum a card may answer.
    public var minimumGracePeriod: UInt16 = 0x0014
    /// DF8133: how much slower than its own maximum.
    public var maximumGracePeriod: UInt16 = 0x0032
    /// DF8134: the transmission time of the command.
    public var expectedCommandTime: UInt16 = 0x0012
    /// DF8135: the transmission time of the answer.
    public var expectedResponseTime: UInt16 = 0x0018
    /// DF8136: how far above the card's minimum the measured time may be.
    public var accuracyThreshold: UInt16 = 0x012C
    /// DF8137: the minimum ratio of ``expectedResponseTime`` and the card's own estimate to each
    /// other, in percent.
    public var mismatchThreshold: UInt8 = 0x32

    /// The defaults of the book.
    public init() {}
}
