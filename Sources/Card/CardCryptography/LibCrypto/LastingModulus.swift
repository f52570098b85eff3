internal import COpenSSL
internal import Synchronization

/// A modulus that many powers are computed with, those of an authority or an issuer: its Montgomery
/// form is kept once it pays.
///
/// To set the form up costs as much as two powers without it; each power with it costs half of one.
final class LastingModulus: Sendable {
    private enum State {
        case used(Int)
        case formed(MontgomeryForm)
    }

    private static let worthwhile = 3

    private let state = Mutex(State.used(0))

    /// The form of `modulus`, which is the same at each call; nil the first times.
    func form(_ modulus: Span<UInt8>) -> MontgomeryForm? {
        let known: (form: MontgomeryForm?, uses: Int) = state.withLock { state in
            switch state {
            case .formed(let form): return (form, 0)
            case .used(let count):
                state = .used(count + 1)
                return (nil, count + 1)
            }
        }
        if let form = known.form { return form }
        guard known.uses >= Self.worthwhile else { return nil }
        let form = MontgomeryForm(modulus)
        state.withLock { $0 = .formed(form) }
        return form
    }
}

/// Libcrypto's precomputed values of a modulus, of which nothing is secret. Nothing changes them,
/// so that any thread may read them.
@safe final class MontgomeryForm: @unchecked Sendable {
    let context: OpaquePointer

    init(_ modulus: Span<UInt8>) {
        unsafe context = LibCrypto.demand(BN_MONT_CTX_new(), "BN_MONT_CTX_new")
        let divisor = unsafe modulus.withUnsafeBufferPointer { buffer in
            unsafe LibCrypto.demand(BN_bin2bn(buffer.baseAddress, Int32(clamping: buffer.count), nil), "BN_bin2bn")
        }
        let temporary = unsafe LibCrypto.demand(BN_CTX_new(), "BN_CTX_new")
        defer {
            unsafe BN_CTX_free(temporary)
            unsafe BN_free(divisor)
        }
        unsafe LibCrypto.demand(BN_MONT_CTX_set(context, divisor, temporary), "BN_MONT_CTX_set")
    }

    deinit { unsafe BN_MONT_CTX_free(context) }
}
