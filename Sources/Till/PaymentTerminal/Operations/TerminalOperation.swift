/// The operations of a terminal.
public enum TerminalOperation: String, Sendable, Codable, CaseIterable {
    /// A payment: ``Terminal/processSale(_:)``.
    case sale
    /// A payment that only reserves the amount: ``Sale/isPreAuthorization``.
    case preAuthorization
    /// A refund to a card or for an earlier transaction: ``Terminal/processRefund(_:)``.
    case refund
    /// A capture of a pre-authorization, or of a tip: ``Terminal/capture(_:)``.
    case capture
    /// A reversal of an earlier payment: ``Terminal/reverse(_:)``.
    case reversal
    /// A new secure card: ``Terminal/registerSecureCard(_:idempotencyKey:)``.
    case registerSecureCard
    /// The retrieval of a secure card: ``Terminal/retrieveSecureCard(_:)``.
    case retrieveSecureCard
    /// A change of a secure card: ``Terminal/editSecureCard(_:idempotencyKey:)``.
    case editSecureCard
    /// The deletion of a secure card: ``Terminal/deleteSecureCard(_:token:idempotencyKey:)``.
    case deleteSecureCard
    /// A query of the host's list: ``Terminal/transactions(_:)``.
    case transactions
    /// A query of the terminal's settings at the host: ``Terminal/settings()``.
    case settings
}
