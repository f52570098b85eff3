public import Bytes
public import CardCryptography

/// What is kept of a password: a key that scrypt derives from it, with the salt and the parameters
/// of the derivation.
public struct PasswordHash: Sendable, Equatable {
    public let scrypt: Scrypt
    /// 16 bytes, random for each hash.
    public let salt: [UInt8]
    /// 32 bytes.
    private let key: SecretBytes

    /// Takes as long as the parameters make it: a tenth of a second and more.
    public init(of password: SecretBytes, by scrypt: Scrypt = .recommended) {
        self.scrypt = scrypt
        salt = SecureRandom.bytes(16)
        key = scrypt.key(of: password, salt: salt)
    }

    /// Takes as long as the hash took. The keys are compared in constant time.
    public func matches(_ password: SecretBytes) -> Bool { scrypt.key(of: password, salt: salt) == key }

    /// `$scrypt$ln=15,r=8,p=3$SALT$KEY`: the form is ours, with hexadecimal digits. It is to be kept
    /// secret: whoever has it can try passwords.
    public var text: String {
        let parameters = "ln=\(scrypt.costLog2),r=\(scrypt.blockSize),p=\(scrypt.parallelization)"
        let key = key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return "$scrypt$\(parameters)$\(salt.hex.lowercased())$\(key.hex.lowercased())"
    }

    /// Nil if `text` is none that ``text`` makes, or if its parameters ask for too much.
    public init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let numbers = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers[0].hasPrefix("ln="), numbers[1].hasPrefix("r="), numbers[2].hasPrefix("p="),
            let cost = Int(numbers[0].dropFirst(3)), let block = Int(numbers[1].dropFirst(2)),
            let lanes = Int(numbers[2].dropFirst(2)),
            let scrypt = Scrypt(costLog2: cost, blockSize: block, parallelization: lanes),
            let salt = [UInt8](hexDigits: Array(parts[3].utf8).span), salt.count == 16,
            var key = [UInt8](hexDigits: Array(parts[4].utf8).span), key.count == 32
        else { return nil }
        self.scrypt = scrypt
        self.salt = salt
        self.key = SecretBytes(wiping: &key)
    }
}
