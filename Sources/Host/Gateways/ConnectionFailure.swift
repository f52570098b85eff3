private import AsyncHTTPClient
private import NIOCore
private import NIOPosix
private import NIOSSL

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// What errors of the HTTP library mean. Their descriptions might quote what was sent.
enum ConnectionFailure {
    /// Whether the library refused the host's chain of certificates. It keeps the reason to itself.
    static func isRefusedCertificate(_ error: any Error) -> Bool {
        guard case .handshakeFailed(let failure) = error as? NIOSSLError else { return false }
        return "\(failure)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    /// Whether the library has such an error only of a connection that was not made.
    static func isBeforeConnection(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError, is SocketAddressError, is CertificateFlaw, NIOSSLError.handshakeFailed: true
        // A connection that exists is reset, never refused.
        case let error as IOError: error.errnoCode == ECONNREFUSED
        case let error as HTTPClientError:
            [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout].contains(error)
        default: false
        }
    }

    static func reason(_ error: any Error) -> HTTPTransportError.Reason {
        switch error {
        case is CancellationError: .cancelled
        case let error as NIOConnectionError: reason(error)
        case is SocketAddressError: .nameNotFound
        case let error as IOError: reason(error)
        case let error as NIOSSLExtraError
        where error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch:
            .certificateForOtherName
        case is NIOSSLError, is NIOSSLExtraError: .noTLS
        case let flaw as CertificateFlaw: reason(flaw)
        case ChannelError.connectTimeout: .timeout
        case let error as HTTPClientError: reason(error)
        default: .other
        }
    }

    /// The addresses of a name are tried one after the other; the last that failed tells the most.
    private static func reason(_ error: NIOConnectionError) -> HTTPTransportError.Reason {
        guard let last = error.connectionErrors.last else { return .nameNotFound }
        return reason(last.error)
    }

    private static func reason(_ error: IOError) -> HTTPTransportError.Reason {
        switch error.errnoCode {
        case ECONNREFUSED: .connectionRefused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .noRoute
        case ETIMEDOUT: .timeout
        default: .connectionLost
        }
    }

    private static func reason(_ error: HTTPClientError) -> HTTPTransportError.Reason {
        let late: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
        ]
        if late.contains(error) { return .timeout }
        if error == .cancelled { return .cancelled }
        return error == .remoteConnectionClosed ? .connectionClosed : .other
    }

    private static func reason(_ flaw: CertificateFlaw) -> HTTPTransportError.Reason {
        switch flaw {
        case .shortKey: .certificateWithShortKey
        case .oldDigest: .certificateWithOldDigest
        case .withoutNames: .certificateWithoutNames
        case .anyName: .certificateForAnyName
        case .notUnderstood: .certificateNotUnderstood
        }
    }
}
