import CardCryptography

/// The private keys of a card, RSA or elliptic curve, never both (EMV 4.4 Book 2, 13).
enum CardKeys: Sendable {
    /// - `pin`: for enciphered PINs; nil if one key is used for both (Book 2, 7.1).
    case rsa(RSAPrivateKey, pin: RSAPrivateKey?)
    /// - `pin`: for enciphered PINs, on the same curve.
    case ellipticCurve(ECPrivateKey, SignatureSuite, pin: ECPrivateKey)
}

/// Keys of a certification authority and an issuer for one signature suite.
struct CurveAuthority: Sendable {
    let suite: SignatureSuite
    let authority: ECPrivateKey
    let issuer: ECPrivateKey

    /// - Parameters:
    ///   - authority: Nil for a new key.
    ///   - issuer: Nil for a new key.
    init(_ suite: SignatureSuite, authority: ECPrivateKey? = nil, issuer: ECPrivateKey? = nil) {
        self.suite = suite
        self.authority = authority ?? .generate(suite.curve)
        self.issuer = issuer ?? .generate(suite.curve)
    }
}
