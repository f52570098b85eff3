import BackOffice
import Bytes
import CardCryptography
import Foundation
import PeerPrograms
import Testing

@Suite struct LoginTests {
    /// Cheap: these tests are of logins, not of scrypt.
    private static func accounts() throws -> UserAccounts {
        let cheap = try #require(Scrypt(costLog2: 1, blockSize: 1, parallelization: 1))
        return UserAccounts(
            [
                StoredUser(
                    User(
                        id: "ada", firstName: "Ada", lastName: "Lovelace", email: "Ada@office.example", merchantID: "1"),
                    password: PasswordHash(of: right, by: cheap))
            ], lifetime: 300, scrypt: cheap)
    }

    private static let right = SecretBytes("right password 1".utf8)
    private static let wrong = SecretBytes("wrong password 1".utf8)

    @Test("A11: a token stays valid while it is used") func aTokenLivesOnWhileItIsUsed() throws {
        var accounts = try Self.accounts()
        let token = try accounts.logIn("ada", password: Self.right, now: 1000)
        #expect(token.expireInSeconds == 300)
        #expect(!token.needsPasswordUpdate)
        for now: Int64 in [1299, 1598, 1897] {
            #expect(try accounts.user(of: token.accessToken, now: now).lastName == "Lovelace")
        }
        #expect(throws: LoginError.tokenExpired) { try accounts.user(of: token.accessToken, now: 2197) }
        #expect(throws: LoginError.tokenExpired) { try accounts.user(of: token.accessToken, now: 1900) }
    }

    @Test(arguments: [Int64.min, 0, .max]) func noClockTraps(_ now: Int64) throws {
        var accounts = try Self.accounts()
        let token = try accounts.logIn("ada", password: Self.right, now: 1000)
        for now in [now, 1000, now, .min, .max, now] {
            _ = try? accounts.user(of: token.accessToken, now: now)
            _ = try? accounts.logIn("ada", password: Self.wrong, now: now)
            _ = try accounts.resetPassword(of: "ada", now: now)
        }
        #expect(accounts.stored.count == 1)
    }

    @Test func tokensAreKnownOnlyAsTheyWereGiven() throws {
        var accounts = try Self.accounts()
        let token = try accounts.logIn("ada", password: Self.right, now: 0).accessToken
        for other in ["", "00", token.uppercased() + " ", String(token.dropLast())] {
            #expect(throws: LoginError.tokenExpired) { try accounts.user(of: other, now: 0) }
        }
        accounts.logOut(token)
        #expect(throws: LoginError.tokenExpired) { try accounts.user(of: token, now: 0) }
    }

