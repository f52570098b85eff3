internal import Bytes
public import CardCryptography
internal import TLV

/// Personalizes cards, with its own certification authority and one issuer under it.
///
/// All cards of one personalizer have the same CA keys. Generating keys takes most of the time.
public struct CardPersonalizer: Sendable {
    private let authority: RSAPrivateKey
    private let issuer: RSAPrivateKey
    private let curves: [CurveAuthority]

    /// A personalizer with given RSA keys, for reproducible cards. Its elliptic curve keys are new.
    public init(authority: RSAPrivateKey, issuer: RSAPrivateKey) {
        self.init(authority: authority, issuer: issuer, authorityOnP256: nil)
    }

    /// The same with the authority's key on P-256, too; nil for a new one.
    package init(authority: RSAPrivateKey, issuer: RSAPrivateKey, authorityOnP256: ECPrivateKey?) {
        self.init(
            CardAuthority(
                authority: authority, issuer: issuer,
                curves: [CurveAuthority(.p256, authority: authorityOnP256), CurveAuthority(.p521)]))
    }

    /// A personalizer with all keys given.
    package init(_ keys: CardAuthority) {
        authority = keys.authority
        issuer = keys.issuer
        curves = keys.curves
    }

    /// A personalizer with new keys from libcrypto's generator.
    public init(_ sizes: RSAKeySizes = RSAKeySizes()) throws(PersonalizationError) {
        self.init(try CardAuthority.generate(sizes))
    }

    /// Personalizes a card.
    ///
    /// - Parameter iccKey: The card's RSA key; nil generates one of the profile's length.
    public func personalize(_ profile: CardProfile, iccKey: RSAPrivateKey? = nil) throws(PersonalizationError)
        -> PersonalizedCard
    {
        try personalize(profile, iccKey: iccKey, channelKey: nil)
    }

    /// Personalizes a card with a given key for kernel 8, on the curve of the profile; nil
    /// generates one.
    package func personalize(
        _ profile: CardProfile, iccKey: RSAPrivateKey? = nil, channelKey: ECPrivateKey?
    ) throws(PersonalizationError) -> PersonalizedCard {
        try profile.validate()
        guard let number = AccountNumber(ascii: profile.account.pan.revealed()) else { throw .pan }
        let masterKeys: MasterKeySet
        do throws(CryptogramError) {
            masterKeys = try profile.issuerMasterKeys.cardKeys(
                by: profile.cryptograms.version.masterKeyDerivation, pan: number,
                panSequenceNumber: profile.account.panSequenceNumber)
        } catch {
            throw .masterKey
        }
        let keys = try makeKeys(profile, iccKey)
        let contactlessProfile = profile.contactless.map(profile.applying)
        let contactlessFiles: CardFiles?
        var kernel8Keys: Kernel8Keys?
        if let contactlessProfile, case .kernel8(let kernel8) = profile.contactless {
            (contactlessFiles, kernel8Keys) = try layOutKernel8(contactlessProfile, kernel8, channelKey)
        } else {
            contactlessFiles = try contactlessProfile.map { profile throws(PersonalizationError) in
                try layOut(profile, keys)
            }
        }
        let caPublicKeys = caPublicKeys(profile)
        return PersonalizedCard(
            profile: profile, caPublicKeys: caPublicKeys, caCertificates: try certificates(of: caPublicKeys),
            masterKeys: masterKeys,
            keys: keys, files: try layOut(profile, keys),
            contactlessProfile: contactlessProfile, checksumKey: try checksumKey(profile, number),
            kernel8Keys: kernel8Keys,
            contactlessFiles: contactlessFiles)
    }

    /// The issuer's key for application cryptograms is also used for CVC3 and dCVV: the test issuer
    /// has no separate key. That of dCVV is derived as if the sequence number were zero, as
    /// hardware security modules do (Thales payShield, "Verify a Dynamic CVV").
    private func checksumKey(_ profile: CardProfile, _ number: AccountNumber) throws(PersonalizationError) -> CardKey? {
        let sequenceNumber: UInt8?
        switch profile.contactless {
        case .mastercard(let contactless) where contactless.mode == .magstripe:
            sequenceNumber = profile.account.panSequenceNumber
        case .visa(let contactless) where contactless.mode == .magstripe: sequenceNumber = 0
        default: return nil
        }
        do throws(CryptogramError) {
            return try MasterKeyDerivation.optionA.cardMasterKey(
                from: profile.issuerMasterKeys.applicationCryptogram, pan: number, panSequenceNumber: sequenceNumber)
        } catch {
            throw .masterKey
        }
    }

