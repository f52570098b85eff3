public import Bytes
public import CardCryptography

/// The users of a back office, who is logged in, and who tries to be.
///
/// Moments are seconds of a clock that the caller reads. Tokens and one-time passwords are kept as
/// SHA-256 digests only; they are random, so that a digest cannot be guessed. A login computes
/// scrypt, whoever the user is, so that its time does not tell whether there is such a user.
public struct UserAccounts: Sendable {
    private struct Session {
        let user: String
        var lastUse: Int64
    }

    private struct Reset {
        let digest: [UInt8]
        let expiry: Int64
    }

    private var users: [String: StoredUser]
    private var sessions: [[UInt8]: Session] = [:]
    private var resets: [String: Reset] = [:]
    private var limits: [String: AttemptLimit] = [:]
    /// For user ids that nobody has: as many as attackers invent share these, found by a keyed
    /// digest, and fail in the same way as those of users.
    private var strangerLimits = [AttemptLimit](repeating: AttemptLimit(), count: 1024)
    private let strangerKey = SecretBytes(SecureRandom.bytes(32))
    private let stranger: PasswordHash
    private let scrypt: Scrypt
    private let lifetime: Int64

    /// How long a one-time password can be used, in seconds.
    public static let resetLifetime: Int64 = 1800
    /// The tokens of one user at a time; another login ends the one that was not used for longest.
    public static let sessionLimit = 16

    /// - Parameters:
    ///   - lifetime: The seconds that a token is good for after its last use.
    ///   - scrypt: For new passwords.
    public init(_ users: [StoredUser], lifetime: Int64 = 900, scrypt: Scrypt = .recommended) {
        self.users = Dictionary(users.map { ($0.user.id, $0) }) { first, _ in first }
        self.lifetime = max(1, lifetime)
        self.scrypt = scrypt
        stranger = PasswordHash(of: SecretBytes(SecureRandom.bytes(32)), by: scrypt)
    }

    /// What is to be stored after a password has changed.
    public var stored: [StoredUser] { users.values.sorted { $0.user.id < $1.user.id } }
}

extension UserAccounts {
    /// - Throws: ``LoginError/wrongUserOrPassword``, or ``LoginError/tooManyAttempts(seconds:)``,
    ///   also for the right password.
    public mutating func logIn(_ id: String, password: SecretBytes, now: Int64) throws(LoginError) -> AccessToken {
        if let seconds = limited(id, { $0.wait(now: now) }) { throw .tooManyAttempts(seconds: seconds) }
        let user = users[id]
        let isRight = (user?.password ?? stranger).matches(password)
        let isOneTime = takesOneTimePassword(of: id, password, now: now)
        guard user != nil, isRight || isOneTime else {
            limited(id) { $0.fail(now: now) }
            throw .wrongUserOrPassword
        }
        limits[id] = nil
        endOldSessions(of: id, now: now)
        let token = SecureRandom.bytes(32).hex.lowercased()
        sessions[Self.digest(token)] = Session(user: id, lastUse: now)
        return AccessToken(
            accessToken: token, expireInSeconds: lifetime, needsPasswordUpdate: isOneTime && !isRight)
    }

    /// The user of a token, which lives on from now.
    ///
    /// - Throws: ``LoginError/tokenExpired``
    public mutating func user(of token: String, now: Int64) throws(LoginError) -> User {
        let digest = Self.digest(token)
        guard let session = sessions[digest], let user = users[session.user]?.user else { throw .tokenExpired }
        guard !isExpired(session, now) else {
            sessions[digest] = nil
            throw .tokenExpired
        }
        sessions[digest]?.lastUse = max(now, session.lastUse)
        return user
    }

    /// Ends a token.
    public mutating func logOut(_ token: String) { sessions[Self.digest(token)] = nil }

    private func isExpired(_ session: Session, _ now: Int64) -> Bool {
        now >= session.lastUse.saturatingAdding(lifetime)
    }

    private mutating func endOldSessions(of id: String, now: Int64) {
        sessions = sessions.filter { !isExpired($0.value, now) }
        let own = sessions.filter { $0.value.user == id }
        guard own.count >= Self.sessionLimit, let oldest = own.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return
        }
        sessions[oldest.key] = nil
    }

    @discardableResult
    private mutating func limited<Result>(_ id: String, _ body: (inout AttemptLimit) -> Result) -> Result {
        guard users[id] == nil else { return body(&limits[id, default: AttemptLimit()]) }
        let digest = HMACSHA256.authenticate(Array(id.utf8), key: strangerKey)
        // below 1024: two bits of the first byte, and the second one
        return body(&strangerLimits[Int(digest[0] & 3) << 8 | Int(digest[1])])
    }

    private static func digest(_ secret: String) -> [UInt8] { SHA256.hash(Array(secret.utf8)) }
}

extension UserAccounts {
    /// The user with an e-mail address, to which the id is to be sent.
    ///
    /// The answer tells whether somebody has the address, as Accept's does: a server limits how
    /// often it may be asked.
    ///
    /// - Throws: ``LoginError/noUserWithEmail``
    public func forgottenUser(email: String) throws(LoginError) -> User {
        let wanted = email.lowercased()
        guard !wanted.isEmpty, let user = stored.first(where: { $0.user.email.lowercased() == wanted })?.user else {
            throw .noUserWithEmail
        }
        return user
    }

    /// A password for one login, in place of an earlier one. The user's own stays good until it is
    /// changed: who only knows a user id can lock nobody out.
    ///
    /// - Throws: ``LoginError/userNotFound``
    public mutating func resetPassword(of id: String, now: Int64) throws(LoginError) -> OneTimePassword {
        guard let user = users[id]?.user else { throw .userNotFound }
        // 100 bits, without letters that look like digits.
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let password = String(SecureRandom.bytes(20).map { alphabet[Int($0 & 31)] })
        resets[id] = Reset(digest: Self.digest(password), expiry: now.saturatingAdding(Self.resetLifetime))
        return OneTimePassword(email: user.email, password: password, expireInSeconds: Self.resetLifetime)
    }

    /// Gives the user of a token a new password. All other tokens of the user end, and a one-time
    /// password.
    ///
    /// - Throws: ``LoginError/tokenExpired``, ``LoginError/passwordsDiffer``,
    ///   ``LoginError/passwordCriteria``
    public mutating func changePassword(
        token: String, new: String, repeated: String, now: Int64
    ) throws(LoginError) {
        let id = try user(of: token, now: now).id
        guard constantTimeEqual(Array(new.utf8).span, Array(repeated.utf8).span) else { throw .passwordsDiffer }
        guard PasswordCriteria.permit(new) else { throw .passwordCriteria }
        users[id]?.password = PasswordHash(of: SecretBytes(new.utf8), by: scrypt)
        resets[id] = nil
        let kept = Self.digest(token)
        sessions = sessions.filter { $0.value.user != id || $0.key == kept }
    }

    private mutating func takesOneTimePassword(of id: String, _ password: SecretBytes, now: Int64) -> Bool {
        guard let reset = resets[id] else { return false }
        guard now < reset.expiry else {
            resets[id] = nil
            return false
        }
        let digest = password.withBytes { SHA256.hash($0) }
        guard constantTimeEqual(digest.span, reset.digest.span) else { return false }
        resets[id] = nil
        return true
    }
}
