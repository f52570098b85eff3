/// What a terminal can be at work on.
public enum TerminalOperation: String, Sendable, Codable, CaseIterable {
    case sale
    case preAuthorization
    case refund
    case capture
    case reversal
    case registerSecureCard
    case retrieveSecureCard
    case editSecureCard
    case deleteSecureCard
    case transactions
    case settings
}
