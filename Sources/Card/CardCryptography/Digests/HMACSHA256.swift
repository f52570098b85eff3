public import Bytes

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1). 32 bytes.
public enum HMACSHA256 {
    public static func authenticate(_ data: [UInt8], key: SecretBytes) -> [UInt8] {
        MessageAuthentication.hmacSHA256.code(over: data.span, key: key)
    }

    /// Whether `code` authenticates `data`, in constant time.
    public static func isValid(_ code: [UInt8], for data: [UInt8], key: SecretBytes) -> Bool {
        constantTimeEqual(authenticate(data, key: key).span, code.span)
    }
}
