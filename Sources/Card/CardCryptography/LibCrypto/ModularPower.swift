internal import COpenSSL
internal import Synchronization

/// Powers of public numbers modulo a public number. Its time depends on the numbers: nothing secret
/// may come here.
enum ModularPower {
    enum Exponent: Sendable, Equatable {
        case three
        /// 2¹⁶ + 1, the fourth Fermat prime.
        case f4
    }

    /// `base` to the `exponent` modulo `modulus`, as long as `modulus`, which must be odd and more
    /// than one.
    ///
    /// A square and a product are half the cost of `BN_mod_exp` for exponent 3, whose set-up
    /// outweighs its work.
    ///
    /// - Parameters:
    ///   - isSecret: Whether `base` must not stay in memory; it still decides over the time.
    ///   - form: That of `modulus`, where it is at hand.
    static func compute(
        _ base: Span<UInt8>, _ exponent: Exponent, modulus: Span<UInt8>, isSecret: Bool = false,
        form: MontgomeryForm? = nil
    ) -> [UInt8] {
        let workspace = isSecret ? Workspace() : Workspace.take()
        defer { if !isSecret { Workspace.giveBack(workspace) } }
        if let form, exponent == .three { return workspace.cube(base, form, count: modulus.count) }
        return workspace.power(base, exponent, modulus: modulus)
    }

    /// Numbers of libcrypto and the context that it computes with: kept for later powers, because
    /// to make them costs more than a square. They are wiped when they are given up, those of the
    /// context by libcrypto.
    ///
    /// Sendable although it holds pointers: whoever has taken a workspace is alone with it.
    @safe private final class Workspace: @unchecked Sendable {
        private let context, number, divisor, result: OpaquePointer

        /// Those that nobody uses: as many as there were powers at one time, and never more than
        /// ``limit``.
        private static let idle = Mutex<[Workspace]>([])
        private static let limit = 16

        static func take() -> Workspace { idle.withLock { $0.popLast() } ?? Workspace() }

        static func giveBack(_ workspace: Workspace) {
            idle.withLock { if $0.count < limit { $0.append(workspace) } }
        }

        init() {
            unsafe context = LibCrypto.demand(BN_CTX_new(), "BN_CTX_new")
            unsafe number = LibCrypto.demand(BN_new(), "BN_new")
            unsafe divisor = LibCrypto.demand(BN_new(), "BN_new")
            unsafe result = LibCrypto.demand(BN_new(), "BN_new")
        }

        deinit {
            unsafe BN_clear_free(result)
            unsafe BN_clear_free(divisor)
            unsafe BN_clear_free(number)
            unsafe BN_CTX_free(context)
        }

        func power(_ base: Span<UInt8>, _ exponent: Exponent, modulus: Span<UInt8>) -> [UInt8] {
            unsafe set(number, base)
            unsafe set(divisor, modulus)
            switch exponent {
            case .three:
                unsafe LibCrypto.demand(BN_mod_sqr(result, number, divisor, context), "BN_mod_sqr")
                unsafe LibCrypto.demand(BN_mod_mul(result, result, number, divisor, context), "BN_mod_mul")
            case .f4:
                let power = unsafe LibCrypto.demand(BN_new(), "BN_new")
                defer { unsafe BN_free(power) }
                unsafe LibCrypto.demand(BN_set_word(power, 65537), "BN_set_word")
                unsafe LibCrypto.demand(
                    BN_mod_exp_mont(result, number, power, divisor, context, nil), "BN_mod_exp_mont")
            }
            return bytes(modulus.count)
        }

        /// With R for Montgomery's factor, x becomes xR, its square x²R, and that times x is x³.
        func cube(_ base: Span<UInt8>, _ form: MontgomeryForm, count: Int) -> [UInt8] {
            unsafe set(number, base)
            unsafe LibCrypto.demand(BN_to_montgomery(result, number, form.context, context), "BN_to_montgomery")
            unsafe LibCrypto.demand(
                BN_mod_mul_montgomery(result, result, result, form.context, context), "BN_mod_mul_montgomery")
            unsafe LibCrypto.demand(
                BN_mod_mul_montgomery(result, result, number, form.context, context), "BN_mod_mul_montgomery")
            return bytes(count)
        }

        private func bytes(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let written = unsafe BN_bn2binpad(result, &bytes, Int32(clamping: count))
            precondition(written == count, "a power is below its modulus")
            return bytes
        }

        private func set(_ number: OpaquePointer, _ bytes: Span<UInt8>) {
            unsafe bytes.withUnsafeBufferPointer { buffer in
                _ = unsafe LibCrypto.demand(
                    BN_bin2bn(buffer.baseAddress, Int32(clamping: buffer.count), number), "BN_bin2bn")
            }
        }
    }
}
