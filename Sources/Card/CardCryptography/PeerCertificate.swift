internal import COpenSSL

/// What a certificate of a TLS peer is made with (RFC 5280, 4.1).
package struct PeerCertificate: Sendable, Equatable {
    /// The length of an RSA modulus in bits; nil for a key of another kind.
    package let modulusBits: Int?
    /// Whether its signature is over a digest of SHA-1 or MD5.
    package let hasOldDigest: Bool

    /// - Parameter der: The certificate in DER.
    /// - Returns: Nil for other bytes, and for a key or an algorithm that libcrypto does not know.
    package init?(der: [UInt8]) {
        let certificate: OpaquePointer? = unsafe der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return unsafe d2i_X509(nil, &next, bytes.count)
        }
        guard let certificate = unsafe certificate else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe X509_free(certificate) }
        var digest = NID_undef
        guard unsafe X509_get_signature_info(certificate, &digest, nil, nil, nil) == 1,
            let key = unsafe X509_get0_pubkey(certificate)
        else {
            ERR_clear_error()
            return nil
        }
        modulusBits =
            unsafe EVP_PKEY_is_a(key, "RSA") == 1 || EVP_PKEY_is_a(key, "RSA-PSS") == 1
            ? Int(EVP_PKEY_get_bits(key)) : nil
        hasOldDigest = [NID_sha1, NID_md5, NID_md5_sha1].contains(digest)
    }
}
