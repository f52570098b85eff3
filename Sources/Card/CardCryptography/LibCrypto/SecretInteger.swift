internal import Bytes
internal import COpenSSL

/// A part of a private key as a libcrypto integer, wiped when it is released. Operations on it run
/// in constant time.
///
/// Sendable although it holds a pointer: once an initialiser or an operation of this folder has
/// returned it, nothing writes to it.
@safe final class SecretInteger: @unchecked Sendable {
    /// Only libcrypto reads it, while this object lives. Only the operation that makes it writes to
    /// it.
    let pointer: OpaquePointer

    init() {
        unsafe pointer = LibCrypto.demand(BN_secure_new(), "BN_secure_new")
        unsafe BN_set_flags(pointer, BN_FLG_CONSTTIME)
    }

    deinit { unsafe BN_clear_free(pointer) }

    /// The number written in `bytes`, most significant first.
    convenience init(_ bytes: SecretBytes) {
        self.init()
        let number = unsafe pointer
        bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                _ = unsafe LibCrypto.demand(
                    BN_bin2bn(buffer.baseAddress, Int32(clamping: buffer.count), number), "BN_bin2bn")
            }
        }
    }

    convenience init(_ bytes: [UInt8]) {
        self.init(SecretBytes(bytes))
    }

    /// A copy of libcrypto's number `other`.
    convenience init(copying other: OpaquePointer) {
        self.init()
        _ = unsafe LibCrypto.demand(BN_copy(pointer, other), "BN_copy")
    }

    /// A number below `bound`, each equally likely.
    static func random(below bound: SecretInteger) -> SecretInteger {
        let number = SecretInteger()
        unsafe LibCrypto.demand(BN_priv_rand_range(number.pointer, bound.pointer), "BN_priv_rand_range")
        return number
    }

    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }
    var isOne: Bool { unsafe BN_is_one(pointer) == 1 }

    func isBelow(_ other: SecretInteger) -> Bool { unsafe BN_cmp(pointer, other.pointer) < 0 }

    /// The number in `count` bytes, most significant byte first. It must fit.
    func bytes(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe Int(clamping: BN_bn2binpad(pointer, buffer.baseAddress, Int32(clamping: count)))
        }
    }

    /// The number most significant byte first, without leading zeros.
    var bytes: [UInt8] {
        let count = unsafe (Int(BN_num_bits(pointer)) + 7) / 8
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe Int(BN_bn2bin(pointer, buffer.baseAddress))
        }
    }
}

extension SecretInteger {
    static func * (left: SecretInteger, right: SecretInteger) -> SecretInteger {
        let product = SecretInteger()
        unsafe withContext {
            unsafe LibCrypto.demand(BN_mul(product.pointer, left.pointer, right.pointer, $0), "BN_mul")
        }
        return product
    }

    /// This number minus `other`, which must not be greater.
    func minus(_ other: SecretInteger) -> SecretInteger {
        let difference = SecretInteger()
        unsafe LibCrypto.demand(BN_sub(difference.pointer, pointer, other.pointer), "BN_sub")
        return difference
    }

    /// This number plus `first` times `second`, modulo `modulus`.
    func plus(_ first: SecretInteger, times second: SecretInteger, modulo modulus: SecretInteger) -> SecretInteger {
        let sum = SecretInteger()
        unsafe SecretInteger.withContext {
            unsafe LibCrypto.demand(
                BN_mod_mul(sum.pointer, first.pointer, second.pointer, modulus.pointer, $0), "BN_mod_mul")
            unsafe LibCrypto.demand(BN_mod_add(sum.pointer, sum.pointer, pointer, modulus.pointer, $0), "BN_mod_add")
        }
        return sum
    }

    /// This number times `other`, modulo `modulus`.
    func times(_ other: SecretInteger, modulo modulus: SecretInteger) -> SecretInteger {
        let product = SecretInteger()
        unsafe SecretInteger.withContext {
            unsafe LibCrypto.demand(
                BN_mod_mul(product.pointer, pointer, other.pointer, modulus.pointer, $0), "BN_mod_mul")
        }
        return product
    }

    /// Half of this number, without a remainder.
    var halved: SecretInteger {
        let half = SecretInteger()
        unsafe LibCrypto.demand(BN_rshift1(half.pointer, pointer), "BN_rshift1")
        return half
    }

    /// This number minus one.
    var decremented: SecretInteger {
        let result = SecretInteger()
        _ = unsafe LibCrypto.demand(BN_copy(result.pointer, pointer), "BN_copy")
        unsafe LibCrypto.demand(BN_sub_word(result.pointer, 1), "BN_sub_word")
        return result
    }

    /// The remainder of this number by `modulus`, which is not zero.
    func modulo(_ modulus: SecretInteger) -> SecretInteger {
        let remainder = SecretInteger()
        unsafe SecretInteger.withContext {
            unsafe LibCrypto.demand(BN_div(nil, remainder.pointer, pointer, modulus.pointer, $0), "BN_div")
        }
        return remainder
    }

    /// The inverse of this number modulo `modulus`; nil if it has no inverse.
    func inverse(modulo modulus: SecretInteger) -> SecretInteger? {
        let inverse = SecretInteger()
        let found = unsafe SecretInteger.withContext {
            unsafe BN_mod_inverse(inverse.pointer, pointer, modulus.pointer, $0)
        }
        return unsafe found == nil ? nil : inverse
    }

    private static func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = unsafe LibCrypto.demand(BN_CTX_secure_new(), "BN_CTX_secure_new")
        defer { unsafe BN_CTX_free(context) }
        return unsafe body(context)
    }
}
