/// How an authentication has ended in the browser or the app (`ActionCode`).
public enum ActionCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// It has succeeded: the values are in the token.
    case success = "SUCCESS"
    /// There was nothing to be done. With error number 0 authorization is allowed, perhaps without
    /// a shift of liability.
    case noAction = "NOACTION"
    case failure = "FAILURE"
    /// See the error number.
    case error = "ERROR"
    /// By the customer; in apps only.
    case cancel = "CANCEL"
    /// In apps only.
    case timeout = "TIMEOUT"

    /// Whether there is a token that the server must verify before anything follows.
    public var needsVerification: Bool { self == .success || self == .noAction }
}

/// A number of Cardinal's server (`ErrorNumber`, `ErrorNo`): 0 is none.
public struct CardinalErrorNumber: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let none = CardinalErrorNumber(rawValue: 0)
}

extension CardinalErrorNumber: CustomStringConvertible {
    public var description: String {
        let words =
            switch rawValue {
            case 0: "no error"
            case 1000, 10001, 10004: "general error"
            case 1001: "not authorized"
            case 1003: "malformed request"
            case 1010: "invalid signature: check the API key"
            case 1011: "expired token"
            case 1020: "invalid token"
            case 2001: "no answer"
            case 2002: "several services"
            case 4000: "validation"
            case 4001: "payment type"
            case 5001: "third party"
            case 9000: "service"
            case 9999: "system"
            default: "unknown error"
            }
        return "\(rawValue), \(words)"
    }
}
