private import CardCryptography
public import TLV

/// Randomness and memory for the kernel, which has neither itself.
public protocol EMVEnvironment: Sendable {
    /// Four bytes that neither a card nor an attacker can predict, tag `9F37` (EMV 4.4 Book 4,
    /// 6.5.6).
    func unpredictableNumber() -> [UInt8]

    /// Values that the terminal sends for this list of the card and all later ones. They replace
    /// earlier values.
    ///
    /// A terminal may draw a new unpredictable number for each use. By default there is one number
    /// for the whole transaction.
    func values(for use: CardListUse) -> DataElements

    /// A number from 1 to 99, each equally likely (EMV 4.4 Book 3, 10.6.2).
    func randomPercentage() -> Int

    /// Whether the terminal's exception file lists the card (EMV 4.4 Book 4, 6.3.5).
    /// - Parameter pan: ASCII digits.
    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool

    /// The amount of the card's last transaction in the terminal's log of approved transactions, in
    /// minor units; zero if there is none (EMV 4.4 Book 3, 10.6.1).
    /// - Parameter pan: ASCII digits.
    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64
}

/// The lists of the card that request data for a command (EMV 4.4 Book 3, 5.4; EMV Contactless Book
/// C-2).
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

/// Random numbers from libcrypto's generator, and no memory of earlier transactions.
public struct SystemEnvironment: EMVEnvironment {
    /// All instances share libcrypto's generator.
    public init() {}

    public func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }

    public func randomPercentage() -> Int {
        // Values from 198 (2 · 99) on are rejected: they would make some results more likely than
        // others.
        var value: UInt8 = 255
        while value >= 198 { value = SecureRandom.bytes(1)[0] }
        return Int(value % 99) + 1
    }
}
