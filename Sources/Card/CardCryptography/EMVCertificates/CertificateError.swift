/// Why an EMV certificate or signature is refused: the check of EMV 4.4 Book 2 that failed.
///
/// The steps have the same numbers in 5.3 and 6.3 (issuer certificate), 5.4 (SSAD), 6.4 (ICC
/// certificate), 6.5.2 (DDA) and 6.6.2 (CDA), and each case lists those that use it; chapter 12 has
/// elliptic curves and XDA.
public enum CertificateError: Error, Equatable, Sendable {
    /// The signature is not as long as the signer's modulus (step 1 of all).
    case lengthMismatch
    /// The signature is not below the signer's modulus, so it cannot be recovered (step 2 of all).
    case notRecoverable
    /// The last recovered byte is not BC (step 2 of all).
    case trailer
    /// The first recovered byte is not 6A (step 3 of all).
    case header
    /// The certificate or signed data format is not the expected one: 02, 03, 04 or 05 (step 4 of
    /// all).
    case format
    /// The hash algorithm indicator is unknown; 01 is SHA-1 (5.3, 6.3, 6.4 step 6; 5.4, 6.5.2,
    /// 6.6.2 step 6).
    case hashAlgorithm
    /// The hash result differs from the computed hash (5.3, 6.3, 6.4, 5.4, 6.5.2 step 7; 6.6.2 step
    /// 9).
    case hash
    /// A length inside contradicts the data: the length of the key, its exponent, the remainder or
    /// the dynamic data.
    case innerLength
    /// The certificate contains only a part of the key, and the card has no remainder (Book 3, 7.5,
    /// table 35).
    case remainderMissing
    /// The issuer identifier does not match the leftmost digits of the PAN (5.3, 6.3 step 8).
    case issuerIdentifier
    /// The PAN in the certificate is not the application's (6.4 step 8).
    case panMismatch
    /// The expiry date is past or invalid (5.3, 6.3, 6.4 step 9).
    case expired
    /// RID, CA key index and serial number are on the revocation list (5.3, 6.3 step 10).
    case revoked
    /// The public key algorithm indicator is unknown; 01 is RSA (5.3, 6.3 step 11; 6.4 step 10).
    case unsupportedAlgorithm
    /// The certified key itself is invalid (5.3, 6.3 step 12; 6.4 step 11).
    case key(RSAError)
    /// The certified elliptic curve key itself is invalid (12.3 step 12; 12.4 step 11).
    case curveKey(EllipticCurveError)
    /// The encoding of an elliptic curve certificate, or of the card data that it covers, is not 00
    /// (11.2.1; 12.3, 12.4 step 3).
    case encoding
    /// RID or CA key index in the certificate differ from those of the verifying key (12.3 step 6).
    case authority
    /// The signature of an elliptic curve certificate, or of the card with XDA, is wrong (11.2.1;
    /// 12.3 step 11; 12.4 step 10; 12.5.3).
    case signature
    /// The cryptogram information data in the signature is not the one in the card's answer (6.6.2
    /// step 6).
    case cryptogramInformationData
    /// The transaction data hash differs from the computed one (6.6.2 step 12).
    case transactionDataHash
    /// The signature covers relay resistance data that differ from those exchanged (EMV Contactless
    /// Book C-2).
    case relayResistanceData
}

extension CertificateError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lengthMismatch: "its length is not what its signer and format make it"
        case .notRecoverable: "the signature is not a number below the signer's modulus"
        case .trailer: "the recovered trailer is not BC"
        case .header: "the recovered header is not 6A"
        case .format: "the format byte is not the one due"
        case .hashAlgorithm: "the hash algorithm is unknown"
        case .hash: "the hash differs"
        case .innerLength: "a length inside contradicts the data around it"
        case .remainderMissing: "the card gives no remainder of the key"
        case .issuerIdentifier: "the issuer identifier does not match the PAN"
        case .panMismatch: "the PAN is not the application's"
        case .expired: "it has expired"
        case .revoked: "it is on the revocation list"
        case .unsupportedAlgorithm: "the key's algorithm is unknown"
        case .key(let error): "the key is unfit: \(error)"
        case .curveKey(let error): "the key is unfit: \(error)"
        case .encoding: "the encoding is unknown"
        case .authority: "it names another authority's key"
        case .signature: "the signature is wrong"
        case .cryptogramInformationData: "the cryptogram information data differ from the card's answer"
        case .transactionDataHash: "the hash over the transaction's data differs"
        case .relayResistanceData: "the relay resistance data differ from those exchanged"
        }
    }
}
