/// A card's signature on the data that terminal and card exchanged, tag 9F4B with XDA (EMV 4.4 Book
/// 2, 12.5, tables 37 and 38): 15 ‖ signature.
public enum XDASignature {
    static let format: UInt8 = 0x15

    /// Whether `signed` is the card's signature on `transactionData` (12.5.3).
    ///
    /// - Parameters:
    ///   - signed: tag 9F4B.
    ///   - transactionData: for the first GENERATE AC the values sent for the PDOL and CDOL1, for
    ///     the second only those for CDOL2, followed by the data objects of the answer in their
    ///     order, tags and lengths included, without tag 9F4B.
    public static func verify(
        _ signed: [UInt8], key: ECICCPublicKey<SignatureSuite>, transactionData: [UInt8]
    ) throws(CertificateError) {
        guard signed.count == 1 + key.suite.signatureCount else { throw .lengthMismatch }
        guard signed[0] == format else { throw .format }
        guard key.suite.isValid(Array(signed.dropFirst()), on: [format] + transactionData, by: key.key) else {
            throw .signature
        }
    }

    /// Makes tag 9F4B on the card's side (12.5.2); the parameters are those of
    /// ``verify(_:key:transactionData:)``.
    public static func sign(_ transactionData: [UInt8], suite: SignatureSuite, by card: ECPrivateKey)
        throws(IssuingError) -> [UInt8]
    {
        do { return [format] + (try suite.sign([format] + transactionData, by: card)) } catch { throw .curveKey(error) }
    }
}
