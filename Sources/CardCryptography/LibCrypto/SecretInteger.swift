internal import Bytes
internal import COpenSSL

/// A part of a private key as a libcrypto integer, wiped when it goes. Operations on it run in constant time.
@safe final class SecretInteger {
    /// Read by libcrypto only, while this object lives.
    let pointer: OpaquePointer

    private init() {
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
                _ = unsafe LibCrypto.demand(BN_bin2bn(buffer.baseAddress, Int32(buffer.count), number), "BN_bin2bn")
            }
        }
    }

    convenience init(_ bytes: [UInt8]) {
        self.init(SecretBytes(bytes))
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
        unsafe withContext { unsafe LibCrypto.demand(BN_mul(product.pointer, left.pointer, right.pointer, $0), "BN_mul") }
        return product
    }

    /// This number less one.
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

    /// The number that times this one leaves 1 by `modulus`; nil if there is none.
    func inverse(modulo modulus: SecretInteger) -> SecretInteger? {
        let inverse = SecretInteger()
        let found = unsafe SecretInteger.withContext { unsafe BN_mod_inverse(inverse.pointer, pointer, modulus.pointer, $0) }
        return unsafe found == nil ? nil : inverse
    }

    private static func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = unsafe LibCrypto.demand(BN_CTX_secure_new(), "BN_CTX_secure_new")
        defer { unsafe BN_CTX_free(context) }
        return unsafe body(context)
    }
}
