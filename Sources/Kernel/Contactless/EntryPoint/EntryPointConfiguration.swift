public import EMVKernel

/// The configuration of a contactless reader (EMV Contactless Book A, 5.2; Book B, 2.2).
public struct EntryPointConfiguration: Sendable {
    public var terminal: TerminalConfiguration
    /// In the order in which they are compared with the card's directory.
    public var combinations: [Combination]
    /// How often the card may be presented in one transaction: a card that always fails must not
    /// hold the reader. The books set no limit.
    public var maximumPresentations: Int
    /// The removal timeout of outcomes whose kernel sets none
    /// (``Contactless/ContactlessOutcome/removalTimeout``), in units of 100 ms; 0 for never.
    public var removalTimeout: UInt32

    /// 8 presentations and a removal timeout of one second, by default.
    public init(
        terminal: TerminalConfiguration, combinations: [Combination], maximumPresentations: Int = 8,
        removalTimeout: UInt32 = 10
    ) {
        self.terminal = terminal
        self.combinations = combinations
        self.maximumPresentations = maximumPresentations
        self.removalTimeout = removalTimeout
    }
}
