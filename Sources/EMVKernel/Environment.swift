private import CardCryptography

/// What the kernel needs of the world and does not have itself: chance and memory.
public protocol EMVEnvironment: Sendable {
    /// Four bytes that a card or an attacker cannot foresee, tag `9F37` (EMV 4.4 Book 4, 6.5.6).
    func unpredictableNumber() -> [UInt8]

    /// A number from 1 to 99, each equally likely (EMV 4.4 Book 3, 10.6.2).
    func randomPercentage() -> Int

    /// Whether the terminal's exception file lists the card (EMV 4.4 Book 4, 6.3.5).
    /// - Parameter pan: ASCII digits.
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool

    /// The amount of the last transaction of the same card that the terminal's log of approved ones has, in minor units; zero if it has none
    /// (EMV 4.4 Book 3, 10.6.1).
    /// - Parameter pan: ASCII digits.
    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64
}

extension EMVEnvironment {
    public func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { false }
    public func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 { 0 }
}

/// Chance from libcrypto's generator, and no memory of earlier transactions.
public struct SystemEnvironment: EMVEnvironment {
    public init() {}

    public func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }

    public func randomPercentage() -> Int {
        // 198 is twice the numbers that there are: of 256 values the rest would make some more likely than others.
        var value: UInt8 = 255
        while value >= 198 { value = SecureRandom.bytes(1)[0] }
        return Int(value % 99) + 1
    }
}
