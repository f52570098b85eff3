private import CardCryptography
public import TLV

/// What the kernel needs of the world and does not have itself: chance and memory.
public protocol EMVEnvironment: Sendable {
    /// Four bytes that a card or an attacker cannot foresee, tag `9F37` (EMV 4.4 Book 4, 6.5.6).
    func unpredictableNumber() -> [UInt8]

    /// Values that the terminal sends for this list of the card's and all later ones, in the place of those that it had before.
    ///
    /// A terminal may draw a new unpredictable number for each use. By default it draws no new one:
    /// a transaction has one number.
    func values(for use: CardListUse) -> DataElements

    /// A number from 1 to 99, each equally likely (EMV 4.4 Book 3, 10.6.2).
    func randomPercentage() -> Int

    /// Whether the terminal's exception file lists the card (EMV 4.4 Book 4, 6.3.5).
    /// - Parameter pan: ASCII digits.
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool

    /// The amount of the card's last transaction in the terminal's log of approved transactions, in
    /// minor units; zero without such a transaction (EMV 4.4 Book 3, 10.6.1).
    /// - Parameter pan: ASCII digits.
    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64
}

/// The commands whose data a list of the card's asks for (EMV 4.4 Book 3, 5.4; EMV Contactless Book C-2).
public enum CardListUse: Sendable, CaseIterable {
    /// PDOL, in GET PROCESSING OPTIONS.
    case processingOptions
    /// DDOL, in INTERNAL AUTHENTICATE.
    case internalAuthenticate
    /// CDOL1, in the first GENERATE AC.
    case firstCryptogram
    /// CDOL2, in the second GENERATE AC.
    case secondCryptogram
    /// UDOL, in COMPUTE CRYPTOGRAPHIC CHECKSUM.
    case checksum
}

extension EMVEnvironment {
    public func values(for use: CardListUse) -> DataElements { DataElements() }
    public func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { false }
    public func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 { 0 }
}

/// Chance from libcrypto's generator, and no memory of earlier transactions.
public struct SystemEnvironment: EMVEnvironment {
    /// All instances share libcrypto's generator.
    public init() {}

    public func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }

    public func randomPercentage() -> Int {
        // 198 is twice the numbers that there are: of 256 values the rest would make some more likely than others.
        var value: UInt8 = 255
        while value >= 198 { value = SecureRandom.bytes(1)[0] }
        return Int(value % 99) + 1
    }
}
