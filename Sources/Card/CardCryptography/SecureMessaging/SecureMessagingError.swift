/// Why the data of a command are rejected (ISO/IEC 7816-4, 5.1.3).
public enum SecureMessagingError: Error, Equatable, Sendable {
    /// There is no MAC: SW 6987, expected secure messaging data objects missing.
    case missing
    /// The MAC is wrong, or the protected data do not conform to the scheme: SW 6988, secure
    /// messaging data objects incorrect.
    case incorrect
}

extension SecureMessagingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing: "the command has no MAC, and needs one"
        case .incorrect: "the MAC of the command, or its protected data, are wrong"
        }
    }
}
