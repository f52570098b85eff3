public import Bytes
internal import CardCryptography
public import JSONDocument

/// A JSON Web Token with HMAC-SHA-256 (RFC 7519; RFC 7515, compact form; RFC 7518, 3.2), read
/// strictly: three parts in base64url without padding, `alg` exactly `HS256`, no `crit`, no name
/// twice.
public struct JSONWebToken: Sendable, Equatable {
    /// The members of the payload. Names differ by case.
    public let claims: JSON

    /// In bytes, of a token.
    public static let maximumSize = 65_536
    /// In bytes, of a key: as many as the hash has (RFC 7518, 3.2).
    public static let minimumKeyCount = 32

    public init(claims: JSON) { self.claims = claims }

    /// The token as text.
    public func signed(key: SecretBytes) -> String {
        let header = Array("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".utf8)
        let signed = header.text(in: .url) + "." + claims.document.text(in: .url)
        return signed + "." + HMACSHA256.authenticate(Array(signed.utf8), key: key).text(in: .url)
    }

    /// Reads a token, and verifies its signature before it looks at the payload.
    public init(verifying token: String, key: SecretBytes) throws(JSONWebTokenError) {
        guard token.utf8.count <= Self.maximumSize else { throw .tooLarge }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = [UInt8](.url, parts[0]), let payload = [UInt8](.url, parts[1]),
            let signature = [UInt8](.url, parts[2])
        else { throw .malformed }
        guard let fields = try? JSON(parsing: header), case .object(let members) = fields else { throw .malformed }
        guard fields["alg"]?.text == "HS256" else { throw .algorithm }
        guard !members.contains(where: { $0.name == "crit" }) else { throw .critical }
        let signed = Array((parts[0] + "." + parts[1]).utf8)
        guard HMACSHA256.isValid(signature, for: signed, key: key) else { throw .signature }
        guard let claims = try? JSON(parsing: payload), case .object = claims else { throw .malformed }
        self.claims = claims
    }
}

/// Why a text is not taken for a token. No case repeats it.
public enum JSONWebTokenError: Error, Sendable, Equatable {
    case tooLarge
    /// Not three parts in base64url, or not JSON, or a name twice.
    case malformed
    /// Another algorithm than HS256, such as `none`.
    case algorithm
    /// The token has extensions that must be understood.
    case critical
    /// Of another key, or the token was changed.
    case signature
}

extension JSONWebTokenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "the token has more than \(JSONWebToken.maximumSize >> 10) KiB"
        case .malformed: "the token is not three parts of base64url with JSON in them"
        case .algorithm: "the token's algorithm is not HS256"
        case .critical: "the token has a critical extension"
        case .signature: "the token's signature is wrong: check the API key"
        }
    }
}
