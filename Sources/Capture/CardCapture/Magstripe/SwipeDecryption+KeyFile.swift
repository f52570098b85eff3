private import Bytes
private import CardCryptography

/// Why a key file cannot be read. The error never repeats the content of the line.
public enum SwipeKeyFileError: Error, Equatable, Sendable {
    /// The line is not a key; counted from 1.
    case invalidLine(Int)
    /// The file has only comments and empty lines.
    case noKeys
}

extension SwipeKeyFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidLine(let line):
            "line \(line): expected tdes or aes, base or initial, and the key's hexadecimal digits"
        case .noKeys: "no keys: expected lines with tdes or aes, base or initial, and the key's hexadecimal digits"
        }
    }
}

extension SwipeDecryption {
    /// The keys of a text file, one a line: `tdes` or `aes`, `base` (base derivation key) or
    /// `initial` (the initial key of one reader), and the key in hexadecimal. `#` begins a comment.
    public init(keyFile text: String) throws(SwipeKeyFileError) {
        var keys: [Key] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            guard words.count == 3, let key = Key(family: words[0], use: words[1], digits: words[2]) else {
                throw .invalidLine(number + 1)
            }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .noKeys }
        self.init(keys)
    }
}

extension SwipeDecryption.Key {
    fileprivate init?(family: Substring, use: Substring, digits: Substring) {
        guard var bytes = try? [UInt8](hex: digits) else { return nil }
        let secret = SecretBytes(wiping: &bytes)
        let tdes = try? TDESKey(secret)
        let aes = try? AESKey(secret)
        let key: SwipeDecryption.Key? =
            switch (family, use) {
            case ("tdes", "base"): tdes.map { .tdesBase($0) }
            case ("tdes", "initial"): tdes.map { .tdesInitial($0) }
            case ("aes", "base"): aes.map { .aesBase($0) }
            case ("aes", "initial"): aes.map { .aesInitial($0) }
            default: nil
            }
        guard let key else { return nil }
        self = key
    }
}
