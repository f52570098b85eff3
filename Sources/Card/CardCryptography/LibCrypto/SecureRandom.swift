internal import COpenSSL

/// Random bytes for keys and nonces, from libcrypto's generator.
public enum SecureRandom {
    /// `count` bytes; empty for a count below 1.
    public static func bytes(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe LibCrypto.demand(RAND_bytes_ex(nil, buffer.baseAddress, count, 0), "RAND_bytes_ex")
            initialized = count
        }
    }

    /// 8 bytes as a number.
    static func number() -> UInt64 {
        var number: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &number) { bytes in
            unsafe LibCrypto.demand(
                RAND_bytes_ex(nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, 0),
                "RAND_bytes_ex")
        }
        return number
    }

    /// `count` values of `range`, each equally likely.
    static func values(_ count: Int, in range: ClosedRange<UInt8>) -> [UInt8] {
        var generator = Generator()
        return (0..<count).map { _ in UInt8.random(in: range, using: &generator) }
    }

    private struct Generator: RandomNumberGenerator {
        mutating func next() -> UInt64 {
            SecureRandom.number()
        }
    }
}
