/// What a new password must have.
public enum PasswordCriteria {
    /// PCI DSS 4.0.1, 8.3.6: at least 12 characters, letters and digits among them.
    public static let minimumLength = 12
    /// In bytes of UTF-8.
    public static let maximumSize = 256

    public static func permit(_ password: String) -> Bool {
        password.unicodeScalars.count >= minimumLength && password.utf8.count <= maximumSize
            && password.contains { $0.isLetter } && password.contains { $0.isNumber }
            && !password.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
