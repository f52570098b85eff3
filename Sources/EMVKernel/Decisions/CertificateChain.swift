public import CardCryptography
public import TLV

/// Recovering the keys that a card's certificates carry (EMV 4.4 Book 2, 5.2–5.3, 6.2–6.4).
public struct CertificateChain: Sendable {
    private let card: DataElements
    private let rid: [UInt8]
    private let caKeys: [CAPublicKey]
    private let revoked: Set<CertificateRevocation>
    private let date: [UInt8]

    /// - Parameters:
    ///   - card: The card's data objects: tags `8F`, `90`, `92`, `9F32`, `9F46`, `9F47`, `9F48` and `5A`.
    ///   - rid: The first five bytes of the application's name.
    ///   - date: The transaction date, YYMMDD in format `n`.
    public init(card: DataElements, rid: [UInt8], caKeys: [CAPublicKey], revoked: Set<CertificateRevocation> = [], date: [UInt8]) {
        self.card = card
        self.rid = rid
        self.caKeys = caKeys
        self.revoked = revoked
        self.date = date
    }

    /// The issuer's key, certificate checked.
    public func issuerKey() throws(DataAuthenticationFailure) -> IssuerPublicKey {
        let index = try required(.caPublicKeyIndexCard)
        guard let indexByte = index.first, let ca = caKeys.first(where: { $0.index == indexByte && $0.rid == rid }) else {
            throw .unknownCAKey(rid: rid, index: index.first ?? 0)
        }
        guard let today = CertificateDate(yymmdd: date) else { throw .issuerCertificate(.expired) }
        guard !ca.isExpired(on: today) else { throw .expiredCAKey }
        let certificate = try required(.issuerPublicKeyCertificate)
        let exponent = try required(.issuerPublicKeyExponent)
        let issuer: IssuerPublicKey
        do throws(CertificateError) {
            issuer = try IssuerPublicKeyCertificate.recover(
                certificate: certificate, remainder: card[.issuerPublicKeyRemainder], exponent: exponent, with: ca)
        } catch {
            throw .issuerCertificate(error)
        }
        guard let pan = card[.applicationPAN], issuer.matches(pan: pan) else { throw .issuerCertificate(.issuerIdentifier) }
        guard !issuer.isExpired(on: today) else { throw .issuerCertificate(.expired) }
        guard !revoked.contains(CertificateRevocation(of: issuer, signedBy: ca)) else { throw .issuerCertificate(.revoked) }
        return issuer
    }

    /// The card's key, certificate checked against `staticData`.
    public func iccKey(_ issuer: IssuerPublicKey, staticData: [UInt8]) throws(DataAuthenticationFailure) -> ICCPublicKey {
        let certificate = try required(.iccPublicKeyCertificate)
        let exponent = try required(.iccPublicKeyExponent)
        let icc: ICCPublicKey
        do throws(CertificateError) {
            icc = try ICCPublicKeyCertificate.recover(
                certificate: certificate, remainder: card[.iccPublicKeyRemainder], exponent: exponent, with: issuer.key,
                staticData: staticData)
        } catch {
            throw .iccCertificate(error)
        }
        return try checked(icc)
    }

    /// The key for enciphered PINs: the one certified for them if the card has one, else the card's key (EMV 4.4 Book 2, 7.1).
    func pinEnciphermentKey(_ staticData: StaticData) throws(DataAuthenticationFailure) -> RSAPublicKey {
        let issuer = try issuerKey()
        guard let certificate = card[.iccPINEnciphermentPublicKeyCertificate] else {
            return try iccKey(issuer, staticData: staticData.complete(card)).key
        }
        let exponent = try required(.iccPINEnciphermentPublicKeyExponent)
        let icc: ICCPublicKey
        do throws(CertificateError) {
            icc = try ICCPublicKeyCertificate.recoverPINEncipherment(
                certificate: certificate, remainder: card[.iccPINEnciphermentPublicKeyRemainder], exponent: exponent, with: issuer.key)
        } catch {
            throw .iccCertificate(error)
        }
        return try checked(icc).key
    }

    /// EMV 4.4 Book 2, 6.4 steps 8 and 9.
    private func checked(_ icc: ICCPublicKey) throws(DataAuthenticationFailure) -> ICCPublicKey {
        guard let pan = card[.applicationPAN], icc.matches(pan: pan) else { throw .iccCertificate(.panMismatch) }
        guard let today = CertificateDate(yymmdd: date), !icc.isExpired(on: today) else { throw .iccCertificate(.expired) }
        return icc
    }

    private func required(_ tag: Tag) throws(DataAuthenticationFailure) -> [UInt8] {
        guard let value = card[tag] else { throw .missingData(tag) }
        return value
    }
}