    private func makeKeys(_ profile: CardProfile, _ iccKey: RSAPrivateKey?) throws(PersonalizationError) -> CardKeys {
        if let suite = profile.ellipticCurve {
            return .ellipticCurve(.generate(suite.curve), suite, pin: .generate(suite.curve))
        }
        do throws(RSAError) {
            func make() throws(RSAError) -> RSAPrivateKey {
                try .generate(modulusBits: profile.keySizes.icc, exponent: profile.keySizes.exponent)
            }
            let pin = profile.hasPINEnciphermentKey ? try make() : nil
            if let iccKey { return .rsa(iccKey, pin: pin) }
            return .rsa(try make(), pin: pin)
        } catch {
            throw .key(error)
        }
    }

    func curve(_ suite: SignatureSuite) -> CurveAuthority {
        guard let curve = curves.first(where: { $0.suite == suite }) else {
            preconditionFailure("there is one for each suite")
        }
        return curve
    }

    /// The CA's key for terminals, once for each RID of the card.
    private func caPublicKeys(_ profile: CardProfile) -> [CAPublicKey] {
        var rids: [[UInt8]] = []
        for application in profile.applications where !rids.contains(application.rid) { rids.append(application.rid) }
        let key: CAPublicKey.Key =
            profile.ellipticCurve.map { .ellipticCurve(curve($0).authority.publicKey, $0) } ?? .rsa(authority.publicKey)
        let channel: CAPublicKey.Key? =
            if case .kernel8(let kernel8) = profile.contactless {
                .ellipticCurve(curve(kernel8.signatureSuite).authority.publicKey, kernel8.signatureSuite)
            } else {
                nil
            }
        return rids.flatMap { rid in
            [CAPublicKey(rid: rid, index: profile.caPublicKeyIndex, key: key, isTest: true)]
                + [channel].compactMap {
                    $0.map { CAPublicKey(rid: rid, index: Self.curveKeyIndex(profile), key: $0, isTest: true) }
                }
        }
    }

