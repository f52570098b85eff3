public import PaymentTerminal
import SealedStore

extension BenchHost {
    public func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await keep(registration, of: hostSettings.terminalID) { try $0.insertSecureCard(registration) }
    }

    /// For one of the terminals that the vault knows.
    public func registerSecureCard(_ registration: SecureCardRegistration, of terminalID: String) async throws(HostError) -> SecureCard {
        try await keep(registration, of: terminalID) { try $0.insertSecureCard(registration) }
    }

    public func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await transaction { try $0.secureCard(reference) }
    }

    public func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await keep(registration, of: hostSettings.terminalID) { try $0.updateSecureCard(registration) }
    }

    /// For one of the terminals that the vault knows.
    public func updateSecureCard(_ registration: SecureCardRegistration, of terminalID: String) async throws(HostError) -> SecureCard {
        try await keep(registration, of: terminalID) { try $0.updateSecureCard(registration) }
    }

    public func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await transaction { try $0.deleteSecureCard(reference, token: token) }
    }

    /// Stores a card whose CVV the issuer finds right. A card with a CVV is validated by an authorisation of 0.00, which is voided at once and never
    /// settles; one that fails stores nothing but itself.
    private func keep(
        _ registration: SecureCardRegistration, of terminalID: String, _ store: @escaping @Sendable (VaultTransaction) throws -> SecureCard
    ) async throws(HostError) -> SecureCard {
        try refuseUnknownRange(registration.card)
        let settings = try await settings(of: terminalID)
        let kept: SecureCard? = try await transaction { [self] vault in
            try refuseUndeclared(registration.details.customFields, settings: settings)
            guard registration.cvv != nil else { return try store(vault) }
            var validation = StoredOrder(
                validating: registration, uniqueReference: try vault.unusedUniqueReference(), terminalID: terminalID,
                panLookup: vault.keys.lookupValue(of: registration.card.pan))
            let nothing = Money(minorUnits: 0, currency: settings.currencies.first ?? .euro)
            validation.decide(issuer.decide(cvv: registration.cvv, amount: nothing), card: nil, requested: nothing)
            try vault.save(validation)
            return validation.record.state == .voided ? try store(vault) : nil
        }
        guard let kept else { throw HostError(.validationFailed, "the CVV is wrong and the card was not saved: check the digits") }
        return kept
    }
}
