import CFuzzer
import Modules

@c(FuzzCertificates_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says what the rest is: a certificate or signature as it comes, or what our own
/// keys sign, so that the fuzzer gets behind the signature.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let curve = Curve.all[Int(kind >> 4) % 2]
    switch kind % 6 {
    case 0: recover(rest)
    case 1: recover(signed(rest))
    // The last bytes are the key's remainder.
    case 2: recover(signed(rest.dropLast(8), remainder: Array(rest.suffix(8))), remainder: Array(rest.suffix(8)))
    case 3: curve.recover(rest)
    case 4: curve.recover(rest + curve.sign(rest))
    default: curve.verify(rest)
    }
    return 0
}

// MARK: RSA

private let signer: RSAPrivateKey = {
    do {
        // Made with `openssl prime -generate -bits 256 -hex` for this fuzzer.
        return try RSAPrivateKey(
            prime1: SecretBytes([UInt8](hex: "F6858DEE0959850C567D92AD5F38CF984166D19B9AA623420964020E3F913DB9")),
            prime2: SecretBytes([UInt8](hex: "EAC67309F2F01E53E2D3E5F9ABC815DBEE8CA1019AD89D40188AB37E303955F1")),
            exponent: 3)
    } catch {
        preconditionFailure("\(error)")
    }
}()
private let authority = CAPublicKey(rid: [0xA0, 0, 0, 0, 3], index: 1, key: signer.publicKey)

/// A block as EMV 4.4 Book 2, A2.1 has them, 64 bytes: the input in it, its hash right.
private func signed(_ bytes: some Collection<UInt8>, remainder: [UInt8] = []) -> [UInt8] {
    let content = Array((bytes + [UInt8](repeating: 0xBB, count: 42)).prefix(42))
    guard let signature = try? signer.sign([0x6A] + content + SHA1.hash(content, remainder, [3]) + [0xBC]) else {
        preconditionFailure("a block with a leading bit of zero can be signed")
    }
    return signature
}

private func recover(_ certificate: [UInt8], remainder: [UInt8] = []) {
    let key = signer.publicKey
    if let issuer = try? IssuerPublicKeyCertificate.recover(
        certificate: certificate, remainder: remainder, exponent: [3], with: authority)
    {
        precondition(
            issuer.key.modulus.count <= certificate.count - 36 + remainder.count && issuer.serialNumber.count == 3)
    }
    if let card = try? ICCPublicKeyCertificate.recover(
        certificate: certificate, remainder: remainder, exponent: [3], with: key, staticData: [])
    {
        precondition(card.key.modulus.count <= certificate.count - 42 + remainder.count && card.pan.count == 10)
    }
    // What is hashed with the signed data of a certificate, is here the data that are
    // authenticated.
    let data = remainder + [3]
    if let code = try? SignedStaticApplicationData.verify(certificate, issuer: key, staticData: data) {
        precondition(code.count == 2)
    }
    if let number = try? SignedDynamicApplicationData.verifyDDA(certificate, key: key, terminalDynamicData: data) {
        precondition((2...8).contains(number.count))
    }
    if let combined = try? SignedDynamicApplicationData.recoverCDA(certificate, key: key, unpredictableNumber: data) {
        precondition(combined.applicationCryptogram.count == 8 && combined.transactionDataHash.count == 20)
    }
}

// MARK: Elliptic curves

/// An authority, its issuer and a card, all with keys of one curve.
private struct Curve {
    let suite: SignatureSuite
    let key: ECPrivateKey
    let authority: CAPublicKey
    let issuer: ECIssuerPublicKey
    let card: ECICCPublicKey<SignatureSuite>

    static let cardData: [UInt8] = [1, 2, 3]
    static let all: [Curve] = [Curve(.p256), Curve(.p521)]

    init(_ suite: SignatureSuite) {
        do {
            // A scalar that gives the same key in every run, for seeds that hold it; see
            // tools/fuzz/seeds.py.
            let scalar = [UInt8](repeating: 0, count: suite.curve.fieldCount - 1) + [2]
            key = try ECPrivateKey(suite.curve, scalar: SecretBytes(scalar))
            authority = CAPublicKey(rid: [0xA0, 0, 0, 0, 3], index: 1, key: .ellipticCurve(key.publicKey, suite))
            let issuer = try ECIssuerPublicKeyCertificate.recover(
                try ECIssuerPublicKeyCertificate.issue(
                    for: key.publicKey, suite: suite, issuerIdentifier: [0x47, 0x61, 0x73, 0x90, 0xFF],
                    expiry: [0x20, 0x49, 0x12, 0x31],
                    serialNumber: [0, 0, 1], ca: (authority.rid, authority.index, suite), by: key), with: authority)
            card = try ECICCPublicKeyCertificate.recover(
                try ECICCPublicKeyCertificate.issue(
                    for: key.publicKey, suite: suite, expiry: [0x20, 0x49, 0x12, 0x31, 0x23, 0x59],
                    serialNumber: [0, 0, 0, 0, 0, 2],
                    cardData: Self.cardData, issuerSuite: suite, by: key), with: issuer, cardData: Self.cardData)
            self.issuer = issuer
        } catch {
            preconditionFailure("\(error)")
        }
        self.suite = suite
    }

    func sign(_ bytes: [UInt8]) -> [UInt8] {
        guard let signature = try? suite.sign(bytes, by: key) else {
            preconditionFailure("every message can be signed")
        }
        return signature
    }

    /// In each role that the bytes can have.
    func recover(_ certificate: [UInt8]) {
        _ = try? ECCAPublicKeyCertificate.recover(certificate)
        if let issuer = try? ECIssuerPublicKeyCertificate.recover(certificate, with: authority) {
            precondition(issuer.key.x.count == issuer.suite.curve.fieldCount && issuer.serialNumber.count == 3)
        }
        if let card = try? ECICCPublicKeyCertificate.recover(certificate, with: issuer, cardData: Self.cardData) {
            precondition(card.key.x.count == card.suite.curve.fieldCount && card.serialNumber.count == 6)
            _ = CertificateDate(year: 2026, month: 11, day: 21).map { card.isExpired(on: $0, at: [0x12, 0x00]) }
        }
        _ = try? ECICCPublicKeyCertificate.recoverEncipherment(certificate, with: issuer, cardData: Self.cardData)
    }

    /// Nobody but the card signs: the fuzzer's signature is wrong, the card's is right.
    func verify(_ bytes: [UInt8]) {
        precondition((try? XDASignature.verify(bytes, key: card, transactionData: [4, 5, 6])) == nil)
        guard let signature = try? XDASignature.sign(bytes, suite: suite, by: key),
            (try? XDASignature.verify(signature, key: card, transactionData: bytes)) != nil
        else { preconditionFailure("the card's own signature is right") }
    }
}
