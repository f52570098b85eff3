package import EMVKernel

extension CardExpectation.Verdict {
    package init(_ decision: Outcome.Decision) {
        self =
            switch decision {
            case .approved(.offline): .approvedOffline
            case .approved(.online): .approvedOnline
            case .approved(.unableToGoOnline): .approvedUnableToGoOnline
            case .declined(.offline): .declinedOffline
            case .declined(.online): .declinedOnline
            case .declined(.unableToGoOnline): .declinedUnableToGoOnline
            case .terminated: .terminated
            }
    }
}

extension CardExpectation.DataAuthentication {
    /// - Parameter method: Nil for no method.
    package init(_ method: DataAuthenticationMethod?) {
        self =
            switch method {
            case .sda: .sda
            case .dda: .dda
            case .cda: .cda
            case .xda: .xda
            case nil: .none
            }
    }
}
