internal import PaymentTerminal

/// What a failed connection means to who set it up.
extension HTTPTransportError.Reason {
    /// Nil for a reason that says nothing about address, network or certificate.
    var fault: HostError.Fault? {
        switch self {
        case .nameNotFound: .nameNotFound
        case .connectionRefused: .connectionRefused
        case .noRoute: .noRoute
        case .timeout: .timedOut
        case .certificateExpired: .certificateExpired
        case .certificateNotYetValid: .certificateNotYetValid
        case .certificateForOtherName: .certificateForOtherName
        case .certificateNotTrusted: .certificateNotTrusted
        case .certificateWithShortKey, .certificateWithOldDigest, .certificateWithoutNames, .certificateForAnyName,
            .certificateNotUnderstood:
            .certificateUnfit
        case .noTLS: .noTLS
        case .cancelled, .connectionLost, .connectionClosed, .other: nil
        }
    }

    /// What to do about a host that is not reached for this reason.
    var cure: String {
        switch fault {
        case .nameNotFound: "check the name in the address, and the name server"
        case .connectionRefused: "check the port, and whether the host runs"
        case .noRoute: "check cables and routes"
        case .timedOut: "check address, network and firewall"
        case .certificateExpired: "have the host's certificate renewed"
        case .certificateNotYetValid: "check the clock of this machine"
        case .certificateForOtherName: "use the name that the certificate has"
        case .certificateNotTrusted: "trust the authority that has issued it, or check the address"
        case .certificateUnfit: "have the host's certificate replaced"
        case .noTLS: "check the port"
        case .wrongAddress, .credentialsRefused, nil: "check network and address"
        }
    }
}
