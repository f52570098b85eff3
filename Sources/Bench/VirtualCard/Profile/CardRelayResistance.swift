/// The card's times for its answer to EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Books C-2 and
/// C-8), in units of 100 µs.
public struct CardRelayResistance: Sendable, Equatable {
    public var minimum: UInt16
    public var maximum: UInt16
    /// The transmission time of the answer.
    public var transmission: UInt16

    /// The default is a card that answers within 2 to 5 ms, with the transmission time that readers
    /// expect.
    public init(minimum: UInt16 = 0x0014, maximum: UInt16 = 0x0032, transmission: UInt16 = 0x0018) {
        self.minimum = minimum
        self.maximum = maximum
        self.transmission = transmission
    }

    /// The maximum number of tries in one transaction.
    static let maximumTries = 3

    /// Entropy and the three times, 10 bytes.
    func answer(entropy: [UInt8]) -> [UInt8] {
        entropy + minimum.bigEndianBytes + maximum.bigEndianBytes + transmission.bigEndianBytes
    }
}
