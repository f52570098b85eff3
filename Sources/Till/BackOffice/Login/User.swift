/// Somebody who may log in to a back office.
public struct User: Sendable, Equatable, Codable {
    public let id: String
    public var firstName: String
    public var lastName: String
    public var email: String
    public var merchantID: String

    public init(id: String, firstName: String, lastName: String, email: String, merchantID: String) {
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
        self.merchantID = merchantID
    }
}

/// A user with what is kept of the password: what a program stores.
public struct StoredUser: Sendable, Equatable {
    public var user: User
    public var password: PasswordHash

    public init(_ user: User, password: PasswordHash) {
        self.user = user
        self.password = password
    }
}

/// What a login answers.
public struct AccessToken: Sendable, Equatable {
    /// 64 hexadecimal digits; whoever has them is the user.
    public let accessToken: String
    /// From the last request on.
    public let expireInSeconds: Int64
    /// Whether the login was by a one-time password: the user is to give a new one.
    public let needsPasswordUpdate: Bool
}

/// What is to be sent to a user who has forgotten the password.
public struct OneTimePassword: Sendable, Equatable {
    /// Where it is to be sent to, and nowhere else.
    public let email: String
    /// Good for one login.
    public let password: String
    public let expireInSeconds: Int64
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "an access token for \(expireInSeconds) s" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension OneTimePassword: CustomStringConvertible, CustomReflectable {
    public var description: String { "a one-time password for \(expireInSeconds) s" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
