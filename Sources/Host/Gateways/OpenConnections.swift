private import CardCryptography
internal import NIOCore
internal import NIOSSL
private import Synchronization

/// The connections of one client: how many there are, and that each is to a certificate that may
/// be trusted.
final class OpenConnections: Sendable {
    /// What can be said of a time before a request.
    struct Mark: Sendable, Equatable {
        fileprivate let open: Int
        fileprivate let opened: Int
    }

    private let count = Mutex((open: 0, opened: 0))

    var mark: Mark { count.withLock { Mark(open: $0.open, opened: $0.opened) } }

    /// Whether there has been no connection since then over which a byte could have left.
    func hasBeenNone(since mark: Mark) -> Bool { mark.open == 0 && count.withLock { $0.opened } == mark.opened }

    /// To be called with each connection, after the handshake and before it carries a request.
    ///
    /// - Returns: Fails with ``CertificateFlaw``, and no request goes over the connection.
    func take(_ channel: any Channel) -> EventLoopFuture<Void> {
        // At once, in the loop of the channel: the client must hear of a failure before the channel
        // closes.
        let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate()
        if let certificate, let flaw = CertificateFlaw(certificate) {
            let failed = channel.eventLoop.makeFailedFuture(flaw) as EventLoopFuture<Void>
            channel.eventLoop.execute { channel.close(promise: nil) }
            return failed
        }
        count.withLock {
            $0.open += 1
            $0.opened += 1
        }
        channel.closeFuture.whenComplete { [self] _ in count.withLock { $0.open -= 1 } }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}

/// Why no request is sent to a certificate, although an authority that is trusted has issued it.
///
/// The library verifies chain, time and name. It takes any RSA key, SHA-1, a name in the subject
/// where there is no alternative one (RFC 9525, 2 and 6.1, do without it), and a wildcard that
/// stands for a whole name.
enum CertificateFlaw: Error, Equatable {
    /// RSA with less than 2,048 bits.
    case shortKey
    /// A signature over SHA-1 or MD5.
    case oldDigest
    /// No alternative name (RFC 5280, 4.2.1.6).
    case withoutNames
    /// `*`, or `*` and one label.
    case anyName
    case notUnderstood

    /// Nil for a certificate without a flaw.
    init?(_ certificate: NIOSSLCertificate) {
        guard let der = try? certificate.toDERBytes(), let made = PeerCertificate(der: der) else {
            self = .notUnderstood
            return
        }
        let names = certificate._subjectAlternativeNames()
        if let bits = made.modulusBits, bits < 2048 {
            self = .shortKey
        } else if made.hasOldDigest {
            self = .oldDigest
        } else if names.isEmpty {
            self = .withoutNames
        } else if names.contains(where: { $0.nameType == .dnsName && Self.standsForAll(Array($0.contents)) }) {
            self = .anyName
        } else {
            return nil
        }
    }

    private static func standsForAll(_ name: [UInt8]) -> Bool {
        let labels = name.split(separator: UInt8(ascii: "."))
        return labels.count <= 2 && labels.first?.contains(UInt8(ascii: "*")) == true
    }
}
