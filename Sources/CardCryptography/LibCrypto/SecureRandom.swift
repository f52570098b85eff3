internal import COpenSSL

/// Random bytes fit for keys and nonces, from libcrypto's generator.
public enum SecureRandom {
    /// `count` bytes, none for a count below 1.
    public static func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe LibCrypto.demand(RAND_bytes_ex(nil, buffer.baseAddress, count, 0), "RAND_bytes_ex")
            initialized = count
        }
    }
}
