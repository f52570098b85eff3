private import Bytes
public import CardCryptography
public import TLV

/// Recovers the keys from a card's certificates (EMV 4.4 Book 2, 5.2–5.3, 6.2–6.4 and 12.2–12.4).
public struct CertificateChain: Sendable {
    private let card: DataElements
    private let rid: [UInt8]
    private let caKeys: [CAPublicKey]
    private let revoked: Set<CertificateRevocation>
    /// Nil if nothing is known of the transaction's date: then nothing counts as expired.
    private let date: [UInt8]?
    private let time: [UInt8]
    private let issuers: IssuerCertificates?

    /// - Parameters:
    ///   - card: The card's data objects: tags `8F`, `90`, `92`, `9F32`, `9F46`, `9F47`, `9F48` and
    ///     `5A`.
    ///   - rid: The first five bytes of the application's name.
    ///   - date: The transaction date, YYMMDD in format `n`.
    ///   - time: HHMMSS in format `n`. Elliptic curve certificates expire at a time in UTC; the
    ///     terminal's local time is used for it.
    public init(
        card: DataElements, rid: [UInt8], caKeys: [CAPublicKey], revoked: Set<CertificateRevocation> = [],
        date: [UInt8],
        time: [UInt8] = [0, 0, 0]
    ) {
        self.init(card: card, rid: rid, caKeys: caKeys, revoked: revoked, date: date, time: time, issuers: nil)
    }

    /// - Parameters:
    ///   - date: Nil for the certificates in a log that does not show the transaction's date: their
    ///     expiry is not checked.
    ///   - issuers: Certificates that were recovered before; a new one is added.
    package init(
        card: DataElements, rid: [UInt8], caKeys: [CAPublicKey], revoked: Set<CertificateRevocation>, date: [UInt8]?,
        time: [UInt8],
        issuers: IssuerCertificates?
    ) {
        self.card = card
        self.rid = rid
        self.caKeys = caKeys
        self.revoked = revoked
        self.date = date
        self.time = time
        self.issuers = issuers
    }

    /// The authority's key that the card refers to.
    public func authority() throws(DataAuthenticationFailure) -> CAPublicKey {
        guard let first = card.withValue(of: .caPublicKeyIndexCard, { $0.isEmpty ? nil : $0[0] }) else {
            throw .missingData(.caPublicKeyIndexCard)
        }
        guard let index = first, let ca = caKeys.key(rid: rid, index: index) else {
            throw .unknownCAKey(rid: rid, index: first ?? 0)
        }
        guard !isPast({ ca.isExpired(on: $0) }) else { throw .expiredCAKey }
        return ca
    }

    // MARK: RSA

    /// The issuer's key. Checks its certificate.
    public func issuerKey() throws(DataAuthenticationFailure) -> IssuerPublicKey { try issuerKey(authority()) }

    /// - Parameter ca: The result of ``authority()``.
    func issuerKey(_ ca: CAPublicKey) throws(DataAuthenticationFailure) -> IssuerPublicKey {
        guard case .rsa = ca.key else { throw .unknownCAKey(rid: rid, index: ca.index) }
        let certificate = try required(.issuerPublicKeyCertificate)
        let exponent = try required(.issuerPublicKeyExponent)
        let issuer: IssuerPublicKey
        do throws(CertificateError) {
            let remainder = card[.issuerPublicKeyRemainder]
            if let issuers {
                issuer = try issuers.recover(
                    certificate: certificate, remainder: remainder, exponent: exponent, with: ca)
            } else {
                issuer = try IssuerPublicKeyCertificate.recover(
                    certificate: certificate, remainder: remainder, exponent: exponent, with: ca)
            }
        } catch {
            throw error == .remainderMissing ? .missingData(.issuerPublicKeyRemainder) : .issuerCertificate(error)
        }
        guard card.withValue(of: .applicationPAN, { issuer.matches(pan: $0) }) == true else {
            throw .issuerCertificate(.issuerIdentifier)
        }
        guard !isPast({ issuer.isExpired(on: $0) }) else { throw .issuerCertificate(.expired) }
        guard revoked.isEmpty || !revoked.contains(CertificateRevocation(of: issuer, signedBy: ca)) else {
            throw .issuerCertificate(.revoked)
        }
        return issuer
    }

    /// The card's key. Checks its certificate against `staticData`.
    public func iccKey(_ issuer: IssuerPublicKey, staticData: [UInt8]) throws(DataAuthenticationFailure) -> ICCPublicKey
    {
        // Whoever has the payment system's public keys can read the card's number in it.
        guard let certificate = card.secret(.iccPublicKeyCertificate) else {
            throw .missingData(.iccPublicKeyCertificate)
        }
        let exponent = try required(.iccPublicKeyExponent)
        let icc: ICCPublicKey
        do throws(CertificateError) {
            icc = try certificate.withBytes { certificate throws(CertificateError) in
                try ICCPublicKeyCertificate.recover(
                    certificate: certificate, remainder: card[.iccPublicKeyRemainder], exponent: exponent,
                    with: issuer.key,
                    staticData: staticData)
            }
        } catch {
            throw error == .remainderMissing ? .missingData(.iccPublicKeyRemainder) : .iccCertificate(error)
        }
        return try checked(icc)
    }

