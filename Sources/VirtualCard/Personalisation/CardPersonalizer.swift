internal import Bytes
public import CardCryptography
internal import TLV

/// A bench that makes cards: a certification authority of its own and one issuer under it.
///
/// Cards from one bench are trusted with the same CA keys; making the keys takes the time, not the cards.
public struct CardPersonalizer: Sendable {
    private let authority: RSAPrivateKey
    private let issuer: RSAPrivateKey

    /// A bench with given keys, for cards that are the same in every run.
    public init(authority: RSAPrivateKey, issuer: RSAPrivateKey) {
        self.authority = authority
        self.issuer = issuer
    }

    /// A bench with new keys from libcrypto's generator, public exponent 3.
    public init(_ sizes: RSAKeySizes = RSAKeySizes()) throws(PersonalisationError) {
        do throws(RSAError) {
            authority = try .generate(modulusBits: sizes.certificationAuthority, exponent: 3)
            issuer = try .generate(modulusBits: sizes.issuer, exponent: 3)
        } catch {
            throw .key(error)
        }
    }

    /// Makes a card.
    ///
    /// - Parameter iccKey: The card's own key; nil makes a new one of the profile's length.
    public func personalise(_ profile: CardProfile, iccKey: RSAPrivateKey? = nil) throws(PersonalisationError) -> PersonalisedCard {
        try profile.validate()
        let cardKey: RSAPrivateKey
        do throws(RSAError) {
            if let iccKey { cardKey = iccKey } else { cardKey = try .generate(modulusBits: profile.keySizes.icc, exponent: 3) }
        } catch {
            throw .key(error)
        }
        guard let number = AccountNumber(ascii: profile.account.pan.revealed()) else { throw .pan }
        let masterKeys: MasterKeySet
        do throws(CryptogramError) {
            masterKeys = try profile.issuerMasterKeys.cardKeys(
                by: profile.cryptograms.version.masterKeyDerivation, pan: number, panSequenceNumber: profile.account.panSequenceNumber)
        } catch {
            throw .masterKey
        }
        return PersonalisedCard(
            profile: profile, caPublicKeys: caPublicKeys(profile), masterKeys: masterKeys, iccKey: cardKey,
            files: try layOut(profile, cardKey))
    }

    /// The CA's key as terminals keep it, once for each RID of the card.
    private func caPublicKeys(_ profile: CardProfile) -> [CAPublicKey] {
        var rids: [[UInt8]] = []
        for application in profile.applications where !rids.contains(application.rid) { rids.append(application.rid) }
        return rids.map { CAPublicKey(rid: $0, index: profile.caPublicKeyIndex, key: authority.publicKey) }
    }

    /// The records with the certificates on them (EMV 4.4 Book 2, 5.1 and 6.1; Book 3, 10.3).
    private func layOut(_ profile: CardProfile, _ cardKey: RSAPrivateKey) throws(PersonalisationError) -> CardFiles {
        let authenticated = profile.authenticatedRecords
        let staticData = authenticated.flatMap { $0 } + profile.interchangeProfile.bytes
        let pan = profile.account.encodedPAN
        let paddedPAN = pan + [UInt8](repeating: 0xFF, count: 10 - pan.count)
        let expiry = [profile.account.expiry[1], profile.account.expiry[0]]
        do throws(IssuingError) {
            let issuerCertificate = try IssuerPublicKeyCertificate.issue(
                for: issuer.publicKey, issuerIdentifier: Array(pan.prefix(4)), expiry: expiry, serialNumber: [0, 0, 1], by: authority)
            let cardCertificate = try ICCPublicKeyCertificate.issue(
                for: cardKey.publicKey, pan: paddedPAN, expiry: expiry, serialNumber: [0, 0, 2], staticData: staticData, by: issuer)
            let signature = try SignedStaticApplicationData.sign(
                dataAuthenticationCode: [0xDA, 0xC0], staticData: staticData, by: issuer)
            return CardFiles(
                account: profile.trackRecord,
                keys: [
                    record(
                        (.caPublicKeyIndexCard, [profile.caPublicKeyIndex]), (.issuerPublicKeyExponent, issuer.publicKey.exponent),
                        (.issuerPublicKeyRemainder, issuerCertificate.remainder)),
                    record((.issuerPublicKeyCertificate, issuerCertificate.certificate)),
                    record((.signedStaticApplicationData, signature)),
                    record(
                        (.iccPublicKeyExponent, cardKey.publicKey.exponent), (.iccPublicKeyRemainder, cardCertificate.remainder),
                        (.ddol, profile.ddol?.bytes)),
                    record((.iccPublicKeyCertificate, cardCertificate.certificate)),
                ],
                authenticated: authenticated)
        } catch {
            throw .certificate(error)
        }
    }
}
