import CardCryptography
import TLV

/// The card's keys and certificates for kernel 8.
struct Kernel8Keys: Sendable {
    let key: ECPrivateKey
    /// SHA-256 over records, listed data objects and AIP, contained in the certificate and covered
    /// by the IAD-MAC. 32 bytes.
    let staticDataHash: [UInt8]

    /// The data objects outside the records that the certificate covers, tag `9F810A`: the
    /// application's name.
    static let listedTags: [Tag] = [.dfName]
}

extension CardPersonalizer {
    /// The index of the authority's elliptic curve key, which must differ from that of the RSA key.
    static func curveKeyIndex(_ profile: CardProfile) -> UInt8 { profile.caPublicKeyIndex ^ 0x01 }

    /// Key, certificates and records of the contactless side.
    ///
    /// - Parameter profile: The profile with the contactless application's values.
    func layOutKernel8(
        _ profile: CardProfile, _ contactless: Kernel8ContactlessProfile, _ known: ECPrivateKey?
    ) throws(PersonalizationError) -> (CardFiles, Kernel8Keys) {
        let authority = curve(contactless.signatureSuite)
        let layout = profile.fileLayout ?? .standard(for: profile)
        var values = profile.dataObjects
        values[.caPublicKeyIndexCard] = [Self.curveKeyIndex(profile)]
        values[.extendedSDATagList] = Kernel8Keys.listedTags.flatMap(\.bytes)
        let application = profile.applications[0]
        let hash = SHA256.hash(
            CardFiles.authenticatedRecords(layout, values), tlv(.dfName, application.aid),
            profile.interchangeProfile.bytes)
        let key = known ?? .generate(contactless.suite.curve)
        let expiry = [0x20] + profile.account.expiry
        do throws(IssuingError) {
            values[.issuerPublicKeyCertificate] = try ECIssuerPublicKeyCertificate.issue(
                for: authority.issuer.publicKey, suite: authority.suite,
                issuerIdentifier: Array(profile.account.encodedPAN.prefix(4)) + [0xFF], expiry: expiry,
                serialNumber: [0, 0, 1],
                ca: (application.rid, Self.curveKeyIndex(profile), authority.suite), by: authority.authority)
            values[.iccPublicKeyCertificate] = try ECICCPublicKeyCertificate.issueChannel(
                for: key.publicKey, suite: contactless.suite, expiry: expiry + [0x23, 0x59],
                serialNumber: [0, 0, 0, 0, 0, 2],
                staticDataHash: hash, issuerSuite: authority.suite, by: authority.issuer)
        } catch {
            throw .certificate(error)
        }
        do throws(CardFileLayout.Problem) {
            return (try CardFiles(layout, values), Kernel8Keys(key: key, staticDataHash: hash))
        } catch {
            throw .layout(error)
        }
    }
}