    /// The key for enciphered PINs: the PIN encipherment key if the card has its certificate and
    /// exponent, else the card's key (EMV 4.4 Book 2, 7.1).
    ///
    /// - Parameter cardKey: The card's key, if data authentication has recovered it.
    package func pinEnciphermentKey(_ staticData: StaticData, cardKey: RSAPublicKey?) throws(DataAuthenticationFailure)
        -> RSAPublicKey
    {
        guard let certificate = card.secret(.iccPINEnciphermentPublicKeyCertificate),
            let exponent = card[.iccPINEnciphermentPublicKeyExponent]
        else {
            if let cardKey { return cardKey }
            let issuer = try issuerKey()
            return try staticData.complete(card) { data throws(DataAuthenticationFailure) in
                try iccKey(issuer, staticData: data).key
            }
        }
        let issuer = try issuerKey()
        let icc: ICCPublicKey
        do throws(CertificateError) {
            icc = try certificate.withArray { certificate throws(CertificateError) in
                try ICCPublicKeyCertificate.recoverPINEncipherment(
                    certificate: certificate, remainder: card[.iccPINEnciphermentPublicKeyRemainder],
                    exponent: exponent, with: issuer.key)
            }
        } catch {
            throw .iccCertificate(error)
        }
        return try checked(icc).key
    }

    /// EMV 4.4 Book 2, 6.4 steps 8 and 9.
    private func checked(_ icc: ICCPublicKey) throws(DataAuthenticationFailure) -> ICCPublicKey {
        guard card.withValue(of: .applicationPAN, { icc.matches(pan: $0) }) == true else {
            throw .iccCertificate(.panMismatch)
        }
        guard !isPast({ icc.isExpired(on: $0) }) else { throw .iccCertificate(.expired) }
        return icc
    }

    // MARK: Elliptic curves

    /// The issuer's elliptic curve key. Checks its certificate.
    public func ellipticCurveIssuerKey() throws(DataAuthenticationFailure) -> ECIssuerPublicKey {
        let ca = try authority()
        guard case .ellipticCurve = ca.key else { throw .unknownCAKey(rid: rid, index: ca.index) }
        let certificate = try required(.issuerPublicKeyCertificate)
        do throws(CertificateError) {
            let issuer = try ECIssuerPublicKeyCertificate.recover(certificate, with: ca)
            guard let pan = card[.applicationPAN], issuer.matches(pan: pan) else { throw .issuerIdentifier }
            guard !isPast({ issuer.isExpired(on: $0) }) else { throw .expired }
            guard !revoked.contains(CertificateRevocation(of: issuer, signedBy: ca)) else { throw .revoked }
            return issuer
        } catch {
            throw .issuerCertificate(error)
        }
    }

    /// The card's elliptic curve key for signatures. Checks its certificate against `cardData`.
    public func ellipticCurveICCKey(
        _ issuer: ECIssuerPublicKey, cardData: [UInt8]
    ) throws(DataAuthenticationFailure) -> ECICCPublicKey<SignatureSuite> {
        let certificate = try required(.iccPublicKeyCertificate)
        do throws(CertificateError) {
            return try checked(ECICCPublicKeyCertificate.recover(certificate, with: issuer, cardData: cardData))
        } catch {
            throw .iccCertificate(error)
        }
    }

    /// The card's key for the secure channel of kernel 8 (EMV Contactless Book E, 5.4).
    ///
    /// - Parameter staticDataHash: SHA-256, 32 bytes.
    package func channelKey(
        _ issuer: ECIssuerPublicKey, staticDataHash: [UInt8]
    ) throws(DataAuthenticationFailure) -> ECICCPublicKey<EnciphermentSuite> {
        let certificate = try required(.iccPublicKeyCertificate)
        do throws(CertificateError) {
            return try checked(
                ECICCPublicKeyCertificate.recoverChannelKey(certificate, with: issuer, staticDataHash: staticDataHash))
        } catch {
            throw .iccCertificate(error)
        }
    }

    /// The card's elliptic curve key for enciphered PINs (EMV 4.4 Book 2, 13.1).
    package func ellipticCurvePINKey(cardData: [UInt8]) throws(DataAuthenticationFailure) -> ECICCPublicKey<
        EnciphermentSuite
    > {
        let issuer = try ellipticCurveIssuerKey()
        let certificate = try required(.iccPINEnciphermentPublicKeyCertificate)
        do throws(CertificateError) {
            return try checked(
                ECICCPublicKeyCertificate.recoverEncipherment(certificate, with: issuer, cardData: cardData))
        } catch {
            throw .iccCertificate(error)
        }
    }

    /// EMV 4.4 Book 2, 12.4 step 4.
    private func checked<Suite>(_ icc: ECICCPublicKey<Suite>) throws(CertificateError) -> ECICCPublicKey<Suite> {
        guard !isPast({ icc.isExpired(on: $0, at: Array(time.prefix(2))) }) else { throw .expired }
        return icc
    }

    /// Whether a key or a certificate is no longer valid on the transaction's date, or that date is
    /// none.
    private func isPast(_ isExpired: (CertificateDate) -> Bool) -> Bool {
        guard let date else { return false }
        guard let today = CertificateDate(yymmdd: date) else { return true }
        return isExpired(today)
    }

    private func required(_ tag: Tag) throws(DataAuthenticationFailure) -> [UInt8] {
        guard let value = card[tag] else { throw .missingData(tag) }
        return value
    }
}
