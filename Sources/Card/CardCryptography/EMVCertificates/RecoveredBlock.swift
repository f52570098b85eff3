internal import Bytes

/// The block recovered from a signature with message recovery (EMV 4.4 Book 2, A2.1.2): 6A ‖ format
/// ‖ … ‖ hash (20 bytes) ‖ BC.
struct RecoveredBlock {
    static let header: UInt8 = 0x6A
    static let trailer: UInt8 = 0xBC
    static let hashCount = 20

    /// The whole block, as long as the signer's modulus.
    @Wiped private(set) var bytes: [UInt8]

    /// Steps 1 to 4 of every verification.
    ///
    /// - Parameter overhead: bytes of the format's fixed fields, header, hash and trailer included;
    ///   a shorter modulus cannot have signed it.
    /// - Parameter isSecret: Whether the block has the card's number.
    init(
        _ signature: Span<UInt8>, key: RSAPublicKey, format: UInt8, overhead: Int, isSecret: Bool = false
    ) throws(CertificateError) {
        guard signature.count == key.modulus.count, signature.count >= overhead else { throw .lengthMismatch }
        do { _bytes = Wiped(wrappedValue: try key.recover(signature, isSecret: isSecret)) } catch {
            throw .notRecoverable
        }
        guard bytes[bytes.count - 1] == RecoveredBlock.trailer else { throw .trailer }
        guard bytes[0] == RecoveredBlock.header else { throw .header }
        guard bytes[1] == format else { throw .format }
    }

    /// Checks that the hash result is the digest, by the algorithm of `indicator`, of the bytes
    /// between header and hash, followed by `appended`.
    func checkHash(
        algorithm indicator: UInt8, with first: [UInt8], _ second: [UInt8] = [], _ third: [UInt8] = []
    ) throws(CertificateError) {
        guard indicator == HashAlgorithmIndicator.sha1 else { throw .hashAlgorithm }
        let hashStart = bytes.count - 1 - RecoveredBlock.hashCount
        var digest = SHA1Context()
        digest.update(bytes.span.extracting(1..<hashStart))
        digest.update(first.span)
        digest.update(second.span)
        digest.update(third.span)
        guard digest.finish(with: bytes.span.extracting(hashStart..<bytes.count - 1)) else { throw .hash }
    }
}

/// EMV 4.4 Book 2, B3: the code of a hash algorithm.
enum HashAlgorithmIndicator {
    static let sha1: UInt8 = 0x01
}

/// EMV 4.4 Book 2, B2.1: the code of a public key algorithm.
enum PublicKeyAlgorithmIndicator {
    static let rsa: UInt8 = 0x01
}
