/// Why a login, or something that needs one, fails. No case repeats a user id or a password.
public enum LoginError: Error, Sendable, Equatable {
    case tokenExpired
    case wrongUserOrPassword
    case userNotFound
    case passwordCriteria
    /// The new password and its repetition differ.
    case passwordsDiffer
    case noUserWithEmail
    /// Too many attempts failed; `seconds` from now one more is permitted.
    case tooManyAttempts(seconds: Int64)

    /// Accept's common error number (acceptSDK a6dcace, header); nil where it has none.
    public var number: Int? {
        switch self {
        case .tokenExpired: 0
        case .wrongUserOrPassword: 2
        case .userNotFound: 9
        case .passwordCriteria, .passwordsDiffer: 10
        case .noUserWithEmail: 14
        case .tooManyAttempts: nil
        }
    }
}

extension LoginError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tokenExpired: "the access token has expired or is unknown: log in again"
        case .wrongUserOrPassword: "the user or the password is wrong"
        case .userNotFound: "there is no user with this id"
        case .passwordCriteria:
            "the password does not suffice: give at least \(PasswordCriteria.minimumLength) characters with letters and digits"
        case .passwordsDiffer: "the new password and its repetition differ: type both again"
        case .noUserWithEmail: "there is no user with this e-mail address"
        case .tooManyAttempts(let seconds): "too many attempts failed: wait \(seconds) seconds"
        }
    }
}
