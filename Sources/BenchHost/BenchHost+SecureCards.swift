public import PaymentTerminal

extension BenchHost {
    public func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try validate(registration)
        return try await transaction { try $0.insertSecureCard(registration) }
    }

    public func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await transaction { try $0.secureCard(reference) }
    }

    public func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try validate(registration)
        return try await transaction { try $0.updateSecureCard(registration) }
    }

    public func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await transaction { try $0.deleteSecureCard(reference, token: token) }
    }

    private func validate(_ registration: SecureCardRegistration) throws(HostError) {
        try refuseUnknownRange(registration.card)
        guard issuer.isRight(registration.cvv) else {
            throw HostError(.validationFailed, "the CVV is wrong and the card was not saved: check the digits")
        }
    }
}
