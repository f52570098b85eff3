public import EMVKernel

/// What a terminal is told once, before it works.
public struct TerminalConfiguration: Sendable {
    /// As it is printed on receipts.
    public var merchantName: String
    /// What the host knows the terminal by: ISO 8583 field 41, 8 characters.
    public var terminalID: String
    /// The one currency that the terminal takes.
    public var currency: Currency
    /// The transaction sequence counter, tag `9F41`, of the next transaction: 1 for a new terminal, else one above the last.
    public var nextSequenceCounter: UInt32
    /// Which of the issuer's answers approve, for the terminal and for every reader that it connects. The host is to say the same.
    public var responseCodes: ResponseCodes

    public init(
        merchantName: String, terminalID: String, currency: Currency, nextSequenceCounter: UInt32 = 1,
        responseCodes: ResponseCodes = ResponseCodes()
    ) {
        self.merchantName = merchantName
        self.terminalID = terminalID
        self.currency = currency
        self.nextSequenceCounter = nextSequenceCounter
        self.responseCodes = responseCodes
    }
}
