import CardCryptography
import Synchronization

/// A cache of recovered issuer certificates, for many transactions with cards of few issuers, such
/// as the replay of a folder of logs.
///
/// It contains no card data. PAN, expiry and revocation are checked for each transaction.
package final class IssuerCertificates: Sendable {
    /// The maximum number of entries; when it is exceeded, all are discarded.
    package static let limit = 64

    /// What an issuer's key is recovered from.
    private struct Source: Equatable {
        let certificate: [UInt8]
        let remainder: [UInt8]?
        let exponent: [UInt8]
        let authority: CAPublicKey
    }

    /// So few that a scan is faster than hashing a certificate.
    private let entries = Mutex<[(source: Source, issuer: IssuerPublicKey)]>([])

    package init() {}

    /// The result of ``IssuerPublicKeyCertificate``, computed once for the same certificate,
    /// remainder, exponent and authority.
    func recover(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with authority: CAPublicKey
    ) throws(CertificateError) -> IssuerPublicKey {
        let source = Source(certificate: certificate, remainder: remainder, exponent: exponent, authority: authority)
        if let known = entries.withLock({ $0.first { $0.source == source }?.issuer }) { return known }
        let issuer = try IssuerPublicKeyCertificate.recover(
            certificate: certificate, remainder: remainder, exponent: exponent, with: authority
        ).kept
        entries.withLock { entries in
            if entries.count >= Self.limit { entries.removeAll() }
            entries.append((source, issuer))
        }
        return issuer
    }

    package var count: Int { entries.withLock { $0.count } }
}
