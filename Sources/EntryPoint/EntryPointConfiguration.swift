public import Contactless
public import EMVKernel

/// What a contactless reader is set to (EMV Contactless Book A, 5.2; Book B, 2.2).
public struct EntryPointConfiguration: Sendable {
    public var terminal: TerminalConfiguration
    /// In the order in which they are compared with the card's directory.
    public var combinations: [Combination]
    /// How often the card may be presented in one transaction: a card that always fails must not
    /// hold the reader. The books set no limit.
    public var maximumPresentations = 8

    public init(terminal: TerminalConfiguration, combinations: [Combination]) {
        self.terminal = terminal
        self.combinations = combinations
    }
}
