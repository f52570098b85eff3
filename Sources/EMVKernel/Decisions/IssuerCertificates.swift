import CardCryptography
import Synchronization

/// A cache of recovered issuer certificates, for many transactions with cards of few issuers, such
/// as the replay of a folder of logs.
///
/// It contains no card data. PAN, expiry and revocation are checked for each transaction.
package final class IssuerCertificates: Sendable {
    /// The maximum number of entries; when it is exceeded, all are discarded.
    package static let limit = 64

    private struct Entry {
        let remainder: [UInt8]?
        let exponent: [UInt8]
        let authority: CAPublicKey
        let issuer: IssuerPublicKey
    }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    package init() {}

    /// The result of ``IssuerPublicKeyCertificate``, computed once for the same certificate,
    /// remainder, exponent and authority.
    func recover(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with authority: CAPublicKey
    ) throws(CertificateError) -> IssuerPublicKey {
        let known = entries.withLock { $0[certificate] }
        if let known, known.remainder == remainder, known.exponent == exponent, known.authority == authority { return known.issuer }
        let issuer = try IssuerPublicKeyCertificate.recover(
            certificate: certificate, remainder: remainder, exponent: exponent, with: authority
        ).kept
        entries.withLock { entries in
            if entries.count >= Self.limit { entries.removeAll() }
            entries[certificate] = Entry(remainder: remainder, exponent: exponent, authority: authority, issuer: issuer)
        }
        return issuer
    }

    package var count: Int { entries.withLock { $0.count } }
}
