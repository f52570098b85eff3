public import Bytes
private import CardCryptography

/// The keyed hash by which both sides know that a message comes from the other, in hexadecimal.
public struct MessageHash: Sendable {
    public enum Algorithm: Sendable {
        /// Over the values that are there, joined with colons, the secret last.
        case sha512
        /// Over the same values without anything between. For old terminals only: MD5 is broken.
        case legacyMD5
    }

    private let algorithm: Algorithm
    private let secret: SecretBytes
    /// Whether the hash of a payment, a pre-authorization and their answers covers the currency,
    /// before the amount.
    let coversCurrency: Bool

    /// - Parameters:
    ///   - secret: the terminal's shared secret, UTF-8.
    ///   - coversCurrency: For a terminal with several currencies.
    public init(secret: SecretBytes, algorithm: Algorithm = .sha512, coversCurrency: Bool = false) {
        self.algorithm = algorithm
        self.secret = secret
        self.coversCurrency = coversCurrency
    }

    /// - Parameter values: UTF-8.
    func value(over values: [SecretBytes]) -> String {
        var input: [UInt8] = []
        input.reserveCapacity(values.reduce(0) { $0 + $1.count + 1 })
        for value in values {
            value.withBytes { value in
                for index in value.indices { input.append(value[index]) }
            }
            if algorithm == .sha512 { input.append(UInt8(ascii: ":")) }
        }
        var secret = secret.revealed()
        defer {
            wipe(&input)
            wipe(&secret)
        }
        return (algorithm == .sha512 ? SHA512.hash(input, secret) : MD5.hash(input, secret)).hex.lowercased()
    }

    /// Compares in a time that does not tell where two hashes differ.
    func isRight(_ given: String, over values: [SecretBytes]) -> Bool {
        let expected = Array(value(over: values).utf8)
        let given = Array(given.lowercased().utf8)
        return constantTimeEqual(expected.span, given.span)
    }
}
