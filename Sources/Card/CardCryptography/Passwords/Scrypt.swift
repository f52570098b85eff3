public import Bytes
internal import COpenSSL

/// The key derivation function scrypt (RFC 7914), for passwords: it takes memory and time on
/// purpose, so that guesses against stolen hashes are expensive.
public struct Scrypt: Sendable, Hashable {
    /// N, the cost in memory and time, as its binary logarithm: 14 is 16,384.
    public let costLog2: Int
    /// r, in blocks of 128 bytes.
    public let blockSize: Int
    /// p.
    public let parallelization: Int

    /// In bytes, what one derivation may take: 128 · N · r, and 128 · r · p more.
    public static let memoryLimit = 64 << 20

    /// N = 2¹⁵, r = 8, p = 3: 32 MiB, a recommendation of the OWASP Password Storage Cheat Sheet
    /// (*scrypt*).
    public static let recommended = Scrypt(costLog2: 15, blockSize: 8, parallelization: 3, checked: ())

    private init(costLog2: Int, blockSize: Int, parallelization: Int, checked: Void) {
        self.costLog2 = costLog2
        self.blockSize = blockSize
        self.parallelization = parallelization
    }

    /// Nil if a parameter is outside its range (N 2¹…2²⁰, r 1…32, p 1…16), if N is not less than
    /// 2^(16 r) (RFC 7914, 2), or if the memory exceeds ``memoryLimit``.
    public init?(costLog2: Int, blockSize: Int, parallelization: Int) {
        guard (1...20).contains(costLog2), (1...32).contains(blockSize), (1...16).contains(parallelization),
            costLog2 < 16 * blockSize, 128 * blockSize * ((1 << costLog2) + parallelization) <= Self.memoryLimit
        else { return nil }
        self.init(costLog2: costLog2, blockSize: blockSize, parallelization: parallelization, checked: ())
    }

    /// The derived key of a password.
    ///
    /// - Parameter count: In bytes, 1 to 64; others are taken as the nearest of them.
    public func key(of password: SecretBytes, salt: [UInt8], count: Int = 32) -> SecretBytes {
        let count = min(max(count, 1), 64)
        let (cost, block) = (UInt64(1) << UInt64(clamping: costLog2), UInt64(clamping: blockSize))
        let (lanes, limit) = (UInt64(clamping: parallelization), 2 * UInt64(clamping: Self.memoryLimit))
        var derived = password.withBytes { password in
            unsafe password.withUnsafeBytes { password in
                unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                    unsafe LibCrypto.demand(
                        EVP_PBE_scrypt(
                            password.bindMemory(to: CChar.self).baseAddress, password.count, salt, salt.count,
                            cost, block, lanes, limit, buffer.baseAddress, count),
                        "EVP_PBE_scrypt")
                    initialized = count
                }
            }
        }
        return SecretBytes(wiping: &derived)
    }
}
