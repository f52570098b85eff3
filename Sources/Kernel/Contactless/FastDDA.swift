import Bytes
import CardCryptography
import EMVKernel
import TLV

/// Fast DDA: the signature returned with the answer to GET PROCESSING OPTIONS (EMV Contactless Book
/// C-3, 5.6; kernel 7 has version 01 alone).
enum FastDDA {
    /// The fDDA version that is accepted. Version 00 signs only the unpredictable number, so that
    /// an attacker can change amount and CTQ.
    static let version: UInt8 = 0x01

    /// Why the card is not authentic; nil if it is.
    ///
    /// - Parameters:
    ///   - format: The signed data format for the card's cryptogram.
    static func failure(
        _ data: TransactionData, staticData: StaticData, format: FastDynamicDataAuthentication.Format,
        activation: KernelActivation
    ) -> ContactlessReason? {
        let card = data.card
        guard let signature = card[.signedDynamicApplicationData] else { return missing(.signedDynamicApplicationData) }
        guard let related = card[.cardAuthenticationRelatedData] else { return missing(.cardAuthenticationRelatedData) }
        guard (5...16).contains(related.count), related[0] == version else { return .dataAuthenticationVersion }
        // The certificates contain the PAN, which the card may have only in its track.
        var certified = card
        if !certified.contains(.applicationPAN) {
            Track2Equivalent(card)?.encodedPAN?.withArray { certified.set(.applicationPAN, $0) }
        }
        do throws(DataAuthenticationFailure) {
            let chain = activation.certificateChain(certified)
            let issuer = try chain.issuerKey()
            let key = try staticData.complete(card) { data throws(DataAuthenticationFailure) in
                try chain.iccKey(issuer, staticData: data).key
            }
            _ = try verify(signature, key: key, format: format, terminal: data.terminal, related: related)
            return nil
        } catch {
            return .dataAuthentication(error)
        }
    }

    private static func verify(
        _ signature: [UInt8], key: RSAPublicKey, format: FastDynamicDataAuthentication.Format, terminal: DataElements,
        related: [UInt8]
    ) throws(DataAuthenticationFailure) -> [UInt8] {
        do throws(CertificateError) {
            return try FastDynamicDataAuthentication.verify(
                signature, key: key, format: format,
                dynamicData: FastDynamicDataAuthentication.dynamicData(
                    unpredictableNumber: terminal[.unpredictableNumber] ?? [],
                    amount: terminal[.amountAuthorised] ?? [],
                    currency: terminal[.transactionCurrencyCode] ?? [], relatedData: related))
        } catch {
            throw .signature(error)
        }
    }

    private static func missing(_ tag: Tag) -> ContactlessReason { .dataAuthentication(.missingData(tag)) }
}