    @Test func theUserHasNoMoreThanSixteenTokens() throws {
        var accounts = try Self.accounts()
        let tokens = try (0..<17).map { try accounts.logIn("ada", password: Self.right, now: $0).accessToken }
        #expect(throws: LoginError.tokenExpired) { try accounts.user(of: tokens[0], now: 17) }
        for token in tokens.dropFirst() { #expect(throws: Never.self) { try accounts.user(of: token, now: 17) } }
    }

    @Test("Users and strangers are refused alike", arguments: ["ada", "nobody", ""])
    func attempts(_ id: String) throws {
        var accounts = try Self.accounts()
        for _ in 0..<5 {
            #expect(throws: LoginError.wrongUserOrPassword) { try accounts.logIn(id, password: Self.wrong, now: 100) }
        }
        #expect(throws: LoginError.tooManyAttempts(seconds: 60)) {
            try accounts.logIn(id, password: Self.right, now: 100)
        }
        #expect(throws: LoginError.tooManyAttempts(seconds: 1)) {
            try accounts.logIn(id, password: Self.wrong, now: 159)
        }
        #expect(throws: LoginError.wrongUserOrPassword) { try accounts.logIn(id, password: Self.wrong, now: 160) }
        #expect(throws: LoginError.tooManyAttempts(seconds: 60)) {
            try accounts.logIn(id, password: Self.wrong, now: 160)
        }
    }

    @Test func aLoginForgetsFailures() throws {
        var accounts = try Self.accounts()
        for _ in 0..<3 {
            for _ in 0..<4 { _ = try? accounts.logIn("ada", password: Self.wrong, now: 0) }
            #expect(throws: Never.self) { try accounts.logIn("ada", password: Self.right, now: 0) }
        }
    }

    @Test("A15: a one-time password is good for one login") func aOneTimePasswordIsGoodForOneLogin() throws {
        var accounts = try Self.accounts()
        let replaced = try accounts.resetPassword(of: "ada", now: 0)
        let reset = try accounts.resetPassword(of: "ada", now: 0)
        #expect(reset.email == "Ada@office.example")
        #expect(throws: LoginError.wrongUserOrPassword) {
            try accounts.logIn("ada", password: SecretBytes(replaced.password.utf8), now: 1)
        }
        #expect(throws: Never.self) { try accounts.logIn("ada", password: Self.right, now: 1) }
        #expect(try accounts.logIn("ada", password: SecretBytes(reset.password.utf8), now: 1799).needsPasswordUpdate)
        #expect(throws: LoginError.wrongUserOrPassword) {
            try accounts.logIn("ada", password: SecretBytes(reset.password.utf8), now: 1799)
        }
        let late = try accounts.resetPassword(of: "ada", now: 2000)
        #expect(throws: LoginError.wrongUserOrPassword) {
            try accounts.logIn("ada", password: SecretBytes(late.password.utf8), now: 3800)
        }
        #expect(throws: LoginError.userNotFound) { try accounts.resetPassword(of: "nobody", now: 0) }
    }

    @Test("A16: a password is changed, and typed twice") func aPasswordIsChanged() throws {
        var accounts = try Self.accounts()
        let other = try accounts.logIn("ada", password: Self.right, now: 0).accessToken
        let token = try accounts.logIn("ada", password: Self.right, now: 0).accessToken
        let reset = try accounts.resetPassword(of: "ada", now: 0)
        let new = "another password 2"
        #expect(throws: LoginError.passwordsDiffer) {
            try accounts.changePassword(token: token, new: new, repeated: new + " ", now: 0)
        }
        #expect(throws: LoginError.tokenExpired) {
            try accounts.changePassword(token: "", new: new, repeated: new, now: 0)
        }
        try accounts.changePassword(token: token, new: new, repeated: new, now: 0)
        #expect(throws: Never.self) { try accounts.user(of: token, now: 0) }
        #expect(throws: LoginError.tokenExpired) { try accounts.user(of: other, now: 0) }
        for old in [Self.right, SecretBytes(reset.password.utf8)] {
            #expect(throws: LoginError.wrongUserOrPassword) { try accounts.logIn("ada", password: old, now: 0) }
        }
        #expect(throws: Never.self) { try accounts.logIn("ada", password: SecretBytes(new.utf8), now: 0) }
    }

    @Test(arguments: ["", "short 1", "letters only, many", "123456789012", "control\u{7} and 12"])
    func aNewPasswordMustSuffice(_ new: String) throws {
        var accounts = try Self.accounts()
        let token = try accounts.logIn("ada", password: Self.right, now: 0).accessToken
        #expect(throws: LoginError.passwordCriteria) {
            try accounts.changePassword(token: token, new: new, repeated: new, now: 0)
        }
    }

    @Test("A14: a forgotten id is found by the address") func aForgottenIDIsFoundByTheAddress() throws {
        let accounts = try Self.accounts()
        #expect(try accounts.forgottenUser(email: "ada@OFFICE.example").id == "ada")
        #expect(throws: LoginError.noUserWithEmail) { try accounts.forgottenUser(email: "eve@office.example") }
        #expect(throws: LoginError.noUserWithEmail) { try accounts.forgottenUser(email: "") }
    }

    /// acceptSDK a6dcace, common error numbers.
    @Test func errorsHaveAcceptsNumbers() {
        let errors: [LoginError] = [
            .tokenExpired, .wrongUserOrPassword, .userNotFound, .passwordCriteria, .noUserWithEmail,
        ]
        #expect(errors.map(\.number) == [0, 2, 9, 10, 14])
    }

    /// Tokens and one-time passwords are not in what is printed.
    @Test func printsNoSecrets() throws {
        var accounts = try Self.accounts()
        let token = try accounts.logIn("ada", password: Self.right, now: 0)
        let reset = try accounts.resetPassword(of: "ada", now: 0)
        #expect(!String(reflecting: token).contains(token.accessToken))
        #expect(!String(reflecting: reset).contains(reset.password))
    }
}

@Suite struct PasswordHashTests {
    @Test("Python's hashlib derives the key that is kept", arguments: ["right password 1", "pässwörd 漢字", ""])
    func hashlib(_ password: String) throws {
        let hash = PasswordHash(of: SecretBytes(password.utf8))
        let printed = try PeerProgram.python(
            """
            import hashlib, sys
            _, name, parameters, salt, key = sys.argv[2].split("$")
            n, r, p = (int(one.split("=")[1]) for one in parameters.split(","))
            print(name, hashlib.scrypt(sys.argv[1].encode(), salt=bytes.fromhex(salt), n=1 << n, r=r, p=p,
                maxmem=1 << 27, dklen=32).hex() == key)
            """, [password, hash.text])
        #expect(printed == "scrypt True")
        #expect(hash.text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(try #require(PasswordHash(text: hash.text)).matches(SecretBytes(password.utf8)))
        #expect(!hash.matches(SecretBytes((password + " ").utf8)))
    }

    @Test func everyHashHasItsOwnSalt() throws {
        let cheap = try #require(Scrypt(costLog2: 1, blockSize: 1, parallelization: 1))
        #expect(
            PasswordHash(of: SecretBytes([1]), by: cheap).salt != PasswordHash(of: SecretBytes([1]), by: cheap).salt)
    }

    @Test(arguments: [
        "", "$", "$$$$", "$scrypt$ln=15,r=8,p=3$00$00", "$scrypt$ln=15,r=8$\(salt)$\(key)",
        "$scrypt$ln=20,r=32,p=16$\(salt)$\(key)", "$scrypt$ln=99999999999999999999,r=8,p=1$\(salt)$\(key)",
        "$scrypt$ln=-1,r=8,p=1$\(salt)$\(key)", "$argon2$ln=4,r=8,p=1$\(salt)$\(key)",
        "$scrypt$ln=4,r=8,p=1$\(salt)$\(key)$", "$scrypt$ln=4,r=8,p=1$\(salt)0$\(key)",
    ]) func textsThatAreNoHash(_ text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    private static let salt = String(repeating: "00", count: 16)
    private static let key = String(repeating: "00", count: 32)
}
