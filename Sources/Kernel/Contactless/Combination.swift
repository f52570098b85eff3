public import EMVKernel
public import TLV

/// An application and its kernel, with the acquirer's settings for some types of transaction (EMV
/// Contactless Book A, 5.2; Book B, 2.2).
public struct Combination: Sendable {
    /// 5 to 16 bytes, tag `9F06`.
    public var aid: [UInt8]
    public var transactionTypes: Set<TransactionRequest.Kind>
    public var limits: TransactionLimits
    /// TTQ, tag `9F66`; nil for kernels without TTQ.
    public var qualifiers: TerminalTransactionQualifiers?
    /// Extended Selection Support flag: whether the card's extended selection, tag `9F29`, is
    /// appended to the name in SELECT.
    public var supportsExtendedSelection: Bool
    public var kernel: any KernelConfiguration

    public init(
        aid: [UInt8],
        transactionTypes: Set<TransactionRequest.Kind> = [.purchase, .purchaseWithCashback, .cash, .refund],
        limits: TransactionLimits, qualifiers: TerminalTransactionQualifiers? = nil,
        supportsExtendedSelection: Bool = false,
        kernel: any KernelConfiguration
    ) {
        self.aid = aid
        self.transactionTypes = transactionTypes
        self.limits = limits
        self.qualifiers = qualifiers
        self.supportsExtendedSelection = supportsExtendedSelection
        self.kernel = kernel
    }

    /// The registered application provider identifier.
    public var rid: [UInt8] { Array(aid.prefix(5)) }

    /// Whether the card's application is this one, or begins with its name
    /// (EMV Contactless Book B, 3.3.2.5).
    public func matches(_ adfName: [UInt8]) -> Bool { adfName.starts(with: aid) }
}
