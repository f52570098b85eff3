internal import Bytes
internal import COpenSSL

/// A keyed message authentication code of libcrypto: the family, and the underlying algorithm.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct MessageAuthentication: @unchecked Sendable {
    private let implementation: OpaquePointer
    private let parameter: String
    private let algorithm: String

    static let hmacSHA256 = MessageAuthentication("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256")

    private init(_ family: String, _ parameter: String, _ algorithm: String) {
        unsafe implementation = LibCrypto.demand(EVP_MAC_fetch(nil, family, nil), "EVP_MAC_fetch")
        self.parameter = parameter
        self.algorithm = algorithm
    }

    /// The whole code over `data`; its length is that of the digest or the block.
    func code(over data: Span<UInt8>, key: SecretBytes) -> [UInt8] {
        let context = unsafe LibCrypto.demand(EVP_MAC_CTX_new(implementation), "EVP_MAC_CTX_new")
        defer { unsafe EVP_MAC_CTX_free(context) }
        unsafe initialize(context, key: key)
        unsafe data.withUnsafeBufferPointer { buffer in
            unsafe LibCrypto.demand(EVP_MAC_update(context, buffer.baseAddress, buffer.count), "EVP_MAC_update")
        }
        let count = unsafe EVP_MAC_CTX_get_mac_size(context)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe LibCrypto.demand(EVP_MAC_final(context, buffer.baseAddress, &initialized, count), "EVP_MAC_final")
        }
    }

    private func initialize(_ context: OpaquePointer, key: SecretBytes) {
        var name = algorithm.utf8CString
        unsafe parameter.withCString { parameter in
            unsafe name.withUnsafeMutableBufferPointer { name in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(parameter, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        // With a null key, EVP_MAC_init keeps the previous key, so an empty key
                        // still needs an address.
                        var empty: UInt8 = 0
                        unsafe withUnsafePointer(to: &empty) { empty in
                            unsafe LibCrypto.demand(
                                EVP_MAC_init(context, key.baseAddress ?? empty, key.count, parameters), "EVP_MAC_init")
                        }
                    }
                }
            }
        }
    }
}
