internal import COpenSSL

/// Powers of public numbers modulo a public number. Its time depends on the numbers: nothing secret may come here.
enum ModularPower {
    enum Exponent: Sendable, Equatable {
        case three
        /// 2¹⁶ + 1, the fourth Fermat prime.
        case f4
    }

    /// `base` to the `exponent` modulo `modulus`, as long as `modulus`, which must be odd and more than one.
    ///
    /// A square and a product are half the cost of `BN_mod_exp` for exponent 3, whose set-up outweighs its work.
    static func compute(_ base: Span<UInt8>, _ exponent: Exponent, modulus: Span<UInt8>) -> [UInt8] {
        let context = unsafe LibCrypto.demand(BN_CTX_new(), "BN_CTX_new")
        defer { unsafe BN_CTX_free(context) }
        let (number, divisor) = unsafe (integer(base), integer(modulus))
        let result = unsafe LibCrypto.demand(BN_new(), "BN_new")
        defer {
            unsafe BN_free(number)
            unsafe BN_free(divisor)
            unsafe BN_free(result)
        }
        switch exponent {
        case .three:
            unsafe LibCrypto.demand(BN_mod_sqr(result, number, divisor, context), "BN_mod_sqr")
            unsafe LibCrypto.demand(BN_mod_mul(result, result, number, divisor, context), "BN_mod_mul")
        case .f4:
            let power = unsafe LibCrypto.demand(BN_new(), "BN_new")
            defer { unsafe BN_free(power) }
            unsafe LibCrypto.demand(BN_set_word(power, 65537), "BN_set_word")
            unsafe LibCrypto.demand(BN_mod_exp_mont(result, number, power, divisor, context, nil), "BN_mod_exp_mont")
        }
        return unsafe bytes(of: result, count: modulus.count)
    }

    private static func integer(_ bytes: Span<UInt8>) -> OpaquePointer {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            // fits: a key has some hundred bytes
            unsafe LibCrypto.demand(BN_bin2bn(buffer.baseAddress, Int32(buffer.count), nil), "BN_bin2bn")
        }
    }

    private static func bytes(of bignum: OpaquePointer, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // fits: a key has some hundred bytes
            initialized = unsafe Int(BN_bn2binpad(bignum, buffer.baseAddress, Int32(count)))
        }
    }
}