    private func certificates(of keys: [CAPublicKey]) throws(PersonalizationError) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for key in keys {
            guard case .ellipticCurve(_, let suite) = key.key else { continue }
            do throws(IssuingError) {
                certificates.append(
                    try ECCAPublicKeyCertificate.issue(
                        rid: key.rid, index: key.index, suite: suite, by: curve(suite).authority))
            } catch {
                throw .certificate(error)
            }
        }
        return certificates
    }

    /// The records with the certificates (EMV 4.4 Book 2, 5.1, 6.1 and 12.1; Book 3, 10.3).
    private func layOut(_ profile: CardProfile, _ keys: CardKeys) throws(PersonalizationError) -> CardFiles {
        let layout = profile.fileLayout ?? .standard(for: profile)
        var values = profile.dataObjects
        if case .mastercard(let contactless) = profile.contactless, contactless.recoversTornTransactions {
            values[.drdol] = DOL(entries: [DOL.Entry(.unpredictableNumber, 4)]).bytes
        }
        if case .mastercard(let contactless) = profile.contactless, contactless.dataStorage?.version != nil {
            values[.dsdol] = DOL.storage.bytes
        }
        if case .mastercard(let contactless) = profile.contactless, contactless.mode == .magstripe {
            guard let objects = profile.magstripeObjects(contactless.positions) else {
                throw .fieldLength(.track2DataContactless)
            }
            values.merge(objects) { $1 }
        }
        let authenticated = CardFiles.authenticatedRecords(layout, values)
        let certificates: [Tag: [UInt8]]
        do throws(IssuingError) {
            switch keys {
            case .rsa(let key, let pin):
                certificates = try rsaCertificates(profile, authenticated: authenticated, key: key, pin: pin)
            case .ellipticCurve(let key, let suite, let pin):
                certificates = try curveCertificates(
                    profile, authenticated: authenticated, key: key, curve: curve(suite), pin: pin)
            }
        } catch {
            throw .certificate(error)
        }
        values.merge(certificates) { $1 }
        do throws(CardFileLayout.Problem) {
            return try CardFiles(layout, values)
        } catch {
            throw .layout(error)
        }
    }

    private func rsaCertificates(
        _ profile: CardProfile, authenticated: [UInt8], key: RSAPrivateKey, pin: RSAPrivateKey?
    ) throws(IssuingError) -> [Tag: [UInt8]] {
        let staticData = authenticated + profile.interchangeProfile.bytes
        let pan = profile.account.encodedPAN
        let paddedPAN = pan + [UInt8](repeating: 0xFF, count: 10 - pan.count)
        let expiry = [profile.account.expiry[1], profile.account.expiry[0]]
        let issuerCertificate = try IssuerPublicKeyCertificate.issue(
            for: issuer.publicKey, issuerIdentifier: Array(pan.prefix(4)), expiry: expiry, serialNumber: [0, 0, 1],
            by: authority)
        let cardCertificate = try ICCPublicKeyCertificate.issue(
            for: key.publicKey, pan: paddedPAN, expiry: expiry, serialNumber: [0, 0, 2], staticData: staticData,
            by: issuer)
        let signature = try SignedStaticApplicationData.sign(
            dataAuthenticationCode: [0xDA, 0xC0], staticData: staticData, by: issuer)
        var objects: [Tag: [UInt8]] = [
            .issuerPublicKeyExponent: issuer.publicKey.exponent, .issuerPublicKeyRemainder: issuerCertificate.remainder,
            .issuerPublicKeyCertificate: issuerCertificate.certificate, .signedStaticApplicationData: signature,
            .iccPublicKeyExponent: key.publicKey.exponent, .iccPublicKeyRemainder: cardCertificate.remainder,
            .iccPublicKeyCertificate: cardCertificate.certificate,
        ]
        if let pin {
            let certificate = try ICCPublicKeyCertificate.issuePINEncipherment(
                for: pin.publicKey, pan: paddedPAN, expiry: expiry, serialNumber: [0, 0, 3], by: issuer)
            objects[.iccPINEnciphermentPublicKeyCertificate] = certificate.certificate
            objects[.iccPINEnciphermentPublicKeyExponent] = pin.publicKey.exponent
            objects[.iccPINEnciphermentPublicKeyRemainder] = certificate.remainder
        }
        return objects
    }

    private func curveCertificates(
        _ profile: CardProfile, authenticated: [UInt8], key: ECPrivateKey, curve: CurveAuthority, pin: ECPrivateKey
    ) throws(IssuingError) -> [Tag: [UInt8]] {
        let application = profile.applications[0]
        let pan = profile.account.encodedPAN
        let expiry = [0x20] + profile.account.expiry
        let cardData = authenticated + profile.issuerCertifiedCardData
        let issuerCertificate = try ECIssuerPublicKeyCertificate.issue(
            for: curve.issuer.publicKey, suite: curve.suite, issuerIdentifier: Array(pan.prefix(4)) + [0xFF],
            expiry: expiry,
            serialNumber: [0, 0, 1], ca: (application.rid, profile.caPublicKeyIndex, curve.suite), by: curve.authority)
        let cardCertificate = try ECICCPublicKeyCertificate.issue(
            for: key.publicKey, suite: curve.suite, expiry: expiry + [0x23, 0x59], serialNumber: [0, 0, 0, 0, 0, 2],
            cardData: cardData,
            issuerSuite: curve.suite, by: curve.issuer)
        let pinCertificate = try ECICCPublicKeyCertificate.issueEncipherment(
            for: pin.publicKey, suite: curve.suite == .p256 ? .p256 : .p521, expiry: expiry + [0x23, 0x59],
            serialNumber: [0, 0, 0, 0, 0, 3], cardData: cardData, issuerSuite: curve.suite, by: curve.issuer)
        return [
            .issuerPublicKeyCertificate: issuerCertificate, .iccPublicKeyCertificate: cardCertificate,
            .iccPINEnciphermentPublicKeyCertificate: pinCertificate,
        ]
    }
}
