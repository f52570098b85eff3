import CardCryptography
public import EMVKernel

/// Unpredictable numbers, chance and files of cards as a test has them.
public struct FixedEnvironment: EMVEnvironment {
    /// 4 bytes; nil for new ones each time.
    public var number: [UInt8]?
    /// Of random transaction selection (EMV 4.4 Book 3, 10.6.2), 1 to 99; 99 selects no
    /// transaction.
    public var percentage: Int
    /// Whether the PAN, in digits of ASCII, is on the exception file.
    public var isListed: @Sendable (_ pan: [UInt8]) -> Bool = { _ in false }
    /// Of the card's last payment, in minor units (EMV 4.4 Book 3, 10.6.1).
    public var earlierAmount: UInt64 = 0

    public init(number: [UInt8]? = nil, percentage: Int = 99) {
        self.number = number
        self.percentage = percentage
    }

    public func unpredictableNumber() -> [UInt8] { number ?? SecureRandom.bytes(4) }
    public func randomPercentage() -> Int { percentage }
    public func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool { isListed(pan) }
    public func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 { earlierAmount }
}
