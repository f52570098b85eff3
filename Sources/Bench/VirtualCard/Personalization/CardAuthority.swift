package import Bytes
import CardCryptography

/// The private keys of a certification authority and of an issuer under it: RSA, and on both curves
/// of EMV (EMV 4.4 Book 2, B2.1 and B2.2.2). Cards that are personalized with the same keys are
/// authenticated with the same CA keys.
package struct CardAuthority: Sendable {
    let authority: RSAPrivateKey
    let issuer: RSAPrivateKey
    let curves: [CurveAuthority]

    init(authority: RSAPrivateKey, issuer: RSAPrivateKey, curves: [CurveAuthority]) {
        self.authority = authority
        self.issuer = issuer
        self.curves = curves
    }

    /// New keys from libcrypto's generator.
    ///
    /// - Parameter sizes: Of the RSA keys.
    package static func generate(_ sizes: RSAKeySizes = RSAKeySizes()) throws(PersonalizationError) -> CardAuthority {
        do throws(RSAError) {
            return CardAuthority(
                authority: try .generate(modulusBits: sizes.certificationAuthority, exponent: sizes.exponent),
                issuer: try .generate(modulusBits: sizes.issuer, exponent: sizes.exponent),
                curves: [CurveAuthority(.p256), CurveAuthority(.p521)])
        } catch {
            throw .key(error)
        }
    }

    /// Whether the RSA keys are as a profile requires them.
    package func fits(_ sizes: RSAKeySizes) -> Bool {
        [(authority, sizes.certificationAuthority), (issuer, sizes.issuer)].allSatisfy { key, bits in
            key.publicKey.modulus.count * 8 == bits
                && key.publicKey.exponent.drop { $0 == 0 } == (sizes.exponent == 3 ? [3] : [1, 0, 1])
        }
    }
}

// MARK: - As text

extension CardAuthority {
    /// The keys in their order in the text.
    package enum Role: String, CaseIterable, Sendable {
        case authority = "authority, RSA"
        case issuer = "issuer, RSA"
        case authorityOnP256 = "authority, P-256"
        case issuerOnP256 = "issuer, P-256"
        case authorityOnP521 = "authority, P-521"
        case issuerOnP521 = "issuer, P-521"
    }

    /// Why a text does not have the keys.
    package enum Damage: Error, Equatable, Sendable {
        /// It has so many private keys, or more than six; six are needed.
        case keys(Int)
        /// A key begins and does not end.
        case unfinished
        /// The key in this place is none, or not of the kind that belongs there.
        case key(Role)
    }

    /// The keys in PEM (PKCS #8 without a password), each below a line with its role.
    package var pem: SecretBytes {
        var text = Array("The keys of a virtual card's certification authority and issuer, for tests only.\n".utf8)
        // What grows leaves no copy behind.
        text.reserveCapacity(16 << 10)
        for (role, key) in zip(
            Role.allCases, [authority.pem, issuer.pem] + curves.flatMap { [$0.authority.pem, $0.issuer.pem] })
        {
            text += Array("\(role.rawValue)\n".utf8)
            key.withBytes { key in for index in key.indices { text.append(key[index]) } }
        }
        return SecretBytes(wiping: &text)
    }

    /// The keys of a text as ``pem`` has it. What is written between the keys does not count.
    package init(pem: SecretBytes) throws(Damage) {
        let keys = try PEMKeys(pem, atMost: Role.allCases.count).keys
        guard keys.count == Role.allCases.count else { throw .keys(keys.count) }
        func rsa(_ index: Int) throws(Damage) -> RSAPrivateKey {
            do throws(RSAError) { return try RSAPrivateKey(pem: keys[index]) } catch {
                throw .key(Role.allCases[index])
            }
        }
        func curve(_ suite: SignatureSuite, _ index: Int) throws(Damage) -> ECPrivateKey {
            do throws(EllipticCurveError) {
                return try ECPrivateKey(suite.curve, pem: keys[index])
            } catch {
                throw .key(Role.allCases[index])
            }
        }
        self.init(
            authority: try rsa(0), issuer: try rsa(1),
            curves: [
                CurveAuthority(.p256, authority: try curve(.p256, 2), issuer: try curve(.p256, 3)),
                CurveAuthority(.p521, authority: try curve(.p521, 4), issuer: try curve(.p521, 5)),
            ])
    }

    /// The private keys of a text, each from its first line to its last (RFC 7468, 2 and 10).
    private struct PEMKeys {
        private(set) var keys: [SecretBytes] = []

        init(_ text: SecretBytes, atMost maximum: Int) throws(Damage) {
            var bytes = text.revealed()
            defer { wipe(&bytes) }
            var start: Int?
            var index = 0
            while index < bytes.count {
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                // ordered: `end` is found from `index` on.
                var line = bytes[index..<end]
                if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
                if line.elementsEqual("-----BEGIN PRIVATE KEY-----".utf8) {
                    guard start == nil else { throw .unfinished }
                    guard keys.count < maximum else { throw .keys(maximum + 1) }
                    start = index
                } else if line.elementsEqual("-----END PRIVATE KEY-----".utf8), let first = start {
                    var key = Array(bytes[first..<end])
                    keys.append(SecretBytes(wiping: &key))
                    start = nil
                }
                index = end + 1
            }
            guard start == nil else { throw .unfinished }
        }
    }
}

extension CardAuthority.Damage: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keys(let count):
            "it has \(count == 0 ? "no" : count > CardAuthority.Role.allCases.count ? "more than 6" : "\(count)") private keys in PEM, and an authority has 6"
        case .unfinished: "a private key in it does not end"
        case .key(let role): "its key of the \(role.rawValue), is damaged or of another kind"
        }
    }
}
