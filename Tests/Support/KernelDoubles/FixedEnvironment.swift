import CardCryptography
public import EMVKernel

/// Unpredictable numbers and chance as a test has them.
public struct FixedEnvironment: EMVEnvironment {
    private let number: [UInt8]?
    private let percentage: Int

    /// - Parameters:
    ///   - number: 4 bytes; nil for new ones each time.
    ///   - percentage: Of random transaction selection (EMV 4.4 Book 3, 10.6.2), 1 to 99; 99 selects no transaction.
    public init(number: [UInt8]? = nil, percentage: Int = 99) {
        self.number = number
        self.percentage = percentage
    }

    public func unpredictableNumber() -> [UInt8] { number ?? SecureRandom.bytes(4) }
    public func randomPercentage() -> Int { percentage }
}
